"""What a round is worth, if every guess is kept with the same chance α, independently of the others.

Source: Leviathan, Kalman & Matias, "Fast Inference from Transformers via Speculative Decoding",
ICML 2023, arXiv 2211.17192. The assumptions are theirs: shapes, not promises.

α is the acceptance rate, γ the draft length, c one draft step in units of one target pass over a
single position, and `verify` one verification pass over γ + 1 positions in the same units. The
paper's own formula takes it to be 1; it may be any number, or a curve as `pass_cost` makes one from
measured times. All functions take numbers or arrays and broadcast.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

LONGEST = 64
"""Draft lengths that `best_gamma` looks through, unless told otherwise."""
HALVINGS = 60

Result = NDArray[np.float64]
Curve = Callable[[Result], Result]
"""Cost of a target pass over so many positions, in passes over one."""
Verify = ArrayLike | Curve


def expected_tokens(alpha: ArrayLike, gamma: ArrayLike) -> Result:
    """E[tokens a round] = (1 − α^(γ+1)) / (1 − α), and γ + 1 at α = 1."""
    a, g = np.asarray(alpha, float), np.asarray(gamma, float)
    # log1p and expm1 keep the digits that 1 − α^(γ+1) loses near α = 1.
    with np.errstate(divide="ignore", invalid="ignore"):
        tokens = -np.expm1((g + 1) * np.log1p(a - 1)) / (1 - a)
    return np.where(a == 1, g + 1, tokens)[()]


def pass_cost(n: ArrayLike, seconds: ArrayLike) -> Curve:
    """A curve from measured times of a pass over n positions, n rising from 1: straight between and beyond them.

    Raises:
        ValueError: when the measured lengths do not rise from 1.
    """
    lengths, times = np.asarray(n, float), np.asarray(seconds, float)
    if lengths.shape != times.shape or lengths.size < 2 or lengths[0] != 1 or np.any(np.diff(lengths) <= 0):
        raise ValueError("A curve needs at least two lengths that rise from 1, each with its time.")
    costs = times / times[0]
    slope = (costs[-1] - costs[-2]) / (lengths[-1] - lengths[-2])

    def cost(positions: Result) -> Result:
        beyond = np.maximum(0.0, np.asarray(positions, float) - lengths[-1])
        # A pass over more positions is never cheaper, whatever the noise of the last two says.
        return np.interp(positions, lengths, costs) + max(0.0, slope) * beyond

    return cost


def round_cost(gamma: ArrayLike, c: ArrayLike, verify: Verify = 1.0) -> Result:
    """Time of a round in target passes: γ draft steps and one verification pass, γc + verify."""
    g = np.asarray(gamma, float)
    check = verify(g + 1) if callable(verify) else np.asarray(verify, float)
    return (g * np.asarray(c, float) + check)[()]


def speedup(alpha: ArrayLike, gamma: ArrayLike, c: ArrayLike, verify: Verify = 1.0) -> Result:
    """Time of standard decoding over time of draft-and-verify: E[tokens] / (γc + verify)."""
    return expected_tokens(alpha, gamma) / round_cost(gamma, c, verify)


def operations_factor(alpha: ArrayLike, gamma: ArrayLike, operations: ArrayLike = 0.0) -> Result:
    """Arithmetic operations over those of standard decoding; `operations` is the draft's share per token (ĉ)."""
    g = np.asarray(gamma, float)
    return (g * np.asarray(operations, float) + g + 1) / expected_tokens(alpha, gamma)


def best_gamma(alpha: ArrayLike, c: ArrayLike, verify: Verify = 1.0, longest: int = LONGEST) -> NDArray[np.int64]:
    """The draft length with the highest speed-up, up to `longest`; 0 where not drafting is fastest."""
    check = verify if callable(verify) else np.asarray(verify, float)[..., None]
    a, cost = np.asarray(alpha, float)[..., None], np.asarray(c, float)[..., None]
    gains = speedup(a, np.arange(1, longest + 1), cost, check)
    # Not to draft is standard decoding, whatever a verification pass would cost. Rounding alone is no gain.
    return np.where(gains.max(axis=-1) > 1 + 1e-12, gains.argmax(axis=-1) + 1, 0)[()]


def breakeven_alpha(gamma: ArrayLike, c: ArrayLike, verify: Verify = 1.0) -> Result:
    """The α at which draft-and-verify takes exactly as long as standard decoding; NaN where none is high enough.

    E[tokens] = γc + verify has no closed solution for γ > 1, but E[tokens] rises with α: bisection finds it for
    whole arrays at once, to the last digits.
    """
    needed = round_cost(gamma, c, verify)
    g, needed = np.broadcast_arrays(np.asarray(gamma, float), needed)
    low, high = np.zeros(g.shape), np.ones(g.shape)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        enough = expected_tokens(middle, g) >= needed
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.where(needed > g + 1, np.nan, high)[()]
