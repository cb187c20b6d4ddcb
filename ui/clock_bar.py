"""The choice between the classroom clock and the measured one, held in the address."""

from __future__ import annotations

import streamlit as st

from ui import visit
from ui.clocks import MEASURED, Clock, classroom

LONGEST_MS = 3000
TARGET_MS = visit.Control("target_ms", 600, visit.whole(50, LONGEST_MS, 50))
DRAFT_MS = visit.Control("draft_ms", 60, visit.whole(5, LONGEST_MS, 5))

_CLOCKS = {"classroom": "Classroom", "measured": "Measured"}


def clock_control(default: str) -> visit.Control[str]:
    """Which clock; each page begins with its own."""
    return visit.Control("clock", default, visit.one_of(*_CLOCKS))


def clock_bar(page: str, target: str = "target", draft: str | None = "draft", default: str = "classroom") -> Clock:
    """Draw the choice; `target` and `draft` are what the chapter calls the models, None for one without draft steps."""
    with st.container(horizontal=True, vertical_alignment="center", key=f"clock-{page}"):
        name = st.segmented_control(
            "Clock",
            list(_CLOCKS),
            format_func=lambda c: _CLOCKS[c],
            required=True,
            label_visibility="collapsed",
            **visit.bind(clock_control(default), page),
        )
        if name == "measured":
            st.caption("this machine's own call times", width="content")
            return MEASURED
        times = [(TARGET_MS, 50, f"ms a {target} call")] + ([(DRAFT_MS, 5, f"ms a {draft} call")] if draft else [])
        label = ", ".join(f"{visit.value(control, page)} {words}" for control, _, words in times)
        with st.popover(label, type="tertiary", help="Change the times", key=f"clock-times-{page}"):
            chosen = [
                st.number_input(words, step, LONGEST_MS, step=step, **visit.bind(control, page))
                for control, step, words in times
            ]
    return classroom(*chosen)


def pace(clock: Clock) -> float:
    """How many seconds of the clock pass in a second of play: real calls are too quick to follow."""
    return 0.1 if clock == MEASURED else 1.0


def pace_note(clock: Clock) -> None:
    """Say so where the replay is slowed down."""
    if clock == MEASURED:
        st.caption(
            "These are this machine's own times. The replay runs ten times slower than that, so that you can follow it."
        )
