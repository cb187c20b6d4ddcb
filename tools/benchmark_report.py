"""The benchmark's arithmetic and its table: from what was timed to what is claimed. No model is needed here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from textwrap import shorten

from core.theory.closed_forms import speedup


@dataclass(frozen=True)
class Figures:
    """One prompt, medians over the repeats. All times in seconds.

    Attributes:
        standard, speculative: a token, from the first token on.
        standard_call, speculative_call, transformers_call, assisted_call: a token, prompt pass included.
        standard_wall, speculative_wall: the same, with the time that recording the trace takes.
        step: one step of standard decoding, unpadded, its overhead included.
        draft, verify, overhead: one draft step, one verification pass, and what else a round takes.
        overhead_share: overhead over a whole round.
        same_text: speculative text equals standard text, token for token.
    """

    prompt: str
    kind: str
    standard: float
    speculative: float
    standard_call: float
    speculative_call: float
    transformers_call: float
    assisted_call: float
    standard_wall: float
    speculative_wall: float
    step: float
    draft: float
    verify: float
    overhead: float
    overhead_share: float
    accepted: int
    rejected: int
    tau: float
    same_text: bool

    @property
    def alpha(self) -> float:
        """α̂ of this prompt; 0 where nothing was examined."""
        return acceptance([self])

    @property
    def c(self) -> float:
        """One draft step over one standard step."""
        return self.draft / self.step

    @property
    def v(self) -> float:
        """A round without its draft steps, over one standard step: the check is not free."""
        return (self.verify + self.overhead) / self.step

    @property
    def speedup(self) -> float:
        """Measured: standard over speculative."""
        return self.standard / self.speculative

    @property
    def over_transformers(self) -> float:
        """How many times as fast as Transformers standard decoding is."""
        return self.transformers_call / self.standard_call

    @property
    def over_assisted(self) -> float:
        """How many times as fast as Transformers' assisted generation speculative decoding is."""
        return self.assisted_call / self.speculative_call


@dataclass(frozen=True)
class Goal:
    """A figure and the bound it has to keep."""

    name: str
    reached: float
    bound: float
    at_least: bool

    @property
    def met(self) -> bool:
        return self.reached >= self.bound if self.at_least else self.reached <= self.bound


def acceptance(figures: Sequence[Figures]) -> float:
    """α̂ pooled: accepted over accepted and rejected; 0 where nothing was examined."""
    accepted, rejected = sum(f.accepted for f in figures), sum(f.rejected for f in figures)
    return accepted / (accepted + rejected) if accepted + rejected else 0.0


def predict(others: Sequence[Figures], gamma: int) -> float:
    """The speed-up to expect at `gamma`, from acceptance and costs on other prompts of the kind.

    Raises:
        ValueError: when there is no other prompt.
    """
    if not others:
        raise ValueError("a prediction needs at least one other prompt of the kind")
    c, v = fmean(f.c for f in others), fmean(f.v for f in others)
    return float(speedup(acceptance(others), gamma, c, v))


def predictions(timed: Sequence[Figures], calibration: Sequence[Figures], gamma: int) -> list[float]:
    """One prediction a timed prompt, each from every other prompt of its kind."""
    pool = [*timed, *calibration]
    return [predict([f for f in pool if f.kind == one.kind and f is not one], gamma) for one in timed]


def prediction_error(timed: Sequence[Figures], predicted: Sequence[float]) -> float:
    """Median absolute error of the predicted speed-ups, relative to the measured ones."""
    return median(abs(p / f.speedup - 1) for f, p in zip(timed, predicted, strict=True))


def choose_gamma(seconds: Mapping[int, Sequence[float]]) -> int:
    """The draft length with the least time a token, prompts counting alike; the shorter one in a tie.

    Args:
        seconds: for each draft length the times a token, one entry a prompt, in the same order.
    """
    reference = next(iter(seconds.values()))

    def relative(gamma: int) -> float:
        return fmean(mine / theirs for mine, theirs in zip(seconds[gamma], reference, strict=True))

    return min(sorted(seconds), key=relative)


