"""The choice between the classroom clock and the measured one, held in the address."""

from __future__ import annotations

import streamlit as st

from ui import visit
from ui.clocks import MEASURED, Clock, classroom

CLOCK = visit.Control("clock", "classroom", visit.one_of("classroom", "measured"))
TARGET_MS = visit.Control("target_ms", 600, visit.whole(50, 3000, 50))
DRAFT_MS = visit.Control("draft_ms", 60, visit.whole(5, 3000, 5))

_CLOCKS = {"classroom": "Classroom", "measured": "Measured"}


def clock_bar(page: str, target: str = "target", draft: str | None = "draft") -> Clock:
    """Draw the choice; `target` and `draft` are what the chapter calls the models, None for one without draft steps."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="clock"):
        name = st.segmented_control(
            "Clock",
            list(_CLOCKS),
            format_func=lambda c: _CLOCKS[c],
            required=True,
            **visit.bind(CLOCK, page),
            help="Classroom: slow enough to watch. Measured: this machine's own call times.",
        )
        if name == "measured":
            return MEASURED
        target_ms = st.number_input(f"ms a {target} call", 50, 3000, step=50, width=170, **visit.bind(TARGET_MS, page))
        if draft is None:
            return classroom(target_ms)
        draft_ms = st.number_input(f"ms a {draft} call", 5, 3000, step=5, width=170, **visit.bind(DRAFT_MS, page))
    return classroom(target_ms, draft_ms)


def pace(clock: Clock) -> float:
    """How many seconds of the clock pass in a second of play: real calls are too quick to follow."""
    return 0.1 if clock == MEASURED else 1.0


def pace_note(clock: Clock) -> None:
    """Say so where the replay is slowed down."""
    if clock == MEASURED:
        st.caption(
            "These are this machine's own times. The replay runs ten times slower than that, so that you can follow it."
        )
