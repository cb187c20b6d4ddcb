"""Mounting the picture of a pass: its places go to the browser, the chosen one comes back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import blake2s
from typing import Any

import streamlit as st

from core.decoding.rounds import Candidate, Round
from ui.components.assets import script, stylesheet
from ui.hand import Hand
from ui.round_words import usable
from ui.words import share

_pass = st.components.v2.component(
    "one_pass",
    html='<div class="root one-pass"><div class="places" role="toolbar" aria-orientation="horizontal"></div></div>',
    css=stylesheet("shared/tokens.css", "one_pass/one_pass.css"),
    js=script("shared/tokens.js", "one_pass/one_pass.js"),
)

FIRST = 3
"""Candidates that the picture shows of each answer."""


def one_pass(hand: Hand, *, key: str, place: int, verdicts: bool, on_place: Callable[[int], None]) -> None:
    """Draw the pass of the round in hand; `on_place` is told which place (from 0) is chosen.

    Without `verdicts` nothing says yet which guesses were kept, or which answers could not be used.
    """
    places = len(hand.round.positions) + 1

    def told() -> None:
        at = (st.session_state.get(key) or {}).get("place")
        if isinstance(at, int) and not isinstance(at, bool) and 0 <= at < places:
            on_place(at)

    _pass(key=key, data=pass_data(hand, place, verdicts), on_place_change=told)


def pass_data(hand: Hand, place: int, verdicts: bool) -> dict[str, Any]:
    """What the browser draws: what went in at each place, what came out, and what became of it."""
    guesses = hand.round.positions
    inputs = [hand.pieces_before[-1], *(x.text for x in guesses)]
    answers = [*(x.top_p for x in guesses), by_p(hand.round.behind)]
    places = [
        {
            "input": text,
            "answer": [(c.text, c.p, share(c.p)) for c in answer[:FIRST]],
            "about": guesses[i].text if i < len(guesses) else None,
            "verdict": _verdict(hand.round, i) if verdicts else None,
        }
        for i, (text, answer) in enumerate(zip(inputs, answers, strict=True))
    ]
    told = repr((hand.trace.request, hand.round.index))
    return {
        "id": blake2s(told.encode("utf-8", "replace"), digest_size=8).hexdigest(),
        "label": f"One pass of the target over {len(places)} tokens",
        "places": places,
        "place": place,
    }


def by_p(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Those that p gives anything to, the likeliest first."""
    return sorted((c for c in candidates if c.p > 0), key=lambda c: (-c.p, c.token))


def _verdict(round_: Round, place: int) -> str:
    if not usable(round_, place) or (place == len(round_.positions) and round_.final is None):
        return "unused"
    if place == len(round_.positions):
        return "bonus"
    x = round_.positions[place]
    return {True: "kept", False: "miss", None: "unused"}[x.accepted]
