"""The round in hand: one prompt, seed and round that travel along the chapters which look inside it.

The prompt, the temperature, the seed, γ and the round's number are controls of the visit, so each chapter's address
names them and the next chapter opens the same round.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

import streamlit as st

from core.decoding.request import DecodeRequest
from core.decoding.rounds import Round
from core.decoding.trace import Trace
from ui import engine, visit
from ui.content import ChapterText
from ui.page import BROKEN_LINK, tell_unreadable
from ui.palette import LOOKS
from ui.request_bar import gamma_slider, request_bar

MOST_ROUNDS = 999
_CHOSEN_FOR = "hand.chosen-for"


@dataclass(frozen=True)
class Hand:
    """A speculative run and the round of it that is being looked at."""

    trace: Trace
    round: Round

    @property
    def before(self) -> str:
        """The answer's text before the round."""
        return "".join(self.pieces_before)

    @property
    def pieces_before(self) -> tuple[str, ...]:
        """The answer's tokens before the round, as text."""
        written = 1 + sum(len(r.committed) for r in self.trace.rounds[: self.round.index])
        return self.trace.pieces[:written]


def hand(page: str, chapter: ChapterText, greedy: bool = False) -> Hand | None:
    """Draw the request's bar, γ and the choice of a round. None while there is no round to show (the page says why).

    `greedy` runs the request at temperature 0 whatever the bar says. Its rounds are chosen apart, so that the
    round in hand is still there when it is switched off again.
    """
    request = request_bar(page, chapter)
    row = st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key=f"round-{page}")
    with row:
        gamma = gamma_slider(page, chapter.gamma)
    if request is None or not engine.loading_panel():
        return None
    request = replace(request, gamma=gamma, max_new_tokens=chapter.length)
    if greedy:
        request = replace(request, temperature=0.0)
    trace = engine.run(request, f"{page}-run")
    if trace is None:
        return None
    drafting = [r for r in trace.rounds if r.positions]
    if not drafting:
        st.info("This answer is too short for a round of guesses: choose another prompt or seed.")
        return None
    control = visit.Control("greedy_round" if greedy else "round", 0, visit.whole(0, MOST_ROUNDS))
    with row:
        chosen = _choose(page, control, request, drafting)
    if request.temperature == 0 and not greedy:
        st.caption(
            "At temperature 0 each distribution has all its mass on one token, so a guess is simply right or wrong. "
            "Raise the temperature to see the rule weigh p against q."
        )
    return Hand(trace, chosen)


def telling(rounds: list[Round]) -> Round:
    """The round that shows most: guesses kept, one missed, others dropped; else one with a miss; else the first."""
    missed = [r for r in rounds if r.rejected]
    whole = [r for r in missed if r.accepted and r.accepted + 1 < len(r.positions)]
    return next(iter([*whole, *missed, *rounds]))


def summary(round_: Round) -> str:
    """A round's outcome by its signs and in a few words: `✓✓✕·  2 kept, then a miss`."""
    signs = {True: LOOKS["kept"].glyph, False: LOOKS["discarded"].glyph, None: "·"}
    row = "".join(signs[x.accepted] for x in round_.positions)
    if round_.rejected:
        return f"{row}  {round_.accepted} kept, then a miss"
    whole = "all" if round_.accepted == len(round_.positions) else str(round_.accepted)
    return f"{row}  {whole} kept" + (", then a bonus" if round_.final else ", the text ends")


def _choose(page: str, control: visit.Control[int], request: DecodeRequest, rounds: list[Round]) -> Round:
    by_number = {r.index + 1: r for r in rounds}
    numbers = list(by_number)
    # A round that was chosen in another run does not carry over.
    asked = belonging(control, page, request)
    here = asked if asked in by_number else telling(rounds).index + 1
    tell_unreadable(control)
    if asked not in (0, here):
        st.warning(f"This run has no round {asked} with guesses, so round {here} is shown.", icon=BROKEN_LINK)
    key = f"{page}:{control.name}"
    # What is shown unless somebody chose is a figure of the run, and the address names only what was chosen.
    st.session_state[key] = here
    st.selectbox(
        "Round in hand",
        numbers,
        format_func=lambda n: f"{n} of {numbers[-1]} · {summary(by_number[n])}",
        width=370,
        key=key,
        on_change=visit.take,
        args=(control, key, here),
    )
    later = [n for n in numbers if n > here]
    missed = [n for n in numbers if by_number[n].rejected and n != here]
    _button(page, "Previous", "arrow_back", control, [n for n in numbers if n < here][-1:])
    _button(page, "Next", "arrow_forward", control, later)
    # After the last one it goes round to the first.
    _button(page, "Next with a miss", "close", control, [n for n in missed if n > here] + missed)
    return by_number[here]


def _button(page: str, label: str, icon: str, control: visit.Control[int], there: list[int]) -> None:
    """A button that goes to the first of `there`."""
    st.button(
        label,
        key=f"{page}-round-{label.lower().replace(' ', '-')}",
        icon=f":material/{icon}:",
        disabled=not there,
        on_click=visit.choose,
        args=(control, *there[:1]),
    )


def belonging(control: visit.Control[int], page: str, to: Hashable) -> int:
    """A control's value, as long as what it was chosen for is still there; else, and at first, its default."""
    value = visit.value(control, page)
    chosen_for = st.session_state.setdefault(_CHOSEN_FOR, {})
    before, number = chosen_for.get(control.name, (to, value))
    if value != control.default and before != to and number == value:
        visit.choose(control, control.default)
        value = control.default
    chosen_for[control.name] = (to, value)
    return value
