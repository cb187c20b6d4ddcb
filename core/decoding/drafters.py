"""Where guesses come from. A new source is one class and one entry in `DRAFTERS`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Protocol

import torch
from torch.nn import functional as F

from core.decoding.request import DecodeRequest
from core.decoding.sampling import Draws, probabilities
from core.models import ModelPair


@dataclass(frozen=True)
class Proposal:
    """γ guesses and the very distributions they were drawn from.

    `q` [γ, V] as drawn from, `logits` [γ, V] as the draft gave them (for the raw figures), `seconds` of each step.
    """

    tokens: list[int]
    q: list[torch.Tensor]
    logits: list[torch.Tensor]
    seconds: tuple[float, ...]


class Drafter(Protocol):
    """What the loop asks of a source of guesses."""

    @property
    def cached(self) -> int:
        """Tokens in the drafter's cache."""

    def prefill(self, prompt: Sequence[int]) -> None:
        """Read the prompt."""

    def propose(self, text: list[int], gamma: int) -> Proposal:
        """Guess the γ tokens after `text`; what of `text` has not been read yet is read first."""

    def accepted(self, length: int) -> None:
        """The text so far agrees with what was guessed up to `length` tokens: forget the rest."""


class DraftModel:
    """A second, smaller language model."""

    def __init__(self, pair: ModelPair, request: DecodeRequest, draws: Draws) -> None:
        self._pair, self._request, self._draws = pair, request, draws
        self._reader = pair.draft_reader()

    @property
    def cached(self) -> int:
        return self._reader.length

    def prefill(self, prompt: Sequence[int]) -> None:
        self._reader.read(prompt)

    def propose(self, text: list[int], gamma: int) -> Proposal:
        request = self._request
        tokens: list[int] = []
        drawn_from: list[torch.Tensor] = []
        given: list[torch.Tensor] = []
        seconds: list[float] = []
        # Usually the last committed token; two after a round that kept everything, since the
        # last guess was never fed; more if rounds passed without drafting.
        fresh = text[self._reader.length :]
        for i in range(gamma):
            started = now(self._pair.device)
            logits = fit(self._reader.read(fresh), self._pair.vocabulary)
            q = probabilities(logits, request.temperature, request.top_k, request.top_p)[0]
            token = draw(request, self._draws, q, len(text) + i)
            seconds.append(now(self._pair.device) - started)
            tokens.append(token)
            drawn_from.append(q)
            given.append(logits[0])
            fresh = [token]
        return Proposal(tokens, drawn_from, given, tuple(seconds))

    def accepted(self, length: int) -> None:
        self._reader.crop(min(length, self._reader.length))


DRAFTERS: dict[str, Callable[[ModelPair, DecodeRequest, Draws], Drafter]] = {"draft": DraftModel}


def draw(request: DecodeRequest, draws: Draws, probs: torch.Tensor, position: int) -> int:
    """A token from `probs` [V] by the request's rule: from the stream, or with the noise of its position."""
    return draws.race(probs, position) if request.rule == "coupled" else draws.sample(probs)


def fit(logits: torch.Tensor, vocabulary: int) -> torch.Tensor:
    """Logits [n, V'] cut or filled up to the target's vocabulary: ids that only one side has get probability 0."""
    missing = vocabulary - logits.shape[1]
    return F.pad(logits, (0, missing), value=-torch.inf) if missing > 0 else logits[:, :vocabulary]


def now(device: torch.device) -> float:
    """Seconds on a steady clock, after the device has finished what it was given."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    return perf_counter()
