"""Chapter 15's controls and words: which pair, what fits, what was measured, and the decision."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import streamlit as st

from core.measure.readiness import Promise, Result
from core.measure.readiness_memory import PRECISIONS, Fit, Row, tokens_instead
from core.measure.readiness_times import Lines, Split
from core.models.presets import Preset, find_preset, presets
from core.settings import Settings
from core.theory.memory import ModelSize
from ui import visit
from ui.figures_ready import Dots, gigabytes
from ui.words import count, duration, share, times

if TYPE_CHECKING:
    from core.models.compat import PairReport

LOADED, FOLDERS = "loaded", "folders"
TARGET_FOLDER = visit.Control("target_folder", "", visit.text)
DRAFT_FOLDER = visit.Control("draft_folder", "", visit.text)
LONGEST_ANSWER = 4000
USUAL = visit.Control("usual", 60, visit.whole(1, LONGEST_ANSWER))
LOADING = visit.Control("loading", 0.0, visit.decimal(0.0, 600.0, 0.1))
SHORTEST_CONTEXT, USUAL_CONTEXT = 256, 4096
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
OF_FIT: dict[Fit, tuple[Mark, str]] = {
    "fits": ("yes", "fits"),
    "barely": ("note", "barely fits"),
    "not": ("no", "does not fit"),
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


def choices(settings: Settings) -> dict[str, str]:
    """The pairs to choose from, by name: the loaded one first."""
    found = {name: preset.title for name, preset in presets().items()}
    first = settings.preset if settings.preset in found else LOADED
    title = found.get(first) or find_preset(settings.preset).title
    found = {first: f"{title} (loaded here)", **{name: words for name, words in found.items() if name != first}}
    return {**found, FOLDERS: "Two folders of this machine …"} if settings.folders else found


def pair_control(offered: dict[str, str]) -> visit.Control[str]:
    """Which pair; the loaded one at first."""
    return visit.Control("pair", next(iter(offered)), visit.one_of(*offered))


def preset_of(chosen: str, settings: Settings) -> Preset:
    """The preset behind a choice that is not two folders.

    Raises:
        ModelError: when the settings name a pair that is not there.
    """
    return find_preset(settings.preset if chosen == LOADED else chosen)


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


def waits_sentence(both: Lines, loading: float) -> str:
    """From which length on drafting is quicker, with the figures."""
    first = f"{duration(both.drafted.first - both.standard.first)}"
    what = "the draft's own prompt pass" + (f" and {loading:g} s of loading" if loading else "")
    speed = f"{duration(both.standard.token)} a token alone, {duration(both.drafted.token)} with drafting"
    even = both.break_even
    if even is None:
        return (
            f"**No length pays.** The first token comes {first} later ({what}), and nothing is won after it: {speed}."
        )
    if even > LONGEST_ANSWER:
        return (
            f"**Hardly any length pays.** The first token comes {first} later ({what}), and that is only won back "
            f"after {even:,} tokens: {speed}."
        )
    if both.drafted.first <= both.standard.first:
        return f"**Answers of {count(even, 'token')} or more are quicker with drafting**, at no set-up cost: {speed}."
    lose = f"Shorter ones lose: their first token comes {first} later ({what})"
    return f"**Answers of {count(even, 'token')} or more are quicker with drafting.** {lose}. After it, {speed}."


def split_formula(found: Split) -> str:
    """The speed-up from its parts, in TeX."""
    ms = [f"{1000 * x:.1f}" for x in (found.standard, found.draft, found.verify, found.overhead)]
    return (
        r"\begin{gathered} S = \frac{\tau \cdot t_{\text{target}}}"
        r"{t_{\text{draft}} + t_{\text{verify}} + t_{\text{overhead}}} \\[0.6em]"
        rf" = \frac{{{found.tau:.2f} \cdot {ms[0]}}}{{{ms[1]} + {ms[2]} + {ms[3]}}} = \mathbf{{{found.speed_up:.2f}}}"
        r" \end{gathered}"
    )


def split_words(found: Split) -> str:
    """Why acceptance alone does not decide, with this pair's figures."""
    parts = (
        f"Of a round's {duration(found.round)}, draft steps take {share(found.draft / found.round)}, the verification "
        f"pass {share(found.verify / found.round)}, overhead {share(found.overhead / found.round)}."
    )
    top = (
        f"Even if every guess were kept, these costs would allow {times(found.ceiling)} with its "
        f"{found.gamma:.1f} guesses a round."
    )
    spare = found.tau * found.standard - found.round
    if spare > 0:
        factor = 1 + spare / found.draft
        limit = f"A draft that guesses just as well but takes {factor:.1f} times as long a step would gain nothing."
    else:
        limit = "As it is, the round costs more than it gains, however good the guesses look."
    return f"{parts} {top} {limit}"


