"""Chapter 15's words about the answers and the wait: line by line, over the length, and inside a round."""

from __future__ import annotations

from collections.abc import Sequence

from core.measure.readiness import Result
from core.measure.readiness_times import Lines, Split
from ui import visit
from ui.figures_ready import Dots
from ui.ready import NOTICED, Step, sign
from ui.words import count, duration, share, times

LONGEST_ANSWER = 4000
USUAL = visit.Control("usual", 60, visit.whole(1, LONGEST_ANSWER))
LOADING = visit.Control("loading", 0.0, visit.decimal(0.0, 600.0, 0.1))


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


def busy_sentence(quickest: float, slowest: float) -> str:
    """What to think of times that were taken on a busy machine."""
    return (
        f"**This machine was busy while it was measured**: the target alone took between {duration(quickest)} and "
        f"{duration(slowest)} a token, for the same work. Measure again in a quiet moment before you decide."
    )


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
