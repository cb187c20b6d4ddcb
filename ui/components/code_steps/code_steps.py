"""Mounting the code: its lines and the recorded steps go to the browser, the step looked at comes back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import blake2s
from typing import TYPE_CHECKING, Any

import streamlit as st

from ui.components.assets import script, stylesheet

if TYPE_CHECKING:
    from core.decoding.stepping import Recording

_code = st.components.v2.component(
    "code_steps",
    html='<div class="root code-steps"><div class="steps-bar" role="group" aria-label="Steps"></div>'
    '<div class="listing" role="group"></div><p class="note" aria-live="polite"></p></div>',
    css=stylesheet("shared/tokens.css", "shared/steps.css", "code_steps/code_steps.css"),
    js=script("shared/steps.js", "code_steps/code_steps.js"),
)


def code_steps(
    recording: Recording, notes: Sequence[str], *, key: str, step: int, on_step: Callable[[int], None]
) -> None:
    """Show the code with the line of a step lit, and every value seen so far beside its line.

    `notes` has a sentence a step. `step` is where a new recording starts; `on_step` is told where the reader is.
    """

    def told() -> None:
        at = (st.session_state.get(key) or {}).get("step")
        if isinstance(at, int) and not isinstance(at, bool) and 0 <= at < len(recording.steps):
            on_step(at)

    _code(key=key, data=code_data(recording, notes, step), on_step_change=told)


def code_data(recording: Recording, notes: Sequence[str], step: int) -> dict[str, Any]:
    """What the browser draws. The id changes with the recording."""
    steps = [{"line": s.line, "values": s.values, "note": n} for s, n in zip(recording.steps, notes, strict=True)]
    return {
        "id": blake2s(repr((recording.lines, recording.steps)).encode("utf-8", "replace"), digest_size=8).hexdigest(),
        "label": f"The function {recording.function}",
        "lines": recording.lines,
        "steps": steps,
        "step": min(step, len(steps) - 1),
    }
