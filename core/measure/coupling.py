"""Coupled draws on paper: what two exponential races with the same noise have in common.

Source: Daliri, Musco & Suresh 2024, "Coupling without communication and drafter-invariant speculative decoding",
arXiv 2408.07978. The closed forms follow from integrating over the noise.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def race_joint(q: Floats, p: Floats) -> Floats:
    """P(x wins the race of q and y wins that of p), [x, y], where both races use the same noise. Shapes [V].

    With E ~ Exp(1) for each token, x = argmin E/q and y = argmin E/p. Both choose x with probability
    1 / Σ max(q_i/q_x, p_i/p_x). For x ≠ y it is q_x p_y ∫ dr / C(r)² from q_y/p_y to q_x/p_x, C(r) = Σ max(q_i, p_i r).
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(p > 0, q / p, np.inf)
        # A token that neither race can choose has no ratio; any will do.
        ratio[(p == 0) & (q == 0)] = 0
    joint = np.outer(q, p) * np.maximum(_area(ratio, q, p)[:, None] - _area(ratio, q, p)[None, :], 0)
    for x in np.flatnonzero((p > 0) & (q > 0)):
        joint[x, x] = 1 / np.maximum(q / q[x], p / p[x]).sum()
    return joint


def coupled_acceptance(p: Floats, q: Floats) -> float:
    """How often a guess from q is kept by coupled draws: Σ_x 1 / Σ_i max(p_i/p_x, q_i/q_x)."""
    return float(np.trace(race_joint(q, p)))


def coupled_bound(distance: float | Floats) -> float | Floats:
    """The least acceptance of coupled draws at a total variation: (1 − TV)/(1 + TV)."""
    return (1 - distance) / (1 + distance)


def _area(ratio: Floats, q: Floats, p: Floats) -> Floats:
    """∫ dr / C(r)² from 0 to each ratio, [V]; C is linear between two ratios."""
    corners = np.unique(np.concatenate([[0.0], ratio[np.isfinite(ratio)]]))
    heights = np.maximum(q[:, None], p[:, None] * corners).sum(0)
    steps = np.diff(corners) / (heights[1:] * heights[:-1])
    areas = np.concatenate([[0.0], steps.cumsum()])
    # Behind the last corner C rises by Σ p = 1.
    return np.where(np.isfinite(ratio), np.interp(ratio, corners, areas), areas[-1] + 1 / (heights[-1] * p.sum()))
