"""Chapter 13's map: rounds played with dice, where drafting drowns, and where published and own figures lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.theory.closed_forms import best_gamma, breakeven_alpha, speedup
from core.theory.simulation import Simulation, simulate
from ui import content, visit
from ui.pays import MOST_GAMMA, Model
from ui.runs import OWN, BothWays
from ui.words import count, share, times

ROUNDS, DROPPED = 2000, 400
"""Rounds that the dial plays at each move, and rounds that are dropped on the map."""
LARGEST_ROLL = 999_999
DIAL_ALPHA = visit.Control("dial_alpha", 0.8, visit.decimal(0.0, 1.0, 0.01))
DIAL_GAMMA = visit.Control("dial_gamma", 4, visit.whole(1, 12))
DIAL_C = visit.Control("dial_c", 0.1, visit.decimal(0.0, 1.0, 0.01))
ROLL = visit.Control("roll", 0, visit.whole(0, LARGEST_ROLL))
MAP_ALPHA = visit.Control("map_alpha", 0.6, visit.decimal(0.0, 1.0, 0.01))
MAP_GAMMA = visit.Control("map_gamma", 4, visit.whole(1, 12))
MAP_C = visit.Control("map_c", 0.15, visit.decimal(0.0, 1.0, 0.01))
DROP = visit.Control("drop", 0, visit.whole(0, LARGEST_ROLL))
CURVES = (1, 2, 3, 4, 6, 8, 12)
"""Draft lengths with a curve on the map."""
WIDEST, HIGHEST = 0.09, 0.07
"""How far the dropped rounds are spread to either side of their α, and of their own speed-up, so that they don't hide
each other."""


@dataclass(frozen=True, eq=False)
class Rolled:
    """Rounds played with made-up numbers.

    Attributes:
        kept: at index i, rounds that kept i guesses, [γ + 1].
    """

    model: Model
    seed: int
    game: Simulation
    kept: NDArray[np.int64]

    @property
    def below(self) -> float:
        """The share of rounds that by themselves were slower than standard decoding."""
        return float(np.mean(self.game.accepted + 1 < self.model.cost))


def roll(model: Model, seed: int, rounds: int = ROUNDS) -> Rolled:
    """Play rounds; the same seed gives the same ones."""
    game = simulate(model.alpha, model.gamma, model.c, rounds, seed)
    return Rolled(model, seed, game, np.bincount(game.accepted, minlength=model.gamma + 1))


def report(rolled: Rolled) -> str:
    """What the rounds gave, in words."""
    game, model = rolled.game, rolled.model
    return (
        f"**{game.rounds:,} rounds, seed {rolled.seed}:** {game.tokens:,} tokens for the time of {game.time:,.0f} "
        f"target passes. Speed-up **{times(game.speedup)}**, 95 % interval {game.low:.2f} to {game.high:.2f}; the "
        f"formula says {times(model.speed_up)}. {share(rolled.below)} of the rounds, taken alone, lost time."
    )


@dataclass(frozen=True, eq=False)
class Rain:
    """Dropped rounds: each one's place near its α, and its own speed-up, [rounds]."""

    rolled: Rolled
    x: NDArray[np.float64]
    y: NDArray[np.float64]


def rain(model: Model, seed: int, rounds: int = DROPPED) -> Rain:
    """Drop rounds on the map. Where many landed at the same height they are spread more widely."""
    rolled = roll(model, seed, rounds)
    kept = rolled.game.accepted
    nudge = np.random.default_rng([seed, 1]).uniform(-1, 1, (2, rounds))
    width = WIDEST * np.sqrt(rolled.kept / rolled.kept.max())
    return Rain(rolled, model.alpha + nudge[0] * width[kept], (kept + 1) / model.cost + HIGHEST * nudge[1])


def rain_words(dropped: Rain) -> str:
    """What the dropped rounds show, in words."""
    rolled, game = dropped.rolled, dropped.rolled.game
    none, every = rolled.kept[0], rolled.kept[-1]
    return (
        f"**{game.rounds} rounds dropped (seed {rolled.seed}).** {none} kept no guess, {every} kept "
        f"{'it' if rolled.model.gamma == 1 else f'all {rolled.model.gamma}'}. "
        f"{share(rolled.below)} lie under water, and all of them together reach "
        f"{times(game.speedup)} (formula {times(rolled.model.speed_up)})."
    )


def landmarks(model: Model) -> str:
    """The sweet spot and the cliff, in words."""
    cliff = edge(model)
    falls = (
        f"**Cliff:** γ = {model.gamma} goes under water left of α = {cliff:.2f}."
        if cliff is not None
        else f"**Cliff:** at this price γ = {model.gamma} stays under water whatever α is."
    )
    if model.best == 0:
        return f"**No sweet spot:** α is not above c, so no γ comes up for air. {falls}"
    top = times(Model(model.alpha, model.c, model.best).speed_up)
    return f"**Sweet spot:** at α = {model.alpha:.2f} the best is γ = {model.best}, {top}. {falls}"


