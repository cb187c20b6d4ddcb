"""Chapter 14: five sources of guesses over one prompt, side by side in figures and words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

import streamlit as st

from core.decoding.request import MAX_BRANCHES, DecodeRequest, Drafter
from core.decoding.rounds import Round
from core.decoding.trace import Trace
from ui import runs, visit
from ui.words import count, megabytes, times, visible

BRANCHES = visit.Control("branches", 2, visit.whole(2, MAX_BRANCHES))
_STOPPED = "sources.stopped"
CLOSE = 0.03
"""Speed-ups nearer to each other than this are called equal: the clock wobbles as much."""


@dataclass(frozen=True)
class Source:
    """A source of guesses: its name on screen, where its guesses come from, and what it takes to have it."""

    drafter: Drafter
    title: str
    comes_from: str
    needs: str


SOURCES = (
    Source(
        "draft",
        "Draft model",
        "A second, smaller model reads the text and writes ahead, token by token.",
        "A model with the target's vocabulary, its weights and its own KV cache.",
    ),
    Source(
        "lookup",
        "Prompt lookup",
        "The last few tokens are looked for earlier in the text; what followed there is guessed again.",
        "Nothing. No model, hardly any time; but a text that repeats itself.",
    ),
    Source(
        "early_exit",
        "Early exit",
        "The target guesses for itself: it stops after its first layers and asks its head for a token there.",
        "Weights and cache are there already; to be any good, a target trained to be left early.",
    ),
    Source(
        "head",
        "Multi-token head",
        "One extra layer takes the target's last hidden state and carries it on by a token at a time.",
        "A layer trained on this very target; it fits no other.",
    ),
    Source(
        "tree",
        "Draft tree",
        "The draft model offers several candidates for a place and carries each on; one pass checks all branches.",
        "The draft model, and a longer pass for the target.",
    ),
)


@dataclass(frozen=True)
class Row:
    """What a source gave on one prompt.

    Attributes:
        guesses: tokens guessed a round, branches of a tree included.
        alpha_hat: accepted over examined; in a tree a place counts as accepted if any of its candidates was.
        tau: tokens a target pass.
        drafting, checking, other: what a mean round spent, in seconds a plain step of the target takes.
        speed_up: against standard decoding at its fastest.
        memory: bytes of weights beyond the target's.
        same_text: whether the tokens are those of standard decoding.
    """

    source: Source
    guesses: float
    alpha_hat: float | None
    tau: float
    drafting: float
    checking: float
    other: float
    speed_up: float
    memory: int
    same_text: bool


def requests(base: DecodeRequest, offered: Sequence[str], branches: int) -> dict[str, DecodeRequest]:
    """What is run, by name: the target alone, then each source that the pair offers. The rule that draws with shared
    noise has all of them write the same text, whatever the temperature."""
    shared = replace(base, rule="coupled" if base.temperature else "rejection")
    found = {"standard": replace(shared, method="standard")}
    for source in SOURCES:
        if source.drafter in offered:
            asked = replace(shared, drafter=source.drafter)
            found[source.drafter] = replace(asked, branches=branches) if source.drafter == "tree" else asked
    return found


def row(source: Source, alone: Trace, trace: Trace, memory: int) -> Row | None:
    """A source's figures; None where the text is too short to be timed."""
    both = runs.compared(alone, trace)
    if both is None:
        return None
    step = median(r.target_time for r in alone.rounds) / alone.pair.padding_cost
    rounds = len(trace.rounds)
    return Row(
        source,
        guesses=sum(r.guesses for r in trace.rounds) / rounds,
        alpha_hat=trace.alpha_hat,
        tau=both.speculative.tau,
        drafting=both.speculative.draft_seconds / rounds / step,
        checking=both.speculative.target_seconds / rounds / step,
        other=both.speculative.overhead_seconds / rounds / step,
        speed_up=both.speed_up,
        memory=memory,
        same_text=trace.tokens == alone.tokens,
    )


def table(rows: Sequence[Row]) -> list[dict[str, str]]:
    """The rows as words, for a table."""
    return [
        {
            "Source": r.source.title,
            "Guesses a round": f"{r.guesses:.1f}",
            "Accepted α̂": "–" if r.alpha_hat is None else f"{r.alpha_hat:.2f}",
            "Tokens a pass τ": f"{r.tau:.2f}",
            "Drafting": f"{r.drafting:.2f}",
            "Checking": f"{r.checking:.2f}",
            "Speed-up": times(r.speed_up),
            "Extra memory": megabytes(r.memory) if r.memory else "none",
            "Text": "✓ same" if r.same_text else "✗ differs",
        }
        for r in rows
    ]


