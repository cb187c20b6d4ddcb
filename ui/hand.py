"""The round in hand: one prompt, seed and round that travel along the chapters which look inside it.

The prompt, the temperature, the seed, γ and the round's number are controls of the visit, so each chapter's address
names them and the next chapter opens the same round.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from core.decoding.trace import Round, Trace
from ui import engine, visit
from ui.content import ChapterText
from ui.request_bar import gamma_slider, request_bar

MOST_ROUNDS = 999
ROUND = visit.Control("round", 0, visit.whole(0, MOST_ROUNDS))
"""The number on screen, from 1; 0 while none was chosen."""


@dataclass(frozen=True)
class Hand:
    """A speculative run and the round of it that is being looked at."""

    trace: Trace
    round: Round

    @property
    def before(self) -> str:
        """The answer's text before the round."""
        written = 1 + sum(len(r.committed) for r in self.trace.rounds[: self.round.index])
        return "".join(self.trace.pieces[:written])


def hand(page: str, chapter: ChapterText) -> Hand | None:
    """Draw the request's bar, γ and the choice of a round. None while there is no round to show (the page says why)."""
    request = request_bar(page, chapter)
    gamma = gamma_slider(page, chapter.gamma)
    if request is None or not engine.loading_panel():
        return None
    trace = engine.run(replace(request, gamma=gamma, max_new_tokens=chapter.length), f"{page}-run")
    if trace is None:
        return None
    drafting = [r for r in trace.rounds if r.positions]
    if not drafting:
        st.info("This answer is too short for a round of guesses: choose another prompt or seed.")
        return None
    if request.temperature == 0:
        st.caption(
            "At temperature 0 every distribution has all its mass on one token. "
            "Raise the temperature to see the rule weigh p against q."
        )
    return Hand(trace, _choose(page, drafting))


def telling(rounds: list[Round]) -> Round:
    """The round that shows most: guesses kept, one missed, others dropped; else one with a miss; else the first."""
    missed = [r for r in rounds if r.rejected]
    whole = [r for r in missed if r.accepted and r.accepted + 1 < len(r.positions)]
    return next(iter([*whole, *missed, *rounds]))


def summary(round_: Round) -> str:
    """A round's outcome in a few words."""
    kept = f"{round_.accepted} of {len(round_.positions)} guesses kept"
    return f"{kept}, then a {round_.final.kind}" if round_.final else kept


def _choose(page: str, rounds: list[Round]) -> Round:
    by_number = {r.index + 1: r for r in rounds}
    asked = visit.value(ROUND, page)
    first = telling(rounds).index + 1
    if asked and asked not in by_number:
        st.warning(f"This run has no round {asked} with guesses, so another one is shown.", icon=":material/link_off:")
    # Nothing chosen, or no longer there: the default of this run, and the address says nothing.
    control = visit.Control("round", first, lambda text: _known(ROUND.parse(text), by_number))
    numbers = list(by_number)
    here = numbers.index(visit.value(control, page) if visit.value(control, page) in by_number else first)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="round"):
        number = st.selectbox(
            "Round in hand",
            numbers,
            format_func=lambda n: f"Round {n} of {numbers[-1]} · {summary(by_number[n])}",
            width=460,
            **visit.bind(control, page),
        )
        for label, step, icon in (("Previous", -1, "arrow_back"), ("Next", 1, "arrow_forward")):
            there = here + step
            st.button(
                label,
                key=f"{page}-round-{label.lower()}",
                icon=f":material/{icon}:",
                disabled=not 0 <= there < len(numbers),
                on_click=visit.choose,
                args=(control, numbers[max(0, min(there, len(numbers) - 1))]),
            )
    return by_number[number]


def _known(number: int | None, by_number: dict[int, Round]) -> int | None:
    return number if number in by_number else None