def goals(timed: Sequence[Figures], predicted: Sequence[float]) -> list[Goal]:
    """What was to be reached, and what was."""
    code = [f for f in timed if f.kind == "code"]
    return [
        Goal("standard, against Transformers' generate", median(f.over_transformers for f in timed), 1.0, True),
        Goal("speculative, against Transformers' assisted", median(f.over_assisted for f in timed), 1.25, True),
        Goal("speculative, against standard, all prompts", median(f.speedup for f in timed), 1.3, True),
        Goal("speculative, against standard, code", median(f.speedup for f in code), 1.5, True),
        Goal("error of the predicted speed-up", prediction_error(timed, predicted), 0.10, False),
        Goal("overhead, share of a round", median(f.overhead_share for f in timed), 0.08, False),
    ]


MEDIANS: dict[str, Callable[[Figures, float], float]] = {
    "std/hf": lambda f, p: f.over_transformers,
    "spec/hf": lambda f, p: f.over_assisted,
    "speed-up": lambda f, p: f.speedup,
    "predicted": lambda f, p: p,
    "α̂": lambda f, p: f.alpha,
    "ĉ": lambda f, p: f.c,
    "v": lambda f, p: f.v,
    "τ": lambda f, p: f.tau,
    "overhead": lambda f, p: f.overhead_share,
}
"""The figures that are summed up by kind."""

TIMES: dict[str, Callable[[Figures], float]] = {
    "std": lambda f: f.standard_call,
    "hf std": lambda f: f.transformers_call,
    "spec": lambda f: f.speculative_call,
    "hf spec": lambda f: f.assisted_call,
}
"""Seconds a token, prompt pass included; shown in milliseconds."""


def table(timed: Sequence[Figures], predicted: Sequence[float]) -> str:
    """Prompt by prompt, then the medians of each kind and of all. Times in milliseconds a token."""
    rows = [["kind", "prompt", *TIMES, *MEDIANS, "same text"]]
    for f, p in zip(timed, predicted, strict=True):
        times = [f"{1e3 * time(f):.1f}" for time in TIMES.values()]
        figures = [f"{value(f, p):.3f}" for value in MEDIANS.values()]
        rows.append([f.kind, shorten(f.prompt, 40, placeholder=" …"), *times, *figures, "yes" if f.same_text else "no"])
    return aligned(rows) + "\n\n" + summary(timed, predicted)


def summary(timed: Sequence[Figures], predicted: Sequence[float]) -> str:
    """Medians by kind."""
    rows = [["median of", *MEDIANS]]
    for kind, medians in medians_by_kind(timed, predicted).items():
        rows.append([kind, *(f"{value:.3f}" for value in medians.values())])
    return aligned(rows)


def medians_by_kind(timed: Sequence[Figures], predicted: Sequence[float]) -> dict[str, dict[str, float]]:
    """Kind → figure → median over its prompts; the last entry is `all`."""
    pairs = list(zip(timed, predicted, strict=True))
    kinds = [*dict.fromkeys(f.kind for f in timed), "all"]
    return {kind: _medians([(f, p) for f, p in pairs if kind in (f.kind, "all")]) for kind in kinds}


def _medians(pairs: Sequence[tuple[Figures, float]]) -> dict[str, float]:
    return {name: median(value(f, p) for f, p in pairs) for name, value in MEDIANS.items()}


def recording(timed: Sequence[Figures]) -> str:
    """What keeping the figures for the pages costs on top: a sentence."""
    standard = 1e3 * median(f.standard_wall - f.standard_call for f in timed)
    speculative = 1e3 * median(f.speculative_wall - f.speculative_call for f in timed)
    return (
        f"Not in these times: recording each token's figures for the pages, {standard:.1f} ms a token in standard "
        f"decoding and {speculative:.1f} ms in speculative."
    )


def statement(goal: Goal) -> str:
    """One line: met or not, and by how much."""
    sign = "≥" if goal.at_least else "≤"
    return f"{'met' if goal.met else 'NOT met':<8}{goal.name}: {goal.reached:.3f} (to reach: {sign} {goal.bound:g})"


def aligned(rows: Iterable[Sequence[str]]) -> str:
    """Columns padded to equal width, the first two to the left and the rest to the right."""
    rows = [list(row) for row in rows]
    widths = [max(_width(row[i]) for row in rows) for i in range(len(rows[0]))]
    left = 2 if rows[0][1] == "prompt" else 1

    def cell(text: str, i: int) -> str:
        space = " " * (widths[i] - _width(text))
        return text + space if i < left else space + text

    return "\n".join("  ".join(cell(text, i) for i, text in enumerate(row)).rstrip() for row in rows)


def _width(text: str) -> int:
    """Places on screen: the hat of an estimate takes none."""
    return len(text.replace("\u0302", ""))
