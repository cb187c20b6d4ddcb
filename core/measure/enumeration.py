"""Every way in which a run's draws can fall, with its probability: exact distributions without sampling.

A rule is a function that asks for draws. Given draws that walk through all answers in turn, the very function that
decodes texts yields its own exact output distribution.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np
import torch

from core.decoding.sampling import Draws
from core.measure.coupling import race_joint

Outcome = TypeVar("Outcome", bound=Hashable)
Share = Any
"""A probability: a float, or a Fraction where p and q are given in fractions."""


def outcomes(run: Callable[[Enumerated], Outcome]) -> dict[Outcome, Share]:
    """The probability of everything that `run` may return; it must be a function of its draws alone."""
    found: dict[Outcome, Share] = {}
    scripts: list[list[int]] = [[]]
    while scripts:
        draws = Enumerated(scripts.pop())
        outcome = run(draws)
        found[outcome] = found.get(outcome, 0) + draws.weight
        scripts += draws.others
    return found


class Enumerated(Draws):
    """Draws that follow a script of branches, then always the first; the branches not taken are in `others`."""

    def __init__(self, script: list[int]) -> None:
        super().__init__(0)
        self.weight: Share = 1
        self.others: list[list[int]] = []
        self._script, self._at = script, 0
        self._raced: dict[int, tuple[torch.Tensor, int]] = {}

    def uniforms(self, n: int) -> list[float]:
        return [Uniform(self) for _ in range(n)]

    def sample(self, probs: Any) -> int:
        return self._branch(enumerate(probs.tolist()))

    def race(self, probs: torch.Tensor, position: int) -> int:
        """The second race at a position meets the same noise as the first, so it is drawn given that one's winner."""
        if position not in self._raced:
            winner = self.sample(probs)
            self._raced[position] = (probs, winner)
            return winner
        first, winner = self._raced.pop(position)
        joint = race_joint(first.double().numpy(), probs.double().numpy())[winner]
        return self.sample(joint / joint.sum())

    def below(self, share: Share) -> bool:
        """Whether a uniform number falls below `share`: both, each with its probability."""
        share = share if isinstance(share, Fraction) else float(share)
        share = min(max(share, 0), 1)
        return self._branch([(1, share), (0, 1 - share)]) == 1

    def _branch(self, options: Iterable[tuple[int, Share]]) -> int:
        possible = [(value, share) for value, share in options if share > 0]
        if len(possible) == 1:
            return possible[0][0]
        taken, at = self._script[: self._at], self._at
        self._at += 1
        if at == len(self._script):
            self.others += [[*taken, i] for i in range(1, len(possible))]
            self._script = [*self._script, 0]
        value, share = possible[self._script[at]]
        self.weight = self.weight * share
        return value


class Uniform(float):
    """A number u ~ U[0, 1) that is decided only by what it is compared with: u < h, or u · q < p."""

    def __new__(cls, draws: Enumerated, scale: Share = 1) -> Uniform:
        return super().__new__(cls, np.nan)

    def __init__(self, draws: Enumerated, scale: Share = 1) -> None:
        self._draws, self._scale = draws, scale

    def __mul__(self, scale: Share) -> Uniform:
        return Uniform(self._draws, self._scale * scale)

    def __lt__(self, other: Share) -> bool:
        return self._draws.below(other / self._scale)
