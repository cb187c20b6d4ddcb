"""Chapter 15's memory planner: its controls, and what follows from a plan."""

from __future__ import annotations

from collections.abc import Sequence

from core.measure.readiness_memory import PRECISIONS, Fit, Row, tokens_instead
from core.theory.memory import ModelSize
from ui import visit
from ui.ready import Mark, Step
from ui.words import gigabytes

SHORTEST_CONTEXT, USUAL_CONTEXT = 256, 4096
OF_FIT: dict[Fit, tuple[Mark, str]] = {
    "fits": ("yes", "fits"),
    "barely": ("note", "barely fits"),
    "not": ("no", "does not fit"),
}


def contexts(longest: int) -> list[int]:
    """Lengths of text to plan for: powers of two, and the longest that the pair reads."""
    found = [n for n in (2**k for k in range(1, 24)) if SHORTEST_CONTEXT <= n < longest]
    return [*found, longest]


def context_control(longest: int) -> visit.Control[int]:
    """The length of text to plan for."""
    offered = contexts(longest)
    usual = max([n for n in offered if n <= USUAL_CONTEXT], default=offered[0])
    return visit.Control("context", usual, lambda text: next((n for n in offered if str(n) == text), None))


def precision_control(default: str) -> visit.Control[str]:
    """The precision of both models' weights."""
    return visit.Control("precision", default, visit.one_of(*PRECISIONS))


def memory_control(measured: int) -> visit.Control[float]:
    """The memory there is, in GB; at first what was measured."""
    return visit.Control("memory", max(0.1, round(measured / 1e9, 1)), visit.decimal(0.1, 10_000.0, 0.1))


def fit_verdict(rows: Sequence[Row], target: ModelSize, there: int) -> tuple[Mark, str]:
    """Whether the pair fits, what to do about it, and what else its memory would buy. The pair is the second row."""
    alone, pair = rows[0], rows[1]
    need = f"{gigabytes(pair.plan.total)} for weights and caches, of {gigabytes(there)}"
    instead = (
        f"The draft takes {gigabytes(pair.plan.draft)} of it. The target's own cache could hold "
        f"{tokens_instead(target, pair.plan):,} more tokens in that."
    )
    if pair.fit == "fits":
        return "yes", f"**It fits with room to spare**: {need}. {instead}"
    if pair.fit == "barely":
        verdict = (
            f"**It barely fits: stabilise first.** {need}, and working space and the program itself come on top. A "
            "machine that begins to swap loses more than drafting can win. Shorten the text, lower the precision, or "
            "get the target running steadily alone before you add a draft."
        )
        return "note", f"{verdict} {instead}"
    if alone.fit == "not":
        return "no", f"**Not even the target fits alone**: {gigabytes(alone.plan.total)} of {gigabytes(there)}."
    steadily = "" if alone.fit == "fits" else ", though barely"
    return "no", f"**It does not fit**: {need}. The target alone does{steadily}. Leave drafting off here. {instead}"


def memory_step(rows: Sequence[Row] | None) -> Step:
    """Whether the pair, the second row, fits into the memory."""
    title = "It fits into the memory"
    if rows is None:
        return Step("open", title, "Not planned yet.")
    kind = OF_FIT[rows[1].fit][0]
    words = {"yes": "With room to spare", "note": "Barely: stabilise first", "no": "No"}[kind]
    return Step(kind, title, f"{words}: {gigabytes(rows[1].plan.total)} at {rows[1].plan.context:,} tokens.")
