"""When drafting pays: the model's numbers in formulas and words, and how a measured run differs from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.measure.latency import LatencyCurve
from core.theory.closed_forms import Curve, best_gamma, breakeven_alpha, expected_tokens, pass_cost, round_cost, speedup
from core.theory.simulation import simulate
from ui import content, visit
from ui.runs import BothWays, Run
from ui.words import count, share, times

MOST_GAMMA = 20
ALPHA = visit.Control("alpha", 0.7, visit.decimal(0.0, 1.0, 0.01))
C = visit.Control("c", 0.1, visit.decimal(0.0, 1.0, 0.01))
GAMMA = visit.Control("guesses", 4, visit.whole(1, MOST_GAMMA))
NUMBERS_OF_ROUNDS = (100, 1000, 10_000)
ROUNDS = visit.Control("rounds", 1000, lambda text: {str(n): n for n in NUMBERS_OF_ROUNDS}.get(text))
DRAW = visit.Control("draw", 0, visit.whole(0, 999_999))
EVEN = 0.005
"""Speed-ups so close to 1 are called even."""


@dataclass(frozen=True)
class Model:
    """Acceptance rate, cost ratio and draft length, made up or measured."""

    alpha: float
    c: float
    gamma: int

    @property
    def tokens(self) -> float:
        return float(expected_tokens(self.alpha, self.gamma))

    @property
    def cost(self) -> float:
        return float(round_cost(self.gamma, self.c))

    @property
    def speed_up(self) -> float:
        return float(speedup(self.alpha, self.gamma, self.c))

    @property
    def best(self) -> int:
        """The draft length with the highest speed-up, up to `MOST_GAMMA`; 0 for not drafting."""
        return int(best_gamma(self.alpha, self.c, longest=MOST_GAMMA))


ASKED = Model(0.6, 0.3, 5)
"""What the chapter's question is about."""


def gives_away(model: Model) -> bool:
    """Whether a curve over γ with these numbers would show the answer to the chapter's question."""
    return abs(model.alpha - ASKED.alpha) < 0.05 and abs(model.c - ASKED.c) < 0.05


def question_facts() -> dict[str, object]:
    """The figures that the explanation of the chapter's question names."""
    best = Model(ASKED.alpha, ASKED.c, ASKED.best)
    return {
        "tokens": f"{ASKED.tokens:.2f}",
        "cost": f"{ASKED.cost:.2f}",
        "speedup": f"{ASKED.speed_up:.3f}×",
        "best": best.gamma,
        "best_speedup": times(best.speed_up),
    }


def formulas(model: Model) -> tuple[str, str, str]:
    """Tokens a round, cost of a round and speed-up in TeX, with the numbers filled in."""
    a, c, g = f"{model.alpha:.2f}", f"{model.c:.2f}", model.gamma
    if model.alpha == 1:
        tokens = rf"E = \gamma + 1 = {g} + 1 = \mathbf{{{model.tokens:.2f}}}"
    else:
        tokens = (
            rf"E = \frac{{1-\alpha^{{\gamma+1}}}}{{1-\alpha}} = \frac{{1-{a}^{{{g + 1}}}}}{{1-{a}}}"
            rf" = \mathbf{{{model.tokens:.2f}}}"
        )
    cost = rf"\gamma c + 1 = {g} \cdot {c} + 1 = \mathbf{{{model.cost:.2f}}}"
    gain = (
        rf"S = \frac{{E}}{{\gamma c + 1}} = \frac{{{model.tokens:.2f}}}{{{model.cost:.2f}}}"
        rf" = \mathbf{{{model.speed_up:.2f}}}"
    )
    return tokens, cost, gain


def verdict(model: Model) -> str:
    """Faster or slower, in words."""
    gain = model.speed_up
    if gain > 1 + EVEN:
        return f"**Faster.** With these numbers draft-and-verify is {times(gain)} as fast as standard decoding."
    if gain < 1 - EVEN:
        return (
            f"**Slower.** With these numbers drafting loses: the same text takes {share(1 / gain - 1)} longer than "
            f"without it ({times(gain)})."
        )
    return "**Even.** With these numbers draft-and-verify takes just as long as standard decoding."


