"""Other rules that are exact: several candidates for one position, and whole blocks verified at once.

Written over plain arrays, to be walked through by `core.measure.enumeration`; with Fractions in p and q the figures
are exact to the last digit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from core.measure.enumeration import Enumerated, Share, outcomes
from core.measure.exactness import Array, residual


class Candidates(NamedTuple):
    """One position under recursive rejection: how often a candidate is kept, and what is written, [V]."""

    acceptance: Share
    output: Array


class Blocks(NamedTuple):
    """Mean accepted guesses a round, and the probability of each text of γ + 1 tokens."""

    accepted: Share
    texts: dict[tuple[int, ...], Share]


def recursive_rejection(p: Array, q: Array, k: int, replace: bool, draws: Enumerated) -> tuple[int, bool]:
    """The token written at one position, and whether it was one of up to k candidates drawn from q. Shapes [V].

    Each candidate is tested against what is left of p: norm(max(0, p − q)) after each miss. With `replace` all
    are drawn from q; without, a missed one is taken out of q before the next is drawn, so none comes twice.
    Sources: Miao et al. 2023, arXiv 2305.09781; Jeon et al. 2024, arXiv 2402.14160.
    """
    for _ in range(k):
        x = draws.sample(q)
        if draws.uniforms(1)[0] * q[x] < p[x]:
            return x, True
        p = residual(p, q)
        if not replace:
            q = _without(q, x)
            if q.sum() == 0:
                break
    return draws.sample(p), False


def block_verification(p: Array, q: Array, guesses: list[int], draws: Enumerated) -> tuple[int, int]:
    """(accepted guesses, the token after them) for γ guesses looked at as a block; p is [γ + 1, V], q [γ, V].

    Every prefix has its chance, also behind one that failed: the longest that passes is kept.
    Source: Sun et al. 2024, "Block verification accelerates speculative decoding", arXiv 2403.10444, algorithm 2.
    """
    gamma, accepted = len(guesses), 0
    share, kept_share = 1 + 0 * p[0][0], 1 + 0 * p[0][0]
    for i, u in enumerate(draws.uniforms(gamma)):
        x = guesses[i]
        share = min(share * p[i][x] / q[i][x], 1)
        chance = share
        if i + 1 < gamma:
            excess = np.maximum(share * p[i + 1] - q[i + 1], 0).sum()
            chance = excess / (excess + 1 - share) if excess else 0 * share
        if u < chance:
            accepted, kept_share = i + 1, share
    if accepted == gamma:
        return gamma, draws.sample(p[gamma])
    return accepted, draws.sample(residual(kept_share * p[accepted], q[accepted]))


def token_verification(p: Array, q: Array, guesses: list[int], draws: Enumerated) -> tuple[int, int]:
    """The usual rule over the same arrays, to compare with: left to right, up to the first miss."""
    for i, u in enumerate(draws.uniforms(len(guesses))):
        if not u * q[i][guesses[i]] < p[i][guesses[i]]:
            return i, draws.sample(residual(p[i], q[i]))
    return len(guesses), draws.sample(p[len(guesses)])


def candidates(p: Array, q: Array, k: int, replace: bool) -> Candidates:
    """Recursive rejection by enumeration."""
    found = outcomes(lambda draws: recursive_rejection(p, q, k, replace, draws))
    output = np.array([found.get((x, True), 0) + found.get((x, False), 0) for x in range(len(p))])
    return Candidates(sum(share for (_, kept), share in found.items() if kept), output)


def blocks(p: Array, q: Array, gamma: int, block: bool) -> Blocks:
    """Block verification, or token by token, by enumeration, where p and q [V] are the same at every position.

    The texts are those of γ + 1 tokens; what a round leaves open is filled up from p, as later rounds would.
    """
    verify = block_verification if block else token_verification
    ps, qs = np.array([p] * (gamma + 1)), np.array([q] * gamma)

    def run(draws: Enumerated) -> tuple[tuple[int, ...], int]:
        guesses = [draws.sample(q) for _ in range(gamma)]
        accepted, token = verify(ps, qs, guesses, draws)
        rest = [draws.sample(p) for _ in range(gamma - accepted)]
        return (*guesses[:accepted], token, *rest), accepted

    found = outcomes(run)
    texts: dict[tuple[int, ...], Share] = {}
    for (text, _), share in found.items():
        texts[text] = texts.get(text, 0) + share
    return Blocks(sum(accepted * share for (_, accepted), share in found.items()), texts)


def _without(q: Array, x: int) -> Array:
    rest = q.copy()
    rest[x] = 0
    return rest / rest.sum() if rest.sum() else rest
