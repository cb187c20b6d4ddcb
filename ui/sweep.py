"""One prompt at every draft length: what is measured, next to what the formula forecasts from one run's figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import streamlit as st

from core.decoding.request import DecodeRequest
from core.decoding.trace import Trace
from core.measure.latency import LatencyCurve
from core.theory.closed_forms import best_gamma, speedup
from ui import visit
from ui.pays import check_cost
from ui.runs import BothWays, Run
from ui.words import count, times
from ui.workbench import standard, timed

LONGEST = 16
TO = visit.Control("sweep-to", 6, visit.whole(2, LONGEST))
NUMBERS_OF_SEEDS = (1, 3, 5)
SEEDS = visit.Control("sweep-seeds", 1, lambda text: {str(n): n for n in NUMBERS_OF_SEEDS}.get(text))
CLOSE = 0.02
"""Speed-ups closer than this share are not told apart: the clock wobbles more than that."""
_SWEEP = "workbench.sweep"


@dataclass(frozen=True)
class Plan:
    """What a sweep runs: `base` at each of `gammas`, and the target alone, with each of so many seeds in a row."""

    base: DecodeRequest
    gammas: tuple[int, ...]
    seeds: int

    def requests(self) -> list[DecodeRequest]:
        """All runs, seed by seed, so that a slow moment of the machine falls on every γ alike."""
        found = []
        for seed in range(self.base.seed, self.base.seed + self.seeds):
            asked = replace(self.base, seed=seed)
            found += [standard(asked), *(replace(asked, gamma=gamma) for gamma in self.gammas)]
        return found


@dataclass
class Sweep:
    """A plan under way, stopped or done. A run too short to be timed is found as None."""

    plan: Plan
    running: bool = True
    found: dict[DecodeRequest, Run | None] = field(default_factory=dict)

    def take(self, request: DecodeRequest, trace: Trace) -> None:
        """Note a finished run."""
        self.found[request] = timed(trace)


@dataclass(frozen=True)
class Point:
    """What was measured at one γ, all seeds together. `low` and `high` are the slowest and the fastest seed."""

    gamma: int
    speed_up: float
    low: float
    high: float
    alpha_hat: float | None
    tau: float
    seeds: int


@dataclass(frozen=True)
class Forecast:
    """Speed-ups by the formula at γ = 1, 2, …, from α̂ and ĉ of the runs at γ = `at`.

    `c` is in passes over one position, as the formula wants it. `best` is 0 where not to draft is fastest.
    """

    at: int
    alpha: float
    c: float
    speed_ups: tuple[float, ...]
    best: int


def plan(request: DecodeRequest, most: int, seeds: int) -> Plan:
    """A sweep over γ = 1 … `most` and the request's own γ."""
    base = replace(request, method="speculative", policy="fixed")
    return Plan(base, tuple(sorted({*range(1, most + 1), request.gamma})), seeds)


def current() -> Sweep | None:
    """The sweep of this visit, if one was begun."""
    return st.session_state.get(_SWEEP)


def begin(planned: Plan) -> None:
    """Begin a sweep in place of the one before."""
    st.session_state[_SWEEP] = Sweep(planned)


def stop() -> None:
    """Run nothing more of the sweep; what is measured stays."""
    if sweep := current():
        sweep.running = False


def points(sweep: Sweep) -> list[Point]:
    """What is measured so far, by rising γ."""
    return [point for gamma in sweep.plan.gammas if (point := _point(sweep, gamma))]


def _at(sweep: Sweep, gamma: int) -> list[BothWays]:
    """The runs at one γ beside the target's own, for each seed that has both."""
    base = sweep.plan.base
    found = []
    for seed in range(base.seed, base.seed + sweep.plan.seeds):
        asked = replace(base, seed=seed)
        alone, run = sweep.found.get(standard(asked)), sweep.found.get(replace(asked, gamma=gamma))
        if alone and run:
            found.append(BothWays(alone, run))
    return found


