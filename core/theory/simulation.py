"""Rounds played with dice: the closed forms' own assumptions, or acceptances measured at each position.

A round's number of kept guesses is a geometric draw cut off at γ. It is drawn by holding one uniform
against the survival curve, so that the same few lines serve one α and a curve that no single α explains.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.theory.closed_forms import Verify, round_cost

LEVEL = 0.95
"""Of a hundred intervals, about so many hold the true value, in hundredths."""
MOST_ROUNDS = 10_000_000


@dataclass(frozen=True, eq=False)
class Simulation:
    """What the rounds gave. Times are in target passes over one position.

    Attributes:
        accepted: guesses kept in each round, [rounds].
        tokens: tokens written in all rounds: those kept and one more a round.
        time: what all rounds took.
        low, high: the confidence interval of `speedup` at `level`.
    """

    accepted: NDArray[np.int64]
    tokens: int
    time: float
    low: float
    high: float
    level: float

    @property
    def rounds(self) -> int:
        return int(self.accepted.size)

    @property
    def speedup(self) -> float:
        """Tokens over time: standard decoding takes one target pass a token."""
        return self.tokens / self.time


def survival_curve(alpha: ArrayLike, gamma: int) -> NDArray[np.float64]:
    """P(the first i guesses are kept) for i = 1…γ, from one α or γ of them (each given that those before were kept).

    Raises:
        ValueError: for another number of acceptances, or one outside 0 to 1.
    """
    each = np.asarray(alpha, float)
    if each.ndim and each.shape != (gamma,):
        raise ValueError(f"γ = {gamma} needs one acceptance or {gamma}, not {each.size}.")
    if not np.all((each >= 0) & (each <= 1)):
        raise ValueError("An acceptance lies between 0 and 1.")
    return np.cumprod(np.broadcast_to(each, (gamma,)))


def acceptances(survival: ArrayLike) -> NDArray[np.float64]:
    """The chance of each position given that all before were kept, from a survival curve; 0 where none got so far."""
    curve = np.asarray(survival, float)
    before = np.concatenate([[1.0], curve[:-1]])
    return np.divide(curve, before, out=np.zeros_like(curve), where=before > 0)


def draw_accepted(survival: NDArray[np.float64], rounds: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Guesses kept in each of so many rounds, [rounds]."""
    uniforms = rng.random(rounds)
    kept = np.zeros(rounds, np.int16)
    # A round keeps at least i guesses if its uniform lies below the curve at i. (A search in the curve is slower.)
    for share in survival:
        kept += uniforms < share
    return kept.astype(np.int64)


def simulate(
    alpha: ArrayLike, gamma: int, c: float, rounds: int, seed: int, verify: Verify = 1.0, level: float = LEVEL
) -> Simulation:
    """Play rounds of draft-and-verify.

    Args:
        alpha: the chance of each guess to be kept: one for all, or γ of them by position, as `acceptances` gives
            them for a measured survival curve.
        gamma: draft length γ, at least 1.
        c: one draft step, in target passes.
        rounds: how many, 1 to `MOST_ROUNDS`.
        seed: of all draws; the same seed gives the same result.
        verify: cost of the verification pass, a number or a curve (`core.theory.closed_forms.pass_cost`).
        level: of the confidence interval.

    Raises:
        ValueError: for figures that make no sense.
    """
    if gamma < 1 or not 1 <= rounds <= MOST_ROUNDS:
        raise ValueError(f"There must be at least one guess a round, and 1 to {MOST_ROUNDS} rounds.")
    accepted = draw_accepted(survival_curve(alpha, gamma), rounds, np.random.default_rng(seed))
    cost = float(round_cost(gamma, c, verify))
    low, high = ratio_interval(accepted + 1, cost, level)
    return Simulation(accepted, int(accepted.sum()) + rounds, rounds * cost, low, high, level)


def ratio_interval(tokens: NDArray[np.int64], times: ArrayLike, level: float = LEVEL) -> tuple[float, float]:
    """A confidence interval of Σ tokens / Σ times by the delta method; `times` is one number or one a round.

    The ratio's error is that of the mean of tokens − ratio · time, over the mean time. Normal for many rounds; where
    all rounds came out alike it has no width, and says nothing of rarer ones.
    """
    n, each = tokens.size, np.asarray(times, float)
    mean_time = float(each.mean())
    ratio = float(np.mean(tokens)) / mean_time
    if n < 2:
        return -np.inf, np.inf
    error = float(np.std(tokens - ratio * each, ddof=1)) / (mean_time * n**0.5)
    reach = NormalDist().inv_cdf((1 + level) / 2) * error
    return ratio - reach, ratio + reach


def survival_band(
    alpha: float, gamma: int, rounds: int, seed: int, level: float = LEVEL, repeats: int = 1000
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Where the survival curve of so few rounds lies if every guess held with the same α: lower and upper edge, [γ].

    At each position `level` of the repeats lie between.
    """
    kept = draw_accepted(survival_curve(alpha, gamma), repeats * rounds, np.random.default_rng(seed))
    curves = (kept.reshape(repeats, rounds, 1) > np.arange(gamma)).mean(axis=1)
    low, high = np.quantile(curves, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return low, high
