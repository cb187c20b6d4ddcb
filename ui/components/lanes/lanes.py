"""Mounting the replay: what goes to the browser, and which token was selected there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import streamlit as st

from ui.clocks import Lane
from ui.components.assets import HERE, script, stylesheet

_lanes = st.components.v2.component(
    "lanes",
    html=(HERE / "lanes/lanes.html").read_text(encoding="utf-8"),
    css=stylesheet("shared/tokens.css", "lanes/lanes.css"),
    js=script("shared/tokens.js", "lanes/model.js", "lanes/view.js", "lanes/lanes.js"),
)


@dataclass(frozen=True)
class LaneWords:
    """How the replay names things."""

    token: str
    tokens: str
    target_calls: str
    draft_calls: str
    target_busy: str
    draft_busy: str
    prompt: str = "reading the prompt"
    prompt_pass: str = "the prompt’s own pass"
    round: str = "Round"
    ready: str = "ready"
    finished: str = "finished"


TOKENS = LaneWords("token", "tokens", "target calls", "draft calls", "target pass", "draft step")
"""The field's terms, from chapter 4 on."""

WORDS = LaneWords("word", "words", "big model calls", "small model calls", "big model at work", "small model at work")
"""Part I's words."""


def lanes(
    lanes: Sequence[Lane],
    *,
    key: str,
    run_id: str,
    unit: str = "s",
    step_label: str = "Step",
    play_label: str = "Play",
    words: LaneWords = TOKENS,
    start: Literal["begin", "end"] = "begin",
    speed_up_label: str | None = None,
    pace: float = 1.0,
) -> tuple[int, int] | None:
    """Replay lanes side by side; return (lane, token) of the selected token.

    A new `run_id` starts over, at the beginning or at the end as `start` says; give a new one when the
    run or the clock changes. `unit` names the lanes' times; `pace` is how many of them pass in a second
    of play (a fast run on the measured clock can be watched at 0.1). `speed_up_label` shows how much
    faster the last lane has been than the first so far, from the first token on.
    """
    data = lanes_data(lanes, run_id) | {
        "unit": unit,
        "step_label": step_label,
        "play_label": play_label,
        "words": asdict(words),
        "start": start,
        "speed_up_label": speed_up_label,
        "pace": pace,
    }
    result = _lanes(key=key, data=data, default={"selected": None}, on_selected_change=lambda: None)
    return selected_token(result, run_id, lanes)


def lanes_data(lanes: Sequence[Lane], run_id: str) -> dict[str, Any]:
    """What the browser draws: each lane with the times at which its text is delivered, finished and over."""
    derived = ({"delivered": lane.delivered, "finish": lane.finish, "end": lane.end} for lane in lanes)
    return {"run_id": run_id, "lanes": [asdict(lane) | more for lane, more in zip(lanes, derived, strict=True)]}


def selected_token(state: Mapping[str, Any] | None, run_id: str, lanes: Sequence[Lane]) -> tuple[int, int] | None:
    """The token that the browser reported for this very run, if it exists."""
    report = (state or {}).get("selected")
    if not isinstance(report, Mapping) or report.get("run") != run_id:
        return None
    lane, index = report.get("lane"), report.get("index")
    if not isinstance(lane, int) or not isinstance(index, int):
        return None
    exists = 0 <= lane < len(lanes) and 0 <= index < len(lanes[lane].tokens)
    return (lane, index) if exists else None
