"""Mounting the picture of several runs' schedules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

import streamlit as st

from ui.clocks import Lane, LaneToken
from ui.components.assets import HERE, script, stylesheet

_schedule = st.components.v2.component(
    "schedule",
    html=(HERE / "schedule/schedule.html").read_text(encoding="utf-8"),
    css=stylesheet("shared/tokens.css", "schedule/schedule.css"),
    js=script("shared/tokens.js", "lanes/model.js", "schedule/schedule.js"),
)


def schedule(lanes: Sequence[Lane], notes: Sequence[str], *, key: str, unit: str, say: Callable[[float], str]) -> None:
    """Draw lanes on one axis, each with a note at its title.

    Tokens that come at the same moment stand on top of each other. `unit` names the axis, and `say` puts a time on it
    into words.
    """
    _schedule(key=key, data=schedule_data(lanes, notes, unit, say))


def schedule_data(
    lanes: Sequence[Lane], notes: Sequence[str], unit: str, say: Callable[[float], str]
) -> dict[str, Any]:
    """What the browser draws: only the text that the reader gets, each token with the moment of its coming."""
    return {
        "unit": unit,
        "end": max(lane.end for lane in lanes),
        "lanes": [
            {
                "title": lane.title,
                "note": note,
                "calls": [asdict(call) for call in lane.calls],
                "tokens": [_token(t, say) for t in lane.tokens if t.delivered],
            }
            for lane, note in zip(lanes, notes, strict=True)
        ],
    }


def _token(token: LaneToken, say: Callable[[float], str]) -> dict[str, Any]:
    tip = (("reaches the reader at", say(token.settled)), *token.tip)
    return {"text": token.text, "state": token.state, "time": token.settled, "tip": tip}
