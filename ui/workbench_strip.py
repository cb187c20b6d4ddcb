"""A run as a row of tokens: live, with guesses still open, and when it is over."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from core.decoding.events import Committed, Drafted, Event, Prefilled, Verified
from core.decoding.rounds import Position, Round
from core.decoding.trace import Trace
from core.serving import Snapshot, Ticket
from ui import waiting
from ui.clocks import probability
from ui.components.token_strip import StripToken, token_strip
from ui.palette import State
from ui.token_panel import subjects
from ui.words import count

STRIP = "workbench-strip"
"""One strip for both: what is written live stays in place when the run is over."""
_SEEN = "workbench.seen"

_FINAL: dict[str, State] = {"correction": "correction", "bonus": "bonus", "target": "plain", "draft": "plain"}


def tokens(trace: Trace, dropped: bool = True) -> tuple[list[StripToken], list[int]]:
    """The trace's tokens as a strip, and each one's index among the trace's `subjects`.

    Guesses that did not stay are left out where `dropped` is False.
    """
    found, places = [], []
    for i, (where, x) in enumerate(subjects(trace)):
        group = where.index if where and where.positions else None
        if isinstance(x, Position):
            if not (x.accepted or dropped):
                continue
            found.append(_guess(x, group))
        else:
            tip = (("p", probability(x.p)),)
            found.append(StripToken(x.text, "plain" if where is None else _FINAL[x.kind], tip, group))
        places.append(i)
    return found, places


def _guess(x: Position, group: int | None) -> StripToken:
    verdict = {True: "kept", False: "missed", None: "never examined"}[x.accepted]
    drawn = (("u", probability(x.u)),) if x.u is not None else ()
    tip = (("p", probability(x.p)), ("q", probability(x.q)), *drawn, ("verdict", verdict))
    return StripToken(x.text, "kept" if x.accepted else "discarded", tip, group)


def live_tokens(events: Sequence[Event], hold: bool, dropped: bool = True) -> list[StripToken]:
    """What there is of a run that is still going on.

    With `hold` the newest round's guesses are shown unchecked, so that the eye sees them before their verdicts.
    """
    found: list[StripToken] = []
    pending: list[StripToken] = []
    for i, event in enumerate(events, start=1):
        match event:
            case Prefilled():
                found.append(StripToken(event.piece))
            case Drafted():
                pending.append(StripToken(event.piece, "pending", group=event.round))
            case Committed() if hold and i == len(events) and event.round.positions:
                pending = [StripToken(x.text, "pending", group=event.round.index) for x in event.round.positions]
            case Committed():
                pending = []
                found += _settled(event.round, dropped)
            case Verified():
                pass
    return found + pending


def _settled(r: Round, dropped: bool) -> list[StripToken]:
    group = r.index if r.positions else None
    guesses = [_guess(x, group) for x in r.positions if x.accepted or dropped]
    return guesses + ([StripToken(r.final.text, _FINAL[r.final.kind], (), group)] if r.final else [])


def so_far(events: Sequence[Event], length: int) -> str:
    """How far a run has come, in a sentence."""
    rounds = [e.round for e in events if isinstance(e, Committed)]
    written = sum(isinstance(e, Prefilled) for e in events) + sum(len(r.committed) for r in rounds)
    drafted, kept = sum(len(r.positions) for r in rounds), sum(r.accepted for r in rounds)
    guesses = f" {kept} of {count(drafted, 'guess', 'guesses')} kept." if drafted else ""
    return f"Writing: {written} of {count(length, 'token')} in {count(len(rounds), 'round')}.{guesses}"


def follow(ticket: Ticket, snapshot: Snapshot, length: int, dropped: bool) -> None:
    """Follow a run token by token; the page runs again once it is over."""
    if snapshot.state == "queued":
        waiting.follow(ticket, snapshot, length)
        return
    st.session_state[_SEEN] = 0
    st.fragment(partial(_live, dropped=dropped), run_every=waiting.POLL_RUNNING)(ticket, length)


def _live(ticket: Ticket, length: int, dropped: bool) -> None:
    snapshot = ticket.snapshot()
    if snapshot.state != "running":
        st.rerun()
    events = snapshot.events
    news = len(events) > st.session_state.get(_SEEN, 0)
    st.session_state[_SEEN] = len(events)
    st.caption(so_far(events, length))
    token_strip(live_tokens(events, news, dropped), key=STRIP, label="The run so far", selectable=False)
