"""Chapter 15's marks and tables, the lines of its closing list, and the decision."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import streamlit as st

from core.measure.readiness import Promise

if TYPE_CHECKING:
    from core.models.compat import PairReport

NOTICED = 0.05
"""A wait that changes by less than this share is called the same."""

Mark = Literal["yes", "note", "no", "open"]
MARKS: dict[Mark, str] = {
    "yes": ":green[:material/check_circle:]",
    "note": ":orange[:material/info:]",
    "no": ":red[:material/cancel:]",
    "open": ":gray[:material/radio_button_unchecked:]",
}
OF_STATE: dict[str, tuple[Mark, str]] = {"fits": ("yes", "fits"), "note": ("note", "note"), "fails": ("no", "no")}
OF_TAKER: dict[str, tuple[Mark, str]] = {
    "fits": ("yes", "takes it"),
    "note": ("note", "with help"),
    "fails": ("no", "no"),
}
GLYPHS: dict[Mark, str] = {"yes": "✓", "note": "!", "no": "✕", "open": "○"}


def sign(kind: Mark, word: str) -> str:
    """As `mark`, in plain text."""
    return f"{GLYPHS[kind]} {word}"


def mark(kind: Mark, word: str) -> str:
    """A verdict by its shape and in a word."""
    return f"{MARKS[kind]} {word}"


def plain(text: str) -> str:
    """Text that Markdown shows as it is."""
    return re.sub(r"([\\`*_{}\[\]()#+\-.!|<>$~:&])", r"\\\1", " ".join(text.split()))


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [header, [":--"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def failure(error: Exception) -> None:
    """A failure in one sentence; in a box of plain text, since it may quote a folder's name."""
    with st.container(border=True):
        st.text(str(error))


@dataclass(frozen=True)
class Step:
    """One line of the closing list."""

    kind: Mark
    title: str
    words: str


def pair_step(report: PairReport | None) -> Step:
    """Whether the two fit together."""
    title = "The two fit together"
    if report is None:
        return Step("open", title, "The pair could not be looked at.")
    failed = [f.name.lower() for f in report.findings if f.state == "fails"]
    noted = [f.name.lower() for f in report.findings if f.state == "note"]
    if failed or report.refusal:
        return Step("no", title, f"No: {', '.join(failed) or report.refusal}.")
    if noted:
        return Step("yes", title, f"Yes, with a remark on: {', '.join(noted)}.")
    return Step("yes", title, "Same tokens, and caches that can be rolled back.")


def text_step(kept: Sequence[Promise] | None) -> Step:
    """Whether the answers stayed the same."""
    title = "The answers stay the same"
    if kept is None:
        return Step("open", title, "Not checked yet: run the check above.")
    broken = [p.name.lower() for p in kept if p.kept is False]
    if broken:
        return Step("no", title, f"Not all of them: see {', '.join(broken)}.")
    return Step("yes", title, f"{kept[0].words}")


def decision(steps: Sequence[Step]) -> tuple[Mark, str]:
    """What follows from the steps: switch it on, wait, or leave it off."""
    kinds = [s.kind for s in steps]
    wait = steps[-1].kind
    if "no" in kinds[:-1]:
        return (
            "no",
            "**Leave it off.** Something above speaks against this pair; a shorter wait would not make up for it.",
        )
    if wait == "no":
        return "no", "**Leave it off.** On this machine, for answers of your length, drafting makes the wait longer."
    if wait == "note":
        return "note", "**Leave it off.** The wait hardly changes, and the second model costs memory and care."
    if "open" in kinds:
        return "open", "**Not decided yet.** What is still open above has to be looked at first."
    if "note" in kinds[:-1]:
        return "note", "**Stabilise first, then switch it on.** The wait gets shorter; settle the remark above first."
    return "yes", "**Switch it on** for answers like these, and measure again when prompts, machine or load change."
