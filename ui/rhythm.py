"""When the text reaches the reader: first token, gaps, bursts, and what was guessed in vain.

Times are those of a lane (`ui.clocks`): seconds, or whatever `rescaled` made of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from statistics import fmean, median
from typing import Literal

import numpy as np

from core.decoding.trace import Trace
from core.theory.memory import MemoryPlan
from ui.clocks import Clock, Lane
from ui.words import count, duration, megabytes, share, times

Unit = Literal["seconds", "passes"]

BINS = 24
"""At most this many bars a row in the picture of the gaps."""


@dataclass(frozen=True)
class Rhythm:
    """How one lane's text reaches the reader.

    `first` is the time to the first token, of which the draft's own prompt pass took `draft_prompt`. `gaps` are the
    times from each token to the next, 0 for tokens that come together. `bursts` are the numbers of tokens that come
    at each moment after the first token's.
    """

    first: float
    draft_prompt: float
    gaps: tuple[float, ...]
    bursts: tuple[int, ...]
    total: float

    @property
    def median(self) -> float:
        """The gap in the middle; raises `ValueError` where there is none."""
        return percentile(self.gaps, 50)

    @property
    def p95(self) -> float:
        """The gap that 95 % of all gaps do not exceed; raises `ValueError` where there is none."""
        return percentile(self.gaps, 95)

    @property
    def mean(self) -> float:
        """How often a token comes on average; raises `ValueError` where there is no gap."""
        return fmean(self.gaps)

    @property
    def together(self) -> int:
        """Tokens that came at the same moment as the one before."""
        return sum(gap == 0 for gap in self.gaps)


@dataclass(frozen=True)
class Waste:
    """What became of the drafted tokens: kept, missed (examined and rejected), dropped (never examined)."""

    kept: int
    missed: int
    dropped: int

    @property
    def drafted(self) -> int:
        return self.kept + self.missed + self.dropped

    @property
    def wasted(self) -> int:
        return self.missed + self.dropped


def rhythm(lane: Lane) -> Rhythm:
    """The figures of a lane that has written at least one token."""
    times = lane.delivered
    return Rhythm(
        first=times[0],
        draft_prompt=sum(c.end - c.start for c in lane.calls if c.model == "draft" and c.round is None),
        gaps=tuple(later - earlier for earlier, later in pairwise(times)),
        bursts=tuple(len(list(same)) for _, same in groupby(times[1:])),
        total=times[-1],
    )


def percentile(values: Sequence[float], share: float) -> float:
    """The value that `share` per cent of all values do not exceed, interpolated between neighbours.

    Raises:
        ValueError: without values.
    """
    if not values:
        raise ValueError("There are no values to take a percentile of.")
    return float(np.percentile(values, share))


def waste(trace: Trace) -> Waste:
    """Count the fates of a run's drafted tokens."""
    dropped = sum(x.accepted is None for x in trace.positions())
    return Waste(trace.accepted, trace.rejected, dropped)


def pass_seconds(standard: Trace, clock: Clock) -> float:
    """Seconds of one target pass on a clock: the unit of an axis in target passes.

    On the measured clock it is the median pass of the standard run, without its padding.
    """
    if clock.target_seconds is not None:
        return clock.target_seconds
    return median(r.target_time for r in standard.rounds) / standard.pair.padding_cost


def rescaled(lane: Lane, unit: float) -> Lane:
    """The lane with all its times divided by `unit`."""
    return replace(
        lane,
        tokens=tuple(replace(t, shown=t.shown / unit, settled=t.settled / unit) for t in lane.tokens),
        calls=tuple(replace(c, start=c.start / unit, end=c.end / unit) for c in lane.calls),
        rounds=tuple(time / unit for time in lane.rounds),
        notices=tuple(replace(n, time=n.time / unit) for n in lane.notices),
    )


def bins(*series: Sequence[float]) -> list[float]:
    """Edges of equal bins that hold all the values, from 0 on; each width is 1, 2 or 5 times a power of ten."""
    longest = max((value for values in series for value in values), default=0.0)
    if longest <= 0:
        return [0.0, 1.0]
    rough = longest / BINS
    power = 10.0 ** np.floor(np.log10(rough))
    width = power * next(m for m in (1, 2, 5, 10) if m * power >= rough * (1 - 1e-9))
    number = int(np.floor(longest / width + 1e-9)) + 1
    return [float(width * i) for i in range(number + 1)]


def counts(values: Sequence[float], edges: Sequence[float]) -> list[int]:
    """How many values lie in each bin, its lower edge included."""
    # A gap is a difference of sums: what should lie on an edge may fall just below it.
    return [int(n) for n in np.histogram(np.asarray(values) * (1 + 1e-9), edges)[0]]


def amount(value: float, unit: Unit) -> str:
    """A time in words: `22 ms`, `1.4 passes`."""
    if value == 0:
        return "0"
    if unit == "seconds":
        return duration(value)
    rounded = round(value, 2)
    return f"{rounded:g} {'pass' if rounded == 1 else 'passes'}"


@dataclass(frozen=True)
class Card:
    """One of the closing cards: what it is about, its figure, what to say of it."""

    title: str
    figure: str
    words: str


def stays(alone: Rhythm, together: Rhythm, tokens: int, parts_at: int | None, unit: Unit) -> Card:
    """What drafting leaves as it was. `parts_at` is the first token at which the two texts differ, if any."""
    first = (
        "The first token comes no sooner, since the prompt has to be read first: "
        f"{amount(alone.first, unit)} alone, {amount(together.first, unit)} with the draft"
    )
    if alone.first > together.first:
        first += " (the difference is chance: the target's prompt pass is the same work in both)"
    if parts_at is None:
        return Card("What stays", f"All {count(tokens, 'token')}", f"Token for token the target's own text. {first}.")
    text = "After that, rounding on this machine decided between two choices that lie close together."
    return Card("What stays", f"The first {count(parts_at, 'token')}", f"{text} {first}.")


def gets_faster(alone: Rhythm, together: Rhythm, unit: Unit) -> Card:
    """The whole answer, the prompt's pass included."""
    ratio = alone.total / together.total
    whole = f"The whole answer takes {amount(together.total, unit)} instead of {amount(alone.total, unit)}"
    average = f"on average a token every {amount(together.mean, unit)} instead of every {amount(alone.mean, unit)}"
    if ratio > 1:
        return Card("What gets faster", times(ratio), f"{whole}, the prompt included: {average}.")
    nothing = "Nothing, this time: the guesses cost more than they saved."
    return Card("What gets faster", times(ratio), f"{nothing} {whole}: {average}.")


def costs(alone: Rhythm, together: Rhythm, lost: Waste, plan: MemoryPlan, unit: Unit) -> Card:
    """Guesses in vain, memory, and the longest waits."""
    memory = (
        f"The second model and its cache take {megabytes(plan.draft)} more, {share(plan.draft / plan.target)} on top"
    )
    waits = (
        f"The longest waits change: 95 of 100 gaps stay within {amount(together.p95, unit)}, "
        f"with standard decoding within {amount(alone.p95, unit)}"
    )
    return Card(
        "What it costs",
        f"{lost.wasted} of {count(lost.drafted, 'guess', 'guesses')}",
        f"Thrown away. {memory}. {waits}.",
    )
