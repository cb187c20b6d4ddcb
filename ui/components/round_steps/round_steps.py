"""Mounting the stepper of a round: its frames go to the browser, the step looked at comes back."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2s
from typing import Any

import streamlit as st

from core.decoding.rounds import Position
from ui.components.assets import script, stylesheet
from ui.hand import Hand
from ui.round_words import Frame

_round = st.components.v2.component(
    "round_steps",
    html='<div class="root round-steps"><div class="steps-bar" role="group" aria-label="Steps"></div>'
    '<div class="tokens" role="group" aria-label="The text so far"></div><div class="table"></div>'
    '<div class="draw"></div><div class="said" role="status" aria-live="polite"></div></div>',
    css=stylesheet("shared/tokens.css", "shared/steps.css", "round_steps/round_steps.css"),
    js=script("shared/tokens.js", "shared/steps.js", "round_steps/round_steps.js"),
)

TAIL = 14
"""Tokens of the text before the round that stand before its guesses."""


def round_steps(hand: Hand, frames: list[Frame], *, key: str, step: int, on_step: Callable[[int], None]) -> None:
    """Show the round at a step. `step` is where a new round starts; `on_step` is told of each move."""

    def told() -> None:
        at = (st.session_state.get(key) or {}).get("step")
        if isinstance(at, int) and not isinstance(at, bool) and 0 <= at < len(frames):
            on_step(at)

    _round(key=key, data=round_data(hand, frames, step), on_step_change=told)


def round_data(hand: Hand, frames: list[Frame], step: int) -> dict[str, Any]:
    """What the browser draws. The id changes with the round."""
    final = hand.round.final
    told = {
        "before": hand.pieces_before[-TAIL:],
        "more": len(hand.pieces_before) > TAIL,
        "guesses": [_guess(x) for x in hand.round.positions],
        "final": {"text": final.text, "state": final.kind} if final else None,
        "frames": [
            {"stage": f.stage, "states": f.states, "at": f.at, "final": f.final, "said": _said(hand, f)} for f in frames
        ],
    }
    named = blake2s(repr(told).encode("utf-8", "replace"), digest_size=8).hexdigest()
    return {**told, "id": named, "step": min(step, len(frames) - 1)}


def _guess(x: Position) -> dict[str, Any]:
    return {
        "text": x.text,
        "p": small(x.p),
        "q": small(x.q),
        "ratio": f"{x.ratio:.2f}" if x.ratio < 100 else "100+",
        "u": None if x.u is None else small(x.u),
        "limit": min(1.0, x.ratio),
        "drawn": x.u,
        "verdict": {True: "kept", False: "miss", None: "dropped"}[x.accepted],
    }


def small(x: float) -> str:
    """A probability with three digits behind the point; what would look like 0 or 1 and is not says so."""
    if 0 < x < 0.0005:
        return "<.001"
    return ">.999" if 0.9995 <= x < 1 else f"{x:.3f}"


def _said(hand: Hand, frame: Frame) -> str:
    """The step for those who hear it."""
    if frame.at is None:
        final = hand.round.final
        done = f"The {final.kind} is {final.text.strip()!r}." if frame.final and final else ""
        return f"The draft has guessed {len(hand.round.positions)} tokens." if frame.stage == "start" else done
    x = hand.round.positions[frame.at]
    return f"Guess {frame.at + 1}, {x.text.strip()!r}: p {small(x.p)}, q {small(x.q)}, {_guess(x)['verdict']}."