def advice(model: Model) -> str:
    """The best draft length for α and c, and the α from which this γ pays."""
    if model.best == 0:
        best = "No draft length helps here: α is not above c, so leave drafting off."
    else:
        gain = times(Model(model.alpha, model.c, model.best).speed_up)
        best = f"Best here is γ = {model.best}, with {gain}."
        if model.best == MOST_GAMMA:
            best = f"The longer the draft the better here: γ = {MOST_GAMMA} gives {gain}."
    even = float(breakeven_alpha(model.gamma, model.c))
    pays = f"With γ = {model.gamma} and c = {model.c:.2f} drafting pays from **α = {even:.2f}** on (break-even)."
    return f"{best} {pays}" if even < 1 else f"{best} At this price not even α = 1 would make drafting pay."


@dataclass(frozen=True, eq=False)
class Played:
    """Rounds played with dice at each draft length: speed-ups and their confidence intervals, [lengths]."""

    gammas: NDArray[np.int64]
    speed_ups: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


def play(model: Model, rounds: int, seed: int) -> Played:
    """Play so many rounds at every draft length, each with draws of its own."""
    gammas = np.arange(1, MOST_GAMMA + 1)
    games = [simulate(model.alpha, int(g), model.c, rounds, seed * (MOST_GAMMA + 1) + int(g)) for g in gammas]
    figures = np.array([(game.speedup, game.low, game.high) for game in games])
    return Played(gammas, figures[:, 0], figures[:, 1], figures[:, 2])


@dataclass(frozen=True)
class Dot:
    """A measured run on the model's axes."""

    model: Model
    speed_up: float
    label: str


def dots(measured: Sequence[BothWays]) -> list[Dot]:
    """The runs that have a place on the axes."""
    found = []
    for both in measured:
        run = both.speculative
        if run.alpha_hat is not None and run.c_hat is not None:
            found.append(Dot(Model(run.alpha_hat, run.c_hat, run.gamma), both.speed_up, _label(run)))
    return found


def _label(run: Run) -> str:
    prompt = next((f"{p.kind} · {p.label}" for p in content.prompts() if p.id == run.prompt), "own prompt")
    return f"{prompt}, temperature {run.temperature:g}, γ = {run.gamma}"


@dataclass(frozen=True)
class Pooled:
    """Several runs' rounds taken together."""

    runs: int
    rounds: int
    alpha_hat: float
    survival: list[float]

    @property
    def tokens(self) -> float:
        """Tokens a round: those accepted and one more."""
        return 1 + sum(self.survival)


def pooled(runs: Sequence[Run]) -> Pooled | None:
    """The survival of all rounds of runs with one γ; None where no guess was examined."""
    drafted = [run for run in runs if run.alpha_hat is not None and run.drafting]
    if not drafted:
        return None
    rounds = sum(run.drafting for run in drafted)
    accepted, rejected = sum(run.accepted for run in drafted), sum(run.rejected for run in drafted)
    reached = [0] * max(len(run.reached) for run in drafted)
    for run in drafted:
        for i, kept in enumerate(run.reached):
            reached[i] += kept
    return Pooled(len(drafted), rounds, accepted / (accepted + rejected), [kept / rounds for kept in reached])


@dataclass(frozen=True)
class Step:
    """A station between formula and measurement: the speed-up with all causes so far, and what this one is."""

    name: str
    speed_up: float
    why: str


def check_cost(run: Run, latency: LatencyCurve) -> Curve:
    """The measured cost of the run's verification passes, padding included, in passes over one position."""
    cost = pass_cost(latency.n, latency.one_pass)
    return lambda positions: cost(np.maximum(positions, run.width or 1))


