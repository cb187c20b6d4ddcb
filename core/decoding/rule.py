"""The rule: which guesses stay, and what is written after a miss.

These are the functions that every run goes through. `text` is the list of token ids so far; `propose` runs the
drafter and returns guesses with the distributions q they were drawn from; `verify` runs the target once and
returns the γ + 1 distributions p, [γ + 1, V].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

from core.decoding.sampling import Draws

Propose = Callable[[list[int], int], tuple[list[int], Sequence[torch.Tensor]]]
Verify = Callable[[list[int], list[int]], torch.Tensor]


def residual(p: torch.Tensor, q: torch.Tensor) -> torch.Tensor:
    """norm(max(0, p − q)): what the target wants more of than the draft offers. Shapes [V].

    Where p = q there is nothing left over; a miss is then impossible in exact arithmetic, and rounding falls
    back to p. Source: Leviathan, Kalman & Matias 2023, arXiv 2211.17192, section 2.3.
    """
    excess = (p - q).clamp(min=0)
    total = excess.sum()
    return excess / total if total > 0 else p


def rejection_round(
    text: list[int], gamma: int, propose: Propose, verify: Verify, draws: Draws
) -> tuple[list[int], int, list[float]]:
    """One round by rejection sampling: the guesses kept, the token added after them, the uniforms drawn.

    Source: Leviathan, Kalman & Matias 2023, algorithm 1. The test is strict, so that p = 0 is never kept.
    """
    guesses, q = propose(text, gamma)
    p = verify(text, guesses)
    u = draws.uniforms(len(guesses))
    for i, x in enumerate(guesses):
        if not u[i] * q[i][x] < p[i][x]:
            correction = draws.sample(residual(p[i], q[i]))
            return guesses[:i], correction, u
    bonus = draws.sample(p[len(guesses)])
    return guesses, bonus, u


def coupled_round(
    text: list[int], gamma: int, propose: Propose, verify: Verify, draws: Draws
) -> tuple[list[int], int, list[float]]:
    """One round in which draft and target draw with the same noise, and a guess stays if both drew it.

    What is written is always the target's own draw, so the text is that of standard decoding with the same
    seed, whatever the draft. Source: Daliri, Musco & Suresh 2024, arXiv 2408.07978.
    """
    guesses, _ = propose(text, gamma)
    p = verify(text, guesses)
    for i, x in enumerate(guesses):
        own = draws.race(p[i], len(text) + i)
        if own != x:
            return guesses[:i], own, []
    bonus = draws.race(p[len(guesses)], len(text) + len(guesses))
    return guesses, bonus, []


ROUNDS = {"rejection": rejection_round, "coupled": coupled_round}
