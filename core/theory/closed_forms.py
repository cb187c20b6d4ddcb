"""What a round is worth, if every guess is kept with the same chance α, independently of the others.

Source: Leviathan, Kalman & Matias, "Fast Inference from Transformers via Speculative Decoding",
ICML 2023, arXiv 2211.17192. The assumptions are theirs: shapes, not promises.

α is the acceptance rate, γ the draft length, c one draft step in units of one target pass over a
single position, and `verify` one verification pass over γ + 1 positions in the same units (the
paper's own formula takes it to be 1). All functions take numbers or arrays and broadcast.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

LONGEST = 64
"""Draft lengths that `best_gamma` looks through."""
HALVINGS = 60

Result = NDArray[np.float64]


def expected_tokens(alpha: ArrayLike, gamma: ArrayLike) -> Result:
    """E[tokens a round] = (1 − α^(γ+1)) / (1 − α), and γ + 1 at α = 1."""
    a, g = np.asarray(alpha, float), np.asarray(gamma, float)
    # log1p and expm1 keep the digits that 1 − α^(γ+1) loses near α = 1.
    with np.errstate(divide="ignore", invalid="ignore"):
        tokens = -np.expm1((g + 1) * np.log1p(a - 1)) / (1 - a)
    return np.where(a == 1, g + 1, tokens)[()]


def speedup(alpha: ArrayLike, gamma: ArrayLike, c: ArrayLike, verify: ArrayLike = 1.0) -> Result:
    """Time of standard decoding over time of draft-and-verify: E[tokens] / (γc + verify)."""
    return expected_tokens(alpha, gamma) / (np.asarray(gamma, float) * np.asarray(c, float) + np.asarray(verify, float))


def operations_factor(alpha: ArrayLike, gamma: ArrayLike, operations: ArrayLike = 0.0) -> Result:
    """Arithmetic operations over those of standard decoding; `operations` is the draft's share per token (ĉ)."""
    g = np.asarray(gamma, float)
    return (g * np.asarray(operations, float) + g + 1) / expected_tokens(alpha, gamma)


def best_gamma(alpha: ArrayLike, c: ArrayLike) -> NDArray[np.int64]:
    """The draft length with the highest speed-up, up to `LONGEST`; 0 where not drafting is fastest."""
    a, cost = np.broadcast_arrays(np.asarray(alpha, float), np.asarray(c, float))
    return np.argmax(speedup(a[..., None], np.arange(LONGEST + 1), cost[..., None]), axis=-1)


def breakeven_alpha(gamma: ArrayLike, c: ArrayLike, verify: ArrayLike = 1.0) -> Result:
    """The α at which draft-and-verify takes exactly as long as standard decoding; NaN where none is high enough."""
    g, cost, check = np.broadcast_arrays(*(np.asarray(x, float) for x in (gamma, c, verify)))
    needed = g * cost + check
    low, high = np.zeros(g.shape), np.ones(g.shape)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        enough = expected_tokens(middle, g) >= needed
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.where(needed > g + 1, np.nan, high)[()]