def way_to_measured(both: BothWays, dot: Dot, cost: Curve | None) -> list[Step]:
    """From the paper's formula at a run's own figures to the measured speed-up, one cause at a time.

    Args:
        cost: of verification passes, as `check_cost` gives it, to be named beside what the two runs show.
    """
    run, alone, at = both.speculative, both.standard, dot.model
    formula = f"α̂ = {at.alpha:.2f}, ĉ = {at.c:.2f}, γ = {at.gamma}, put in as they are."
    check = (run.target_seconds / run.rounds) / (alone.target_seconds / alone.rounds)
    drafted = run.drafted / run.rounds
    # ĉ is counted in verification passes, so a dearer check makes the whole round dearer.
    gained = run.tau / (check * (drafted * at.c + 1))
    tokens = (
        f"Guesses do not hold independently. One α̂ for all places promises {at.tokens:.2f} tokens a round; this run "
        f"gained {run.tau:.2f}, from {drafted:.1f} guesses a round."
    )
    worked = gained * (1 - run.overhead) / (1 - alone.overhead)
    overhead = (
        f"The program's own work: {share(run.overhead)} of the time of draft-and-verify goes into neither model, "
        f"{share(alone.overhead)} of that of standard decoding."
    )
    left = f"{_change(both.speed_up / worked)} is left: ĉ compares typical calls, and some took longer."
    return [
        Step("Formula", at.speed_up, formula),
        Step("Cost of checks", at.speed_up / check, _check_words(run, check, cost)),
        Step("Dependent guesses", gained, tokens),
        Step("Overhead", worked, overhead),
        Step("Measured", both.speed_up, left),
    ]


def best_with_checks(dot: Dot, cost: Curve) -> str:
    """The best γ by the formula, and with the measured cost of checks."""
    at = dot.model
    real = int(best_gamma(at.alpha, at.c * _check(at, cost), cost, MOST_GAMMA))
    return (
        f"By the formula the best γ for this pair and text is **{at.best or 'not to draft'}**. "
        f"With this machine's measured cost of longer checks it is **{real or 'not to draft'}**."
    )


def independence_words(measured: Pooled, gamma: int) -> str:
    """What the survival curve shows."""
    alone = float(expected_tokens(measured.alpha_hat, gamma))
    return (
        f"{count(measured.rounds, 'round')} from {count(measured.runs, 'run')} of this visit with γ = {gamma}; "
        f"α̂ = {measured.alpha_hat:.2f}. The bars say in how many rounds the first i guesses were kept. If each guess "
        "held by itself, with the same chance, they would follow the line, and at any one place lie within its "
        f"whiskers in 95 of 100 visits. The line is worth {alone:.2f} tokens a round, the bars {measured.tokens:.2f}. "
        "Easy stretches of a text keep whole drafts and hard ones keep none, which one number α cannot tell. "
        "More runs, here or in other chapters, show it more clearly."
    )


def on_sliders(measured: Model) -> Model:
    """The nearest values that the sliders can take."""
    alpha, c = (round(min(1.0, max(0.0, x)), 2) for x in (measured.alpha, measured.c))
    return Model(alpha, c, min(MOST_GAMMA, max(1, measured.gamma)))


def _change(ratio: float) -> str:
    return f"{ratio - 1:+.0%}".replace("-", "−")


def _check(at: Model, cost: Curve) -> float:
    return float(cost(np.asarray(at.gamma + 1.0)))


def _check_words(run: Run, check: float, cost: Curve | None) -> str:
    needed = run.gamma + 1
    padded = f", padded to {run.width} to keep the text the same bit for bit," if needed < (run.width or 0) else ""
    curve = (
        ""
        if cost is None
        else f" The curve of chapter 3, taken at another moment, says {cost(np.asarray(needed)):.2f}."
    )
    return (
        f"Checking is not free. In these two runs a pass over {count(needed, 'position')}{padded} took "
        f"{check:.2f} times as long as a pass over one.{curve}"
    )