def _point(sweep: Sweep, gamma: int) -> Point | None:
    both = _at(sweep, gamma)
    if not both:
        return None
    alone, drafted = [b.standard for b in both], [b.speculative for b in both]
    single = [b.speed_up for b in both]
    return Point(
        gamma=gamma,
        speed_up=_pace(alone) / _pace(drafted),
        low=min(single),
        high=max(single),
        alpha_hat=_alpha(drafted),
        tau=sum(r.tokens for r in drafted) / sum(r.rounds for r in drafted),
        seeds=len(both),
    )


def _pace(measured: Sequence[Run]) -> float:
    return sum(r.seconds for r in measured) / sum(r.tokens for r in measured)


def _alpha(measured: Sequence[Run]) -> float | None:
    accepted, rejected = sum(r.accepted for r in measured), sum(r.rejected for r in measured)
    return accepted / (accepted + rejected) if accepted + rejected else None


def forecast(sweep: Sweep, latency: LatencyCurve) -> Forecast | None:
    """The formula's speed-ups from the runs at the request's own γ; None before they are there, and for a tree,
    whose several candidates a place the formula does not know."""
    base = sweep.plan.base
    drafted = [b.speculative for b in _at(sweep, base.gamma)]
    alpha = _alpha(drafted)
    if alpha is None or base.drafter == "tree":
        return None
    cost = check_cost(drafted[0], latency)
    # ĉ is counted in verification passes; the formula wants passes over one position.
    c = float(np.mean([r.c_hat or 0.0 for r in drafted]) * cost(np.asarray(base.gamma + 1.0)))
    longest = max(sweep.plan.gammas)
    gains = speedup(alpha, np.arange(1, longest + 1), c, cost)
    best = int(best_gamma(alpha, c, cost, longest))
    return Forecast(base.gamma, alpha, c, tuple(float(x) for x in gains), best)


def best_measured(measured: Sequence[Point]) -> Point:
    """The fastest γ; of two that are equal the shorter."""
    return max(measured, key=lambda p: (p.speed_up, -p.gamma))


def verdict(measured: Sequence[Point], formula: Forecast | None) -> str:
    """Measured optimum and forecast optimum in words."""
    best = best_measured(measured)
    said = f"**Measured best: γ = {best.gamma}**, with {times(best.speed_up)}."
    if best.speed_up <= 1:
        said = f"**No γ paid here.** The best, γ = {best.gamma}, gives {times(best.speed_up)}: leave drafting off."
    if formula is None:
        return said
    if formula.best == 0:
        return f"{said} The formula advises not to draft at all on this text."
    said += f" **Forecast best: γ = {formula.best}**, with {times(formula.speed_ups[formula.best - 1])}."
    followed = next((p for p in measured if p.gamma == formula.best), None)
    if followed is None:
        return f"{said} That γ is not measured yet."
    if followed == best:
        return f"{said} Both agree."
    loss = 1 - followed.speed_up / best.speed_up
    if loss < CLOSE:
        return f"{said} Measured, the two are within {100 * CLOSE:.0f} % of each other: as good as equal."
    return f"{said} Who had followed the forecast would have lost {100 * loss:.0f} % of the speed."


def basis(sweep: Sweep, formula: Forecast | None) -> str:
    """Where the forecast comes from, and what it leaves out."""
    base = sweep.plan.base
    if base.drafter == "tree":
        return "No forecast: the formula knows one guess a place, and a tree has several."
    if formula is None:
        return f"The forecast needs the run at γ = {base.gamma} first, with at least one guess examined."
    spread = (
        f" Whiskers: the slowest and the fastest of {sweep.plan.seeds} seeds."
        if sweep.plan.seeds > 1
        else " One run at each γ: the clock alone moves a point by a few per cent. More seeds tell more."
    )
    drawn = " Above temperature 0 each γ writes a text of its own." if base.temperature > 0 else ""
    return (
        f"The forecast takes α̂ = {formula.alpha:.2f} and ĉ = {formula.c:.2f} from "
        f"{count(len(_at(sweep, base.gamma)), 'run')} at γ = {base.gamma}, and the cost of longer checks from the "
        "measured curve of chapter 3. It takes each guess to hold by itself and no time to go elsewhere."
        f"{spread}{drawn}"
    )
