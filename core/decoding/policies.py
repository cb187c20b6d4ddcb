"""How long the next draft is to be. A policy's state belongs to one run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import torch

from core.decoding.costs import costs
from core.decoding.request import MAX_GAMMA, DecodeRequest
from core.decoding.request import Policy as Name
from core.decoding.rounds import Round
from core.models import ModelPair
from core.theory.closed_forms import speedup

UNSURE = 0.4
"""Below this probability of its first choice a drafter counts as unsure (the threshold that Transformers uses)."""


class Policy(Protocol):
    """What the loop asks of a policy."""

    @property
    def gamma(self) -> int:
        """The next round's draft length; 0 for a plain step."""

    def go_on(self, logits: torch.Tensor) -> bool:
        """Whether to guess on after a guess where the drafter gave these logits [V]."""

    def after(self, round_: Round) -> None:
        """Learn from a round that is over."""


class Fixed:
    """The same γ in every round."""

    def __init__(self, pair: ModelPair, request: DecodeRequest) -> None:
        self.gamma = request.gamma

    def go_on(self, logits: torch.Tensor) -> bool:
        return True

    def after(self, round_: Round) -> None:
        """Nothing changes."""


class Heuristic(Fixed):
    """Two more after a round that kept everything, one less after a miss: the schedule of Transformers."""

    def __init__(self, pair: ModelPair, request: DecodeRequest) -> None:
        super().__init__(pair, request)
        self._longest = longest(pair)

    def after(self, round_: Round) -> None:
        if round_.rejected:
            self.gamma = max(1, self.gamma - 1)
        elif round_.positions and round_.accepted == len(round_.positions):
            self.gamma = min(self._longest, self.gamma + 2)


class Confidence(Fixed):
    """Up to γ guesses, fewer where the drafter gives its own first choice little.

    The guess just drawn stays: leaving out what is improbable under q would make the text another one.
    """

    def go_on(self, logits: torch.Tensor) -> bool:
        return float(logits.float().softmax(0).max()) >= UNSURE


class Goodput:
    """The γ that the formula says is quickest for the acceptance seen so far and the costs of this machine.

    Acceptance is a running mean that forgets, starting from `PRIOR`. Where no γ beats a plain step the drafter is
    switched off (γ = 0), and tried again with a single guess after a pause that doubles with each failure.
    The costs are measured once for each pair and drafter, so that a run is the same each time it is made.
    Source of the idea: Liu et al. 2024, "Optimizing speculative decoding for serving LLMs using goodput",
    arXiv 2406.14066.
    """

    PRIOR, WEIGHT, MEMORY = 0.6, 4.0, 16.0
    MARGIN = 1.02
    FIRST_PAUSE, LONGEST_PAUSE = 4, 64

    def __init__(self, pair: ModelPair, request: DecodeRequest) -> None:
        self._costs = costs(pair, request.drafter)
        self._longest = longest(pair)
        self._accepted, self._examined = self.PRIOR * self.WEIGHT, self.WEIGHT
        self._pause, self._off = self.FIRST_PAUSE, 0
        self.gamma = self._best()

    def go_on(self, logits: torch.Tensor) -> bool:
        return True

    def after(self, round_: Round) -> None:
        if not round_.positions:
            # A plain step: of a drafter that is switched off, or of one that had nothing to offer.
            if self._off:
                self._off -= 1
                self.gamma = 0 if self._off else 1
            return
        fade = max(0.0, 1 - (round_.accepted + round_.rejected) / self.MEMORY)
        self._accepted = fade * self._accepted + round_.accepted
        self._examined = fade * self._examined + round_.accepted + round_.rejected
        best = self._best()
        if best == 0 and self.gamma:
            self._off, self._pause = self._pause, min(2 * self._pause, self.LONGEST_PAUSE)
        elif best:
            self._pause = self.FIRST_PAUSE
        self.gamma = best

    def _best(self) -> int:
        alpha = self._accepted / self._examined
        gains = {g: float(speedup(alpha, g, *self._costs)) for g in range(1, self._longest + 1)}
        best = max(gains, key=lambda g: gains[g])
        return best if gains[best] > self.MARGIN else 0


def longest(pair: ModelPair) -> int:
    """The largest γ for which this pair's text is sure to stay the same bit for bit, or a plain bound; at least 1."""
    return min(max(1, pair.width - 1), MAX_GAMMA) if pair.width else 8


POLICIES: dict[Name, Callable[[ModelPair, DecodeRequest], Policy]] = {
    "fixed": Fixed,
    "heuristic": Heuristic,
    "goodput": Goodput,
    "confidence": Confidence,
}