@dataclass(frozen=True)
class Step:
    """One line of the closing list."""

    kind: Mark
    title: str
    words: str


def text_step(kept: Sequence[Promise] | None) -> Step:
    """Whether the answers stayed the same."""
    title = "The answers stay the same"
    if kept is None:
        return Step("open", title, "Not checked yet: run the check above.")
    broken = [p.name.lower() for p in kept if p.kept is False]
    if broken:
        return Step("no", title, f"Not all of them: see {', '.join(broken)}.")
    return Step("yes", title, f"{kept[0].words}")


def wait_step(both: Lines | None, usual: int) -> Step:
    """Whether an answer of the usual length is there sooner."""
    title = "The wait gets shorter"
    if both is None:
        return Step("open", title, "Not measured yet.")
    words = (
        f"{count(usual, 'token')}: {duration(both.standard.total(usual))} alone, "
        f"{duration(both.drafted.total(usual))} with drafting ({times(both.speed_up(usual))})."
    )
    gain = both.speed_up(usual) - 1
    return Step("yes" if gain > NOTICED else "note" if gain > -NOTICED else "no", title, words)


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


COLUMNS = ["Prompt", "Answer", "Form or fact", "Repeated", "Ends", "Speed-up"]
"""The table of all prompts, see `row_cells`."""


def row_cells(result: Result) -> list[str]:
    """One prompt's line in the table of all: the cells of `COLUMNS`."""
    same = (
        sign("yes", "the same") if result.parts_at is None else sign("no", f"differs from token {result.parts_at + 1}")
    )
    ends = {"eos": "by itself", "length": "cut", "context": "context full", "cancelled": "stopped"}
    ending = ends[result.reference.stop]
    ended = ending if result.ends_alike else sign("no", f"{ending}, then {ends[result.drafted.stop]}")
    repeated = share(result.drafted.repetition)
    if result.repeats_more:
        repeated = sign("no", f"{share(result.reference.repetition)}, then {repeated}")
    return [result.check.label, same, _form_cell(result), repeated, ended, _gain_cell(result)]


def _form_cell(result: Result) -> str:
    if result.check.kind == "text":
        return "–"
    good = "right" if result.check.kind == "known" else "valid"
    before, after = result.faults
    if before is None and after is None:
        return sign("yes", f"{good} both ways")
    if before is not None and after is not None:
        return sign("note", f"neither way: {after}")
    return sign("no", f"{good} before, then {after}" if before is None else f"{before}, then {good}")


def _gain_cell(result: Result) -> str:
    gain = result.speed_up
    word = times(gain)
    return sign("yes", word) if gain > 1 + NOTICED else sign("no", word) if gain < 1 - NOTICED else sign("note", word)


def failure(error: Exception) -> None:
    """A failure in one sentence; in a box of plain text, since it may quote a folder's name."""
    with st.container(border=True):
        st.text(str(error))


def shown_length(both: Lines, usual: int, longest: int) -> int:
    """How far the picture of the waits reaches: all that was measured, the reader's length, and the break-even."""
    even = both.break_even
    least = max(longest, usual, 2 * even if even is not None and even <= LONGEST_ANSWER else 0)
    return max(16, round(1.1 * least))


def dots(results: Sequence[Result], loading: float) -> tuple[Dots, Dots]:
    """What was measured, as points: the references, and the drafted answers with `loading` seconds before them."""
    return (
        [(len(r.reference.tokens), r.reference.total, r.check.label) for r in results],
        [(len(r.drafted.tokens), r.drafted.total + loading, r.check.label) for r in results],
    )


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


def memory_step(rows: Sequence[Row] | None) -> Step:
    """Whether the pair, the second row, fits into the memory."""
    title = "It fits into the memory"
    if rows is None:
        return Step("open", title, "Not planned yet.")
    kind = OF_FIT[rows[1].fit][0]
    words = {"yes": "With room to spare", "note": "Barely: stabilise first", "no": "No"}[kind]
    return Step(kind, title, f"{words}: {gigabytes(rows[1].plan.total)} at {rows[1].plan.context:,} tokens.")
