"""The rule: which guesses stay, and what is written after a miss.

These are the functions that every run goes through. `text` is the list of token ids so far; `propose` runs the
drafter and returns guesses with the distributions q they were drawn from; `verify` runs the target once and
returns the γ + 1 distributions p, [γ + 1, V].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

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

TreePropose = Callable[[list[int], int], tuple[list[int], Sequence[torch.Tensor], list[int | None]]]
TreeVerify = Callable[[list[int], list[int], list[int | None]], torch.Tensor]


class Examined(NamedTuple):
    """A candidate that the rule looked at: its place in the tree, the uniform drawn (None where none was), what was
    left of p [V] when its turn came, and whether it stays."""

    guess: int
    u: float | None
    p: torch.Tensor
    accepted: bool


def tree_round(
    text: list[int], gamma: int, propose: TreePropose, verify: TreeVerify, draws: Draws
) -> tuple[list[Examined], int]:
    """One round over a tree of guesses: the candidates examined, in order, and the token added behind those kept.

    At each place the candidates have their turns: the first is tested against p, and after each miss the next one
    against the residual that it left. The walk goes on behind the one that stays; where none does, or none was
    there, a token is drawn from what is left of p. `verify` returns p [n + 1, V]: behind the text and each guess.
    Source: recursive rejection sampling, Miao et al. 2023, arXiv 2305.09781; Jeon et al. 2024, arXiv 2402.14160.
    """
    guesses, q, parents = propose(text, gamma)
    p = verify(text, guesses, parents)
    examined: list[Examined] = []
    at: int | None = None
    while True:
        left = p[0 if at is None else at + 1]
        for i in _children(parents, at):
            u, x = draws.uniforms(1)[0], guesses[i]
            kept = bool(u * q[i][x] < left[x])
            examined.append(Examined(i, u, left, kept))
            if kept:
                at = i
                break
            left = residual(left, q[i])
        else:
            return examined, draws.sample(left)


def coupled_tree_round(
    text: list[int], gamma: int, propose: TreePropose, verify: TreeVerify, draws: Draws
) -> tuple[list[Examined], int]:
    """As `tree_round`, with shared noise: the target draws its own token, and the walk goes on if a candidate is it."""
    guesses, _, parents = propose(text, gamma)
    p = verify(text, guesses, parents)
    examined: list[Examined] = []
    at, depth = None, 0
    while True:
        own_p = p[0 if at is None else at + 1]
        own = draws.race(own_p, len(text) + depth)
        for i in _children(parents, at):
            examined.append(Examined(i, None, own_p, guesses[i] == own))
            if guesses[i] == own:
                at, depth = i, depth + 1
                break
        else:
            return examined, own


def _children(parents: list[int | None], at: int | None) -> list[int]:
    return [i for i, parent in enumerate(parents) if parent == at]


TREE_ROUNDS = {"rejection": tree_round, "coupled": coupled_tree_round}