def verdict(rows: Sequence[Row]) -> str:
    """Which source won here, why, and which ones cost time, in words."""
    best = max(rows, key=lambda r: r.speed_up)
    if best.speed_up <= 1 + CLOSE:
        return (
            f"**No source pays on this text.** The best, {best.source.title.lower()}, gives {times(best.speed_up)}. "
            "Leave drafting off here, or choose a text that is easier to guess."
        )
    near = [r for r in rows if r is not best and best.speed_up - r.speed_up <= CLOSE]
    words = f"**{best.source.title} wins here: {times(best.speed_up)}.** " + _why(best, rows)
    if near:
        words += f" {_listed(near)} {'is' if len(near) == 1 else 'are'} as good, within what the clock can tell."
    losing = [r for r in rows if r.speed_up < 1 - CLOSE]
    if losing:
        words += f" {_listed(losing)} {'costs' if len(losing) == 1 else 'cost'} more than standard decoding."
    return words


def _why(best: Row, rows: Sequence[Row]) -> str:
    longest = max(rows, key=lambda r: r.tau)
    if best is longest:
        return (
            f"It brings the most tokens a pass, {best.tau:.2f}, and its guessing costs {best.drafting:.2f} "
            "target passes a round."
        )
    dear, cheap = longest.drafting + longest.checking, best.drafting + best.checking
    return (
        f"{longest.source.title} brings more tokens a pass ({longest.tau:.2f} against {best.tau:.2f}), "
        f"but a round of it costs {dear:.2f} target passes against {cheap:.2f}."
    )


def _listed(rows: Sequence[Row]) -> str:
    names = [r.source.title if i == 0 else r.source.title.lower() for i, r in enumerate(rows)]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def telling_round(rounds: Sequence[Round]) -> int:
    """The round of a tree that shows most: a second candidate that saved the branch, else the longest branch."""

    def worth(r: Round) -> tuple[bool, int, int]:
        saved = any(n.accepted and any(m.accepted is False and m.parent == n.parent for m in r.tree) for n in r.tree)
        return saved, r.accepted, len(r.tree)

    return max(range(len(rounds)), key=lambda i: worth(rounds[i]))


def tree_words(r: Round) -> str:
    """What happened in a round over a tree, in a sentence or two."""
    examined = sum(n.accepted is not None for n in r.tree)
    path = [visible(n.text) for n in r.tree if n.accepted]
    words = (
        f"{count(len(r.tree), 'candidate')} in {count(r.gamma, 'level')}, all checked in one pass; the rule looked at "
        f"{examined} of them. "
    )
    if not path:
        return (
            words + "None of the candidates for the first place stayed, so the round gives one token, the correction."
        )
    return words + f"The branch that survived: {' → '.join(f'“{piece}”' for piece in path)}."


def by_drafter(traces: Mapping[str, Trace], memory: Mapping[str, int]) -> list[Row]:
    """The figures of every source that has run beside the target alone."""
    alone = traces["standard"]
    made = (row(s, alone, traces[s.drafter], memory.get(s.drafter, 0)) for s in SOURCES if s.drafter in traces)
    return [r for r in made if r]


def title(name: str) -> str:
    """A run's name for a sentence."""
    return next((s.title.lower() for s in SOURCES if s.drafter == name), "the target alone")


def alt(rows: Sequence[Row]) -> str:
    """The speed-ups as a sentence for a screen reader."""
    return "Speed-up: " + ", ".join(f"{r.source.title.lower()} {times(r.speed_up)}" for r in rows)


def before(trace: Trace, r: Round) -> str:
    """The text of the last token that stood before a round."""
    return trace.pieces[sum(len(x.committed) for x in trace.rounds[: r.index])]


def stop(plan: Mapping[str, DecodeRequest], done: int) -> None:
    """Make no more than `done` runs of this plan until `go_on`."""
    st.session_state[_STOPPED] = tuple(plan.values()), done


def go_on() -> None:
    """Make the runs that are missing after all."""
    st.session_state.pop(_STOPPED, None)


def stopped_after(plan: Mapping[str, DecodeRequest]) -> int | None:
    """How many runs this very plan was stopped after; None if it was not."""
    stopped, done = st.session_state.get(_STOPPED, (None, None))
    return done if stopped == tuple(plan.values()) else None
