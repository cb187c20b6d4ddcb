"""Altered rules, to be held against the real one. None of this is ever used to write a text.

The rule itself is `core.decoding.rule.rejection_round`. Each switch here changes one thing: the round, what the draft
proposes, or what the target answers. `core.measure.switches` says in words what each is; `BUILDS` has them by name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import cast

import torch

from core.decoding.rule import Propose, Verify, coupled_round, rejection_round
from core.decoding.sampling import Draws
from core.measure.world import World

Round = Callable[[list[int], int, Propose, Verify, Draws], tuple[list[int], int, list[float]]]
Distribution = Callable[[Sequence[int]], torch.Tensor]
"""From a text to p or q, [V]."""

UNSURE = 0.5
"""A drafted token below this probability is dropped by the switch of that name."""
TYPICAL_FLOOR, TYPICAL_SHARE = 0.09, 0.3
"""Medusa's ε and δ as its authors set them: keep x where p(x) > min(ε, δ e^−H(p)). Cai et al., arXiv 2401.10774."""
OTHER_HEAT = 0.5
"""The other temperature of the draft, in units of the request's."""


@dataclass(frozen=True)
class Parts:
    """What one run decodes with."""

    round: Round
    propose: Propose
    verify: Verify


class Rows:
    """The rows p_1 … p_γ+1 of a verification pass, each worked out when it is looked at.

    Most are never looked at: what stands behind a miss would cost passes for nothing here.
    """

    def __init__(self, p: Distribution, text: Sequence[int], guesses: Sequence[int]) -> None:
        self._p, self._text, self._guesses = p, text, guesses

    def __getitem__(self, i: int) -> torch.Tensor:
        return self._p([*self._text, *self._guesses[:i]])


def drafting(q: Distribution, draw: Callable[[torch.Tensor, int], int]) -> Propose:
    """Guesses drawn one after another, `draw(q, position)`, with the q they were drawn from."""

    def propose(text: list[int], gamma: int) -> tuple[list[int], list[torch.Tensor]]:
        guesses: list[int] = []
        drawn_from: list[torch.Tensor] = []
        for _ in range(gamma):
            drawn_from.append(q([*text, *guesses]))
            guesses.append(draw(drawn_from[-1], len(text) + len(guesses)))
        return guesses, drawn_from

    return propose


def reading(p: Distribution) -> Verify:
    """The target's answers at the γ + 1 positions."""
    return lambda text, guesses: cast(torch.Tensor, Rows(p, text, guesses))


def sampled(draws: Draws) -> Callable[[torch.Tensor, int], int]:
    """The usual draw, whatever the position."""
    return lambda probs, _: draws.sample(probs)


def shipped(world: World, draws: Draws) -> Parts:
    """The real rule."""
    return Parts(rejection_round, drafting(world.q, sampled(draws)), reading(world.p))


def with_round(changed: Round, world: World, draws: Draws) -> Parts:
    """The usual draft and target, and another round."""
    real = shipped(world, draws)
    return Parts(changed, real.propose, real.verify)


# Changes the text


def argmax_draft(world: World, draws: Draws) -> Parts:
    """The draft writes its first choice, and q still claims that it was drawn."""
    return Parts(rejection_round, drafting(world.q, lambda q, _: int(q.argmax())), reading(world.p))


def unwarped_q(world: World, draws: Draws) -> Parts:
    """Drawn from the warped q, scored with the raw one."""
    real = shipped(world, draws)

    def propose(text: list[int], gamma: int) -> tuple[list[int], list[torch.Tensor]]:
        guesses, _ = real.propose(text, gamma)
        return guesses, [world.raw_q([*text, *guesses[:i]]) for i in range(len(guesses))]

    return Parts(rejection_round, propose, real.verify)


def unwarped_p(world: World, draws: Draws) -> Parts:
    """The target's temperature and cut-off are left out."""
    return Parts(rejection_round, drafting(world.q, sampled(draws)), reading(world.raw_p))


def replacing_round(
    replacement: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
    text: list[int],
    gamma: int,
    propose: Propose,
    verify: Verify,
    draws: Draws,
) -> tuple[list[int], int, list[float]]:
    """The real round, but for what a miss is replaced from: `replacement(p, q)`."""
    guesses, q = propose(text, gamma)
    p = verify(text, guesses)
    u = draws.uniforms(len(guesses))
    for i, x in enumerate(guesses):
        if not u[i] * q[i][x] < p[i][x]:
            return guesses[:i], draws.sample(replacement(p[i], q[i])), u
    return guesses, draws.sample(p[len(guesses)]), u


