"""Mounting the tour's keys: the steps that the browser walks through, and where it went."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from ui.components.assets import script, stylesheet
from ui.tour import Step

_keys = st.components.v2.component(
    "tour_keys",
    html='<div class="tour" role="toolbar" aria-label="Tour"></div><div class="live" role="status"></div>',
    css=stylesheet("keys/keys.css"),
    js=script("keys/fit.js", "keys/screen.js", "keys/bar.js", "keys/keys.js"),
)


def keys(steps: Sequence[Step], here: Step, *, key: str, on_go: Callable[[int], None]) -> bool:
    """Show the bar and listen to the keys; True when somebody leaves the tour.

    The browser goes to a step of the same page at once, by itself. `on_go` is given the number of every
    step that it went to, before the page runs; numbers that no step has are dropped.
    """
    result = _keys(
        key=key,
        data=keys_data(steps, here),
        on_go_change=lambda: _went(st.session_state.get(key), steps, on_go),
        on_leave_change=lambda: None,
    )
    return bool(result.leave)


def keys_data(steps: Sequence[Step], here: Step) -> dict[str, Any]:
    """What the browser gets: every step's screen, title and place, and the one that the page draws."""
    return {
        "step": here.number,
        "steps": [
            {"id": s.id, "page": s.page, "title": s.title, "label": s.label, "encore": bool(s.encore)} for s in steps
        ],
    }


def _went(report: Mapping[str, Any] | None, steps: Sequence[Step], on_go: Callable[[int], None]) -> None:
    number = (report or {}).get("go")
    if isinstance(number, int) and any(s.number == number for s in steps):
        on_go(number)
