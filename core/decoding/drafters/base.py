"""What the loop asks of a source of guesses, and what sources share."""

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

GoOn = Callable[[torch.Tensor], bool]
"""Asked after each guess with the drafter's logits [V] there: guess another one?"""


@dataclass(frozen=True)
class Proposal:
    """Guesses and the very distributions they were drawn from.

    `q` [n, V] as drawn from, `logits` [n, V] as the drafter gave them (for the raw figures), `seconds` of each step.
    `parents` is None for a chain. In a tree it holds, for each guess, the index of the guess before it, or None
    behind the text; children of one parent stand in the order in which they are to be tried, and each one's q is
    what it was drawn from once those before it were taken out.
    """

    tokens: list[int]
    q: Sequence[torch.Tensor]
    logits: Sequence[torch.Tensor]
    seconds: tuple[float, ...]
    parents: list[int | None] | None = None


class Drafter(Protocol):
    """What the loop asks of a source of guesses."""

    @property
    def cached(self) -> int:
        """Tokens in the drafter's cache."""

    def prefill(self, prompt: Sequence[int]) -> None:
        """Read the prompt, which the target has read already."""

    def propose(self, text: list[int], gamma: int, go_on: GoOn) -> Proposal:
        """Guess up to γ tokens after `text`; what of `text` has not been read yet is read first."""

    def accepted(self, length: int, target_hidden: torch.Tensor | None = None) -> None:
        """The text so far agrees with what was guessed up to `length` tokens: forget the rest.

        `target_hidden` [n, width] is the target's last hidden state behind each of the last n of those tokens, for a
        drafter that asked for it.
        """


Step = Callable[[list[int]], torch.Tensor]
"""Reads tokens and gives the drafter's logits [1, V'] behind the last of them."""


def one_by_one(
    pair: ModelPair,
    request: DecodeRequest,
    draws: Draws,
    step: Step,
    text: list[int],
    read: int,
    gamma: int,
    go_on: GoOn,
) -> Proposal:
    """Up to γ guesses one after another, each drawn from its own q. `read` tokens of the text are read already."""
    tokens: list[int] = []
    drawn_from: list[torch.Tensor] = []
    given: list[torch.Tensor] = []
    seconds: list[float] = []
    # Usually the last committed token; two after a round that kept everything, since the
    # last guess was never fed; more if rounds passed without drafting.
    fresh, more = text[read:], gamma > 0
    while more:
        started = now(pair.device)
        logits = fit(step(fresh), pair.vocabulary)
        q = probabilities(logits, request.temperature, request.top_k, request.top_p)[0]
        token = draw(request, draws, q, len(text) + len(tokens))
        # The guess just drawn stays whatever comes of this: to drop it would change the text.
        more = len(tokens) + 1 < gamma and go_on(logits[0])
        seconds.append(now(pair.device) - started)
        tokens.append(token)
        drawn_from.append(q)
        given.append(logits[0])
        fresh = [token]
    return Proposal(tokens, drawn_from, given, tuple(seconds))


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