def edge(model: Model) -> float | None:
    """The α below which this γ is slower than standard decoding; None where it is for every α."""
    even = float(breakeven_alpha(model.gamma, model.c))
    return None if np.isnan(even) else even


def curve(alpha: NDArray[np.float64], gamma: int, c: float) -> NDArray[np.float64]:
    """The speed-up over α at one γ, [points]."""
    return np.asarray(speedup(alpha, gamma, c))


def at_best(alpha: NDArray[np.float64], c: float) -> NDArray[np.float64]:
    """The speed-up over α at each α's best γ up to `MOST_GAMMA`; 1 where not drafting is best, [points]."""
    gamma = best_gamma(alpha, c, longest=MOST_GAMMA)
    return np.where(gamma > 0, speedup(alpha, np.maximum(gamma, 1), c), 1.0)


@dataclass(frozen=True)
class Published:
    """A figure from the literature. `alpha` is None where the source prints none; `high` ends a range."""

    name: str
    source: str
    speed_up: float
    alpha: float | None = None
    gamma: int | None = None
    c: float | None = None
    high: float | None = None


def _leviathan(alpha: float, gamma: int, c: float, speed_up: float) -> Published:
    return Published("Leviathan et al. 2023", "arXiv 2211.17192, table 4", speed_up, alpha, gamma, c)


_SPEC_BENCH = "Spec-Bench: Vicuna-7B on an A100"
PUBLISHED = (
    *(
        _leviathan(*row)
        for row in (
            (0.75, 7, 0.02, 3.2), (0.62, 7, 0.02, 2.3), (0.65, 5, 0.02, 2.4), (0.53, 5, 0.02, 1.9),
            (0.80, 7, 0.04, 3.3), (0.68, 5, 0.04, 2.4), (0.73, 5, 0.04, 2.6), (0.55, 3, 0.04, 1.8),
            (0.82, 7, 0.11, 2.5), (0.71, 3, 0.11, 2.0), (0.74, 3, 0.11, 2.0), (0.56, 3, 0.11, 1.6),
        )
    ),
    Published("Chen et al.", "arXiv 2302.01318, a 70-billion model", 1.92, None, 4, 0.128, 2.46),
    Published("EAGLE-2", _SPEC_BENCH, 2.36),
    Published("EAGLE", _SPEC_BENCH, 2.10),
    Published("Medusa", _SPEC_BENCH, 1.71),
    Published("prompt lookup", _SPEC_BENCH, 1.66),
    Published("separate draft", _SPEC_BENCH, 1.52),
)  # fmt: skip
"""Headline figures. The first group is what the paper's formula gives for its measured α and c on T5-XXL."""
SOURCES = (
    "Squares: α, γ and c as measured for T5-XXL with three drafts, and the speed-up that the formula makes of them "
    "(Leviathan, Kalman & Matias 2023, arXiv 2211.17192, table 4). Chen et al. 2023 (arXiv 2302.01318): a 70-billion "
    "target at 14.1 ms a pass, a draft at 1.8 ms, γ = 4, on summaries and code. The others: Spec-Bench (Xia et al. "
    "2024, arXiv 2401.07851), Vicuna-7B on an A100. All of them on large machines, where a check costs hardly more "
    "than a pass over one position. Yours is another machine, and yours are other texts."
)


@dataclass(frozen=True)
class Dot:
    """A run of this visit on the map."""

    kind: str
    alpha: float
    speed_up: float
    label: str


def dots(measured: Sequence[BothWays]) -> list[Dot]:
    """The visit's runs that have a place on the map."""
    return [
        Dot(both.speculative.kind, both.speculative.alpha_hat, both.speed_up, _label(both))
        for both in measured
        if both.speculative.alpha_hat is not None
    ]


def _label(both: BothWays) -> str:
    run = both.speculative
    name = next((f"{p.kind} · {p.label}" for p in content.prompts() if p.id == run.prompt), f"{OWN} prompt")
    price = f", ĉ = {run.c_hat:.2f}" if run.c_hat is not None else ""
    way = "" if run.plain else f", {run.drafter.replace('_', ' ')}, {run.policy}"
    return f"{name}, temperature {run.temperature:g}, seed {run.seed}, γ = {run.gamma}{price}{way}"


def dots_words(found: Sequence[Dot]) -> str:
    """The visit's runs in words: how many, how many under water, and the kinds from best to worst."""
    if not found:
        return "No run of this visit has a place here yet: make some in chapter 4 or 12, or further down on this page."
    under = sum(dot.speed_up < 1 for dot in found)
    kinds = {kind: [dot.speed_up for dot in found if dot.kind == kind] for kind in {dot.kind for dot in found}}
    means = sorted(((sum(values) / len(values), kind) for kind, values in kinds.items()), reverse=True)
    told = ", ".join(f"{kind} {times(mean)}" for mean, kind in means)
    return (
        f"{count(len(found), 'run')} of this visit, {under} of them under water. Mean speed-up by kind of text: {told}."
    )
