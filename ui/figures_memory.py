"""Figures of what a pair takes in memory, part by part: chapter 11's and chapter 15's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.theory.memory import MemoryPlan
from ui.figures import Plain, stacked_bars, titled, trace, upright
from ui.palette import LOOKS, PARTS
from ui.words import gigabytes

MILLION, BILLION = 1e6, 1e9
FIELDS = (
    ("target's weights", "target_weights", PARTS["p"].mark, ""),
    ("target's KV cache", "target_cache", PARTS["p"].mark, "/"),
    ("draft's weights", "draft_weights", PARTS["q"].mark, ""),
    ("draft's KV cache", "draft_cache", PARTS["q"].mark, "/"),
)
"""What a plan is made of: the words, the plan's own name for it, its colour and its pattern."""
Plans = Sequence[tuple[str, MemoryPlan]]
"""Plans with their names, the first on top."""


def memory_bars(plans: Plans, *, height: int = 300) -> Plain:
    """Megabytes of each plan."""
    totals = [plan.total / MILLION for _, plan in plans]
    words = [f"{total:,.0f} MB" for total in totals]
    axis = titled("MB", range=[0, max(totals) * 1.35])
    return _stacked(plans, MILLION, "%{x:,.1f} MB", words, axis, height)


def memory_plans(plans: Plans, there: int, *, height: int = 340) -> Plain:
    """Gigabytes of each plan, and a line where the memory ends: `there` bytes."""
    shorter = [(name.replace(" alone, ", " alone,<br>"), plan) for name, plan in plans]
    end, most = there / BILLION, max(plan.total for _, plan in plans) / BILLION
    # A memory many times as large would press all bars into a corner: then the line is left to the words.
    shown = end <= 4 * most
    axis = titled("GB", range=[0, max(most * 1.3, end * 1.1 if shown else 0)])
    words = [gigabytes(plan.total) for _, plan in plans]
    figure = _stacked(shorter, BILLION, "%{x:.3f} GB", words, axis, height)
    if shown:
        line = {"color": LOOKS["correction"].tone.mark, "width": 3, "dash": "dot"}
        figure["layout"]["shapes"] = [upright(end, line)]
        # Its name stands in the legend: beside the line it would run into the bars' figures.
        figure["data"].append(trace("scatter", x=[None], y=[None], mode="lines", line=line, name="memory there is"))
    return figure


def _stacked(
    plans: Plans, unit: float, said: str, totals: Sequence[str], axis: Mapping[str, object], height: int
) -> Plain:
    """A bar for each plan; `said` tells a part's amount, `totals` each plan's own in words."""
    parts = [
        (part, [getattr(plan, field) / unit for _, plan in plans], colour, pattern)
        for part, field, colour, pattern in FIELDS
    ]
    ends = [(plan.total / unit, words) for (_, plan), words in zip(plans, totals, strict=True)]
    return stacked_bars([name for name, _ in plans], parts, ends, said, axis, height)
