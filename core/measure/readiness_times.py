"""When is drafting worth its set-up? Straight lines through measured answers, and where a round's time goes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from core.measure.readiness import Answer, Result

LONG_ENOUGH = 8
"""Tokens from which on an answer's pace says something."""
STEADY = 1.5
"""Largest spread of a steady machine: the slowest answer's pace over the quickest one's."""


@dataclass(frozen=True)
class Line:
    """Time of an answer against its length: `first` seconds to the first token, `token` for each one after it."""

    first: float
    token: float

    def total(self, tokens: int) -> float:
        """Seconds that an answer of so many tokens (at least one) takes."""
        return self.first + self.token * (tokens - 1)


@dataclass(frozen=True)
class Lines:
    """Both ways of decoding. The target's prompt pass is the same work in both, so it counts the same."""

    standard: Line
    drafted: Line

    @property
    def break_even(self) -> int | None:
        """The shortest answer, in tokens, that is quicker with drafting; None where none is."""
        saved = self.standard.token - self.drafted.token
        if saved <= 0:
            return None
        n = 1 + max(0, math.floor((self.drafted.first - self.standard.first) / saved))
        # Rounding may leave the last step open on either side.
        while not self.gains(n):
            n += 1
        while n > 1 and self.gains(n - 1):
            n -= 1
        return n

    def gains(self, tokens: int) -> bool:
        return self.drafted.total(tokens) < self.standard.total(tokens)

    def speed_up(self, tokens: int) -> float:
        """Whole answer against whole answer."""
        return self.standard.total(tokens) / self.drafted.total(tokens)


def lines(results: Sequence[Result], loading: float = 0.0) -> Lines | None:
    """Lines through all answers; `loading` seconds of the second model come on top of its prompt pass.

    None where no answer has a token after the first on both sides.
    """
    alone, drafted = [r.reference for r in results], [r.drafted for r in results]
    if not (_written(alone) and _written(drafted)):
        return None
    prompt = median(a.prompt for a in (*alone, *drafted))
    set_up = median(a.set_up for a in drafted)
    return Lines(Line(prompt, _per_token(alone)), Line(prompt + set_up + loading, _per_token(drafted)))


def _written(answers: Sequence[Answer]) -> int:
    """Tokens after the first, which comes from the prompt's pass."""
    return sum(len(a.tokens) - 1 for a in answers)


def _per_token(answers: Sequence[Answer]) -> float:
    return sum(a.writing for a in answers) / _written(answers)


def unsteady(results: Sequence[Result]) -> tuple[float, float] | None:
    """The quickest and the slowest reference, in seconds a token, where they lie too far apart to be trusted.

    The target does the same work for each token, so a large spread says that the machine was busy with other things.
    """
    paces = [_per_token([r.reference]) for r in results if len(r.reference.tokens) >= LONG_ENOUGH]
    if not paces or max(paces) <= STEADY * min(paces):
        return None
    return min(paces), max(paces)


@dataclass(frozen=True)
class Split:
    """Where the time of drafted runs went, in seconds a round, beside a standard token's.

    Attributes:
        standard: seconds a token of standard decoding.
        gamma: guesses made a round, on average.
        tau: tokens a round gained (block efficiency τ).
        alpha_hat: α̂, None where no guess was examined.
    """

    standard: float
    draft: float
    verify: float
    overhead: float
    gamma: float
    tau: float
    alpha_hat: float | None

    @property
    def round(self) -> float:
        return self.draft + self.verify + self.overhead

    @property
    def speed_up(self) -> float:
        """Tokens a round, over what a round costs in standard tokens."""
        return self.tau * self.standard / self.round

    @property
    def ceiling(self) -> float:
        """The speed-up if every guess were kept and nothing else changed."""
        return (self.gamma + 1) * self.standard / self.round

    def dearer(self, factor: float) -> float:
        """The speed-up with the same acceptance and draft steps that take `factor` times as long."""
        return self.tau * self.standard / (self.round + (factor - 1) * self.draft)


def split(results: Sequence[Result]) -> Split | None:
    """The split over all runs; None where nothing was drafted."""
    alone, drafted = [r.reference for r in results], [r.drafted for r in results]
    rounds = sum(a.rounds for a in drafted)
    if not (rounds and _written(alone) and sum(a.drafted for a in drafted)):
        return None
    accepted, rejected = sum(a.accepted for a in drafted), sum(a.rejected for a in drafted)
    return Split(
        standard=_per_token(alone),
        draft=sum(a.draft for a in drafted) / rounds,
        verify=sum(a.verify for a in drafted) / rounds,
        overhead=sum(a.overhead for a in drafted) / rounds,
        gamma=sum(a.drafted for a in drafted) / rounds,
        tau=_written(drafted) / rounds,
        alpha_hat=accepted / (accepted + rejected) if accepted + rejected else None,
    )
