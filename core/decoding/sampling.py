"""From logits to probabilities to tokens. Every function is deterministic in its arguments."""

from __future__ import annotations

import numpy as np
import torch

GREEDY_BELOW = 1e-5
"""Temperatures under this are greedy: dividing by them would leave the range of float32."""


def probabilities(
    logits: torch.Tensor, temperature: float, top_k: int | None = None, top_p: float | None = None
) -> torch.Tensor:
    """The distribution that a request draws from: float32 [n, V] from logits [n, V] of any dtype.

    Temperature 0 puts all mass on the largest logit, the lowest id among equals. Top-k keeps the k most
    probable tokens (all that tie with the last); top-p then keeps the smallest set whose mass reaches p.
    """
    logits = logits.float()
    if temperature < GREEDY_BELOW:
        return torch.zeros_like(logits).scatter_(1, logits.argmax(1, keepdim=True), 1.0)
    # Taking the maximum off first keeps tiny temperatures finite.
    logits = (logits - logits.amax(1, keepdim=True)) / temperature
    if top_k is not None and top_k < logits.shape[1]:
        logits = logits.masked_fill(logits < logits.topk(top_k, dim=1).values[:, -1:], -torch.inf)
    probs = logits.softmax(1)
    if top_p is not None and top_p < 1:
        ranked, order = probs.sort(dim=1, descending=True, stable=True)
        beyond = ranked.cumsum(1) - ranked >= top_p
        probs = probs.masked_fill(torch.zeros_like(beyond).scatter_(1, order, beyond), 0.0)
        probs = probs / probs.sum(1, keepdim=True)
    return probs


def pick(probs: torch.Tensor, u: float) -> int:
    """The token where the cumulative mass of `probs` [V] passes u ∈ [0, 1); never one of probability 0."""
    cumulative = probs.double().cumsum(0)
    token = int(torch.searchsorted(cumulative, u * cumulative[-1], right=True))
    # Rounding can carry u past the end: the last token with any mass then holds it.
    return token if token < len(probs) else int(probs.nonzero()[-1])


class Draws:
    """All randomness of one run, as a function of its seed alone.

    Uniforms come in order from one stream. Coupled noise is keyed by absolute position instead, so that
    two runs that reach a position by different rounds meet the same noise there.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._stream = np.random.default_rng(seed)

    def uniforms(self, n: int) -> list[float]:
        """n numbers in [0, 1)."""
        return self._stream.random(n).tolist()

    def sample(self, probs: torch.Tensor) -> int:
        """A token from `probs` [V]."""
        return pick(probs, self._stream.random())

    def race(self, probs: torch.Tensor, position: int) -> int:
        """A token from `probs` [V] by an exponential race with the noise of `position`.

        The first arrival, argmax p/E with E ~ Exp(1), is distributed as p; it is the Gumbel-max draw in other
        units. Draft and target that race with the same E tend to choose the same token (Daliri, Musco & Suresh
        2024, arXiv 2408.07978).
        """
        return int(self._speed(probs, position).argmax())

    def arrivals(self, probs: torch.Tensor, position: int, number: int) -> list[int]:
        """The first tokens to arrive in `race`, at most `number`, none of probability 0."""
        first = self._speed(probs, position).topk(min(number, len(probs)))
        return [t for t, speed in zip(first.indices.tolist(), first.values.tolist(), strict=True) if speed > 0]

    def _speed(self, probs: torch.Tensor, position: int) -> torch.Tensor:
        noise = np.random.default_rng((self._seed, position)).standard_exponential(len(probs), dtype=np.float32)
        return probs / torch.from_numpy(noise).clamp_min_(1e-30).to(probs.device)
