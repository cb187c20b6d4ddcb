"""How long the next draft is to be. A policy's state belongs to one run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
import torch

from core.decoding.costs import costs
from core.decoding.request import MAX_GAMMA, DecodeRequest
from core.decoding.request import Policy as Name
from core.decoding.rounds import Round
from core.models import ModelPair
from core.theory.closed_forms import expected_tokens, round_cost

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

    Acceptance is a running mean that forgets, starting from `PRIOR`. A round that keeps no guess loses the time of
    its guesses; that loss has to be covered by a purse, which holds `STAKE` target passes at first, gets `SHARE` of
    one for each token written and whatever drafting wins (up to `MOST`), and pays what drafting loses. So on a text
    that never suits the drafter it is switched off (γ = 0), looked in on with a single guess now and then, and all
    that is ever lost is `STAKE` and `SHARE` of the time.
    The costs are measured once for each pair and drafter, so that a run is the same each time it is made.
    Source of the idea to choose γ so: Liu et al. 2024, "Optimizing speculative decoding for serving LLMs using
    goodput", arXiv 2406.14066. The purse is ours.
    """

    PRIOR, WEIGHT, MEMORY = 0.6, 4.0, 16.0
    MARGIN = 1.02
    STAKE, SHARE, MOST = 0.25, 0.015, 2.5

    def __init__(self, pair: ModelPair, request: DecodeRequest) -> None:
        self._c, self._verify = costs(pair, request.drafter)
        self._gammas = np.arange(1, longest(pair) + 1)
        self._risks = round_cost(self._gammas, self._c, self._verify) - 1
        self._accepted, self._examined = self.PRIOR * self.WEIGHT, self.WEIGHT
        self._purse = self.STAKE
        self.gamma = self._choose()

    def go_on(self, logits: torch.Tensor) -> bool:
        return True

    def after(self, round_: Round) -> None:
        written = len(round_.committed)
        # A tree has fewer steps than guesses.
        spent = self._c * len(round_.draft_times) + float(round_cost(round_.guesses, 0.0, self._verify))
        self._purse = min(self.MOST, self._purse + written - spent + self.SHARE * written)
        fade = max(0.0, 1 - (round_.accepted + round_.rejected) / self.MEMORY)
        self._accepted = fade * self._accepted + round_.accepted
        self._examined = fade * self._examined + round_.accepted + round_.rejected
        self.gamma = self._choose()

    def _choose(self) -> int:
        affordable = self._gammas[self._risks <= self._purse]
        if not affordable.size:
            return 0
        alpha = self._accepted / self._examined
        gains = expected_tokens(alpha, affordable) / (1 + self._risks[: affordable.size])
        # Where nothing seems to pay, the single guess is a look whether it still does not.
        return int(affordable[gains.argmax()]) if gains.max() > self.MARGIN else 1


def longest(pair: ModelPair) -> int:
    """The largest γ for which this pair's text is sure to stay the same bit for bit, or a plain bound; at least 1."""
    return min(max(1, pair.width - 1), MAX_GAMMA) if pair.width else 8


POLICIES: dict[Name, Callable[[ModelPair, DecodeRequest], Policy]] = {
    "fixed": Fixed,
    "heuristic": Heuristic,
    "goodput": Goodput,
    "confidence": Confidence,
}
