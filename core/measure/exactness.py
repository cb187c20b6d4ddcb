"""Is the output the target's own? Exact distributions of one position, and the tests for counted ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy.special import chdtrc

Array = npt.NDArray[Any]
"""Probabilities or counts of a finite set, [V]: float64, or Fractions (dtype object) where a figure must be exact."""

Replacement = Literal["residual", "target", "argmax", "keep"]
"""What is written after a miss: a draw from the residual (right), a draw from p, the argmax of p, the draft anyway."""

LEVEL = 0.99
"""Share of right runs that fall inside a noise band."""
LEAST_EXPECTED = 5.0
"""Cells in which fewer draws than this are expected are counted together: χ²'s law is not to be trusted there."""
_RERUNS = 4000


@dataclass(frozen=True)
class Band:
    """Where the total variation of n draws from the right distribution falls, `level` of the time. `middle`: median."""

    low: float
    middle: float
    high: float
    level: float


@dataclass(frozen=True)
class ChiSquare:
    """Pearson's test. `cells` after pooling; with a single cell there is nothing to test and the p-value is 1."""

    statistic: float
    cells: int
    p_value: float


def residual(p: Array, q: Array) -> Array:
    """norm(max(0, p − q)), or p where nothing is left over. Leviathan, Kalman & Matias 2023, arXiv 2211.17192."""
    excess = np.maximum(p - q, 0)
    total = excess.sum()
    return excess / total if total > 0 else p


def output_distribution(p: Array, q: Array, replacement: Replacement = "residual") -> Array:
    """What one position writes: a guess drawn from q, kept with min(1, p/q), else replaced. [V]; exact, no sampling.

    With Fractions in p and q the result holds Fractions.
    """
    kept = np.minimum(p, q)
    missed = 1 - kept.sum()
    if replacement == "keep":
        return q
    if replacement == "argmax":
        instead = np.zeros_like(p)
        instead[int(np.argmax(p))] = 1
    else:
        instead = residual(p, q) if replacement == "residual" else p
    return kept + missed * instead


def tv(a: Array, b: Array) -> float:
    """Total variation distance ½ Σ |a − b|, 0 to 1: the most by which the two differ on any question."""
    return float(abs(a - b).sum()) / 2


def tv_band(p: Array, n: int, level: float = LEVEL, seed: int = 0) -> Band:
    """The band that sampling noise alone gives to the total variation between n draws from p [V] and p itself.

    Found by drawing n from p again and again (4,000 times), so it holds for small n too.
    """
    right = np.asarray(p, dtype=np.float64)
    right = right[right > 0] / right.sum()
    counts = np.random.default_rng(seed).multinomial(n, right, size=_RERUNS)
    distances = np.abs(counts / n - right).sum(1) / 2
    tail = (1 - level) / 2
    low, middle, high = np.quantile(distances, [tail, 0.5, 1 - tail]).tolist()
    return Band(low, middle, high, level)


def chi_square(counts: Array, p: Array) -> ChiSquare:
    """Pearson's χ² of counts [V] against p [V], small cells pooled.

    The p-value means what it says only where the number of draws was fixed before the first one. A draw where p is 0
    settles the matter: its p-value is 0.
    """
    right, counts = np.asarray(p, dtype=np.float64), np.asarray(counts)
    n, possible = int(counts.sum()), right > 0
    groups = pool(right[possible], n)
    expected = n * np.bincount(groups, right[possible]) / right.sum()
    if counts[~possible].any():
        return ChiSquare(np.inf, len(expected) + 1, 0.0)
    if len(expected) < 2:
        return ChiSquare(0.0, 1, 1.0)
    statistic = float(((np.bincount(groups, counts[possible]) - expected) ** 2 / expected).sum())
    return ChiSquare(statistic, len(expected), float(chdtrc(len(expected) - 1, statistic)))


def pool(p: Array, n: int) -> npt.NDArray[np.intp]:
    """For each cell of p [V] the number of the cell that it is counted in, when n draws are planned: small ones share.

    It depends on p and n alone, never on what was counted.
    """
    expected = n * np.asarray(p, dtype=np.float64)
    order = np.argsort(expected, kind="stable")
    ranked = expected[order]
    # The smallest go together: all that are too small alone, and more where these are too small even together.
    small = int((ranked < LEAST_EXPECTED).sum())
    enough = int(np.searchsorted(ranked.cumsum(), LEAST_EXPECTED)) + 1
    together = max(small, enough) if small else 0
    groups = np.empty(len(expected), dtype=np.intp)
    groups[order] = np.maximum(np.arange(len(expected)) - together + 1, 0) if together else np.arange(len(expected))
    return groups