def softmax_residual(p: torch.Tensor, q: torch.Tensor) -> torch.Tensor:
    """max(0, p − q) put through a softmax, as if it were logits."""
    return (p - q).clamp(min=0).softmax(0)


def stale_target(world: World, draws: Draws) -> Parts:
    """What was fed to the target stays in its cache, rejected guesses too."""
    read: list[int] = []

    def verify(text: list[int], guesses: list[int]) -> torch.Tensor:
        read.extend(text[-1:])
        rows = Rows(world.p, tuple(read), guesses)
        read.extend(guesses)
        return cast(torch.Tensor, rows)

    return Parts(rejection_round, drafting(world.q, sampled(draws)), verify)


def drop_unsure(world: World, draws: Draws) -> Parts:
    """The draft stops at a token that it gave little probability, and takes that token back."""
    real = shipped(world, draws)

    def propose(text: list[int], gamma: int) -> tuple[list[int], Sequence[torch.Tensor]]:
        guesses, q = real.propose(text, gamma)
        unsure = next((i for i, x in enumerate(guesses) if q[i][x] < UNSURE), len(guesses))
        return guesses[:unsure], q[:unsure]

    return Parts(rejection_round, propose, real.verify)


def typical(p: torch.Tensor, x: int) -> bool:
    """Medusa's typical acceptance: x is kept where the target finds it plausible enough, whatever q was."""
    entropy = -torch.xlogy(p, p).sum()
    return bool(p[x] > min(TYPICAL_FLOOR, TYPICAL_SHARE * float((-entropy).exp())))


def typical_round(
    text: list[int], gamma: int, propose: Propose, verify: Verify, draws: Draws
) -> tuple[list[int], int, list[float]]:
    """Keep what is typical; after the first that is not, draw from p."""
    guesses, _ = propose(text, gamma)
    p = verify(text, guesses)
    for i, x in enumerate(guesses):
        if not typical(p[i], x):
            return guesses[:i], draws.sample(p[i]), []
    return guesses, draws.sample(p[len(guesses)]), []


# Exact, only slower


def no_bonus_round(
    text: list[int], gamma: int, propose: Propose, verify: Verify, draws: Draws
) -> tuple[list[int], int, list[float]]:
    """The real round, whose bonus token is thrown away."""
    kept, token, u = rejection_round(text, gamma, propose, verify, draws)
    all_kept = bool(kept) and len(kept) == len(u)
    return (kept[:-1], kept[-1], u) if all_kept else (kept, token, u)


def stale_draft(world: World, draws: Draws) -> Parts:
    """What was fed to the draft stays in its cache, rejected guesses too."""
    read: list[int] = []
    draw = drafting(world.q, sampled(draws))

    def propose(text: list[int], gamma: int) -> tuple[list[int], Sequence[torch.Tensor]]:
        read.extend(text[-1:])
        guesses, q = draw(read, gamma)
        read.extend(guesses)
        return guesses, q

    return Parts(rejection_round, propose, reading(world.p))


def other_temperature(world: World, draws: Draws) -> Parts:
    """The draft draws at a temperature of its own, and q says so."""
    return Parts(rejection_round, drafting(lambda text: world.q(text, OTHER_HEAT), sampled(draws)), reading(world.p))


def equal_round(
    text: list[int], gamma: int, propose: Propose, verify: Verify, draws: Draws
) -> tuple[list[int], int, list[float]]:
    """The target draws for itself at each position; a guess is kept where it is the very same token."""
    guesses, _ = propose(text, gamma)
    p = verify(text, guesses)
    for i, x in enumerate(guesses):
        own = draws.sample(p[i])
        if own != x:
            return guesses[:i], own, []
    return guesses, draws.sample(p[len(guesses)]), []


def coupled(world: World, draws: Draws) -> Parts:
    """Draft and target draw with the same noise."""
    return Parts(coupled_round, drafting(world.q, draws.race), reading(world.p))


Build = Callable[[World, Draws], Parts]
BUILDS: dict[str, Build] = {
    "shipped": shipped,
    "argmax": argmax_draft,
    "raw-q": unwarped_q,
    "raw-p": unwarped_p,
    "softmax": partial(with_round, partial(replacing_round, softmax_residual)),
    "from-p": partial(with_round, partial(replacing_round, lambda p, q: p)),
    "stale-target": stale_target,
    "unsure": drop_unsure,
    "typical": partial(with_round, typical_round),
    "no-bonus": partial(with_round, no_bonus_round),
    "stale-draft": stale_draft,
    "other-temperature": other_temperature,
    "equal": partial(with_round, equal_round),
    "coupled": coupled,
}
"""The parts of one run under each switch, by its name in `core.measure.switches`."""
