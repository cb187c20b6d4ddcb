"""What a page shows while the models work on something, and when that goes wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from core.decoding.events import Committed, Drafted, Event, Prefilled
from core.serving import Snapshot, Ticket

POLL_RUNNING, POLL_QUEUED = 0.15, 1.0
"""Seconds between two looks. In the queue there is less to see, and there may be many who wait."""


def follow(ticket: Ticket, snapshot: Snapshot, length: int | None) -> None:
    """Follow work that is not over; the page runs again once it is, and when it leaves the queue.

    `length` is the number of tokens that a run may write, None for other work.
    """
    every = POLL_QUEUED if snapshot.state == "queued" else POLL_RUNNING
    st.fragment(_live, run_every=every)(ticket, snapshot.state, length)


def _live(ticket: Ticket, drawn: str, length: int | None) -> None:
    snapshot = ticket.snapshot()
    if snapshot.state != drawn:
        st.rerun()
    if snapshot.state == "queued":
        st.caption(_place_in_line(snapshot))
    elif length is None:
        st.progress(snapshot.progress or 0.0, text="Asking the models …")
    else:
        text, written, guessed = _so_far(snapshot.events)
        ahead = f", {guessed} guessed ahead" if guessed else ""
        st.progress(min(1.0, written / length), text=f"Writing: {written} of {length}{ahead} …")
        st.text(text)


def _place_in_line(snapshot: Snapshot) -> str:
    ahead = (snapshot.position or 1) - 1
    others = "You are next" if ahead == 0 else "One is ahead of you" if ahead == 1 else f"{ahead} are ahead of you"
    return f"Others are using the models. {others}{_about(snapshot.estimate_seconds)}."


def _about(seconds: float | None) -> str:
    if seconds is None:
        return ""
    return f", about {max(1, round(seconds))} s" if seconds < 90 else f", about {round(seconds / 60)} min"


def _so_far(events: Sequence[Event]) -> tuple[str, int, int]:
    """The text there is, its number of tokens, and the number of guesses not yet checked."""
    pieces: list[str] = []
    guessed = 0
    for event in events:
        match event:
            case Prefilled():
                pieces.append(event.piece)
            case Drafted():
                guessed += 1
            case Committed():
                pieces += event.pieces
                guessed = 0
    return "".join(pieces), len(pieces), guessed


def apology(sentence: str, key: str, again: Callable[[], None] = lambda: None) -> None:
    """What went wrong, in one sentence, and a button that calls `again` and has the page run again."""
    # A box would read the sentence as Markdown, and it may quote what somebody typed.
    with st.container(border=True, key=f"{key}-apology"):
        st.text(sentence)
        st.button("Try again", key=f"{key}-again", on_click=again)
