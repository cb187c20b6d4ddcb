"""The only door from a page to the models: loading, runs and measurements, each with its progress and its queue.

Every function gives its result as soon as it is there. Until then it draws a small panel that follows the
work, returns None, and has the page run again once when the work is over:

    trace = engine.run(request, key="stage")
    if trace is None:
        return

`key` names the place on the page. Another request at the same place, or another page, gives the old one up.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, cast

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.decoding.request import DecodeRequest, RequestError
from core.decoding.trace import Trace
from core.serving import Engine, EngineBusy, EngineError, Snapshot, Ticket
from core.settings import read_settings
from ui import runs, start
from ui.clocks import MEASURED, speed_up, timeline
from ui.door import Door, EngineStatus
from ui.waiting import apology, follow

if TYPE_CHECKING:
    from core.decoding import Scored
    from core.decoding.stepping import Recording
    from core.measure.latency import LatencyCurve
    from core.measure.verdict import Verdict
    from core.serving.opening import Opened, PairFacts

log = logging.getLogger(__name__)

AT_ONCE = 0.25
"""Seconds that a page waits for new work before it shows a panel instead: most short work is done by then."""
POLL_LOADING = 0.3
Panel = Callable[[Ticket, Snapshot], None]
"""Follows work that is not over: draws what there is of it, and has the page run again once it is."""
FOLLOW: Panel = partial(follow, length=None)
PREPARED = "prepared-"
"""How the places begin of work that nobody looks at yet."""
MOST_HELD = 16
"""Results that one visit keeps alive; older ones are asked for again."""
FAULT = "The lab has a fault here: try again, or reload the page."


@dataclass(frozen=True)
class Vitals:
    """The pair and what it did on the default prompt. α̂, ĉ and the speed-up are None where the run gave none."""

    facts: PairFacts
    standard: Trace
    speculative: Trace
    alpha_hat: float | None
    c_hat: float | None
    speed_up: float | None


def _open(say: Callable[[float, str], None]) -> Opened:
    from core.serving.opening import open_engine
    from ui.exactness import first_test

    opened = open_engine(read_settings(), say)
    calls = [("latency",), ("exactness", *first_test())]
    opened.engine.warm([*_default_pair(), *_default_requests()], calls=calls)
    return opened


@st.cache_resource(show_spinner=False)
def door() -> Door:
    """The server's door; the first call starts loading."""
    start.once()
    return Door(_open)


def status() -> EngineStatus:
    """How far loading has come."""
    return door().status


def loading_panel(key: str = "engine") -> bool:
    """True once the models are ready. Until then draw how far loading has come, or why it failed."""
    now = status()
    if now.state == "loading":
        st.fragment(_loading, run_every=POLL_LOADING)()
    elif now.state == "failed":
        apology(now.text, f"{key}-load", door().load)
    return now.state == "ready"


def run(request: DecodeRequest, key: str, panel: Panel | None = None, repeat: int = 0) -> Trace | None:
    """The trace of a request, once it is there.

    Args:
        panel: what is drawn until then; the text so far where None.
        repeat: 0 for any run of this request, finished ones too; each other number for a run made anew.
    """
    asked: Hashable = (request, repeat) if repeat else request
    panel = panel or partial(follow, length=request.max_new_tokens)
    trace = cast("Trace | None", _result(key, asked, lambda e: e.submit(request, fresh=repeat > 0), panel))
    if trace is not None:
        runs.record(trace)
    return trace


def prepare(requests: Sequence[DecodeRequest]) -> None:
    """Have these runs made while something else is looked at, instead of those prepared before."""
    if status().state != "ready":
        return
    held = _held()
    for i, request in enumerate(requests):
        key = f"{PREPARED}{i}"
        if key in held and held[key].asked == request:
            continue
        if _under_way(held) >= _most_runs():
            return
        with suppress(RequestError, EngineBusy, EngineError):
            ticket = door().opened.engine.submit(request)
            if key in held:
                held[key].ticket.cancel()
            held[key] = _Held(request, _page(), ticket)


def scored(prompt: str, tokens: str | Sequence[int], chat: bool, key: str) -> Scored | None:
    """What both models say at each token of a text (or its ids) after a prompt, once it is there."""
    text = tokens if isinstance(tokens, str) else tuple(tokens)
    return cast("Scored | None", _call(key, "score", prompt, text, chat))


def stepping(request: DecodeRequest, index: int, key: str) -> Recording | None:
    """The lines that ran in a run's round `index`, once it has been run again and watched."""
    return cast("Recording | None", _call(key, "stepping", request, index))


def latency(key: str) -> LatencyCurve | None:
    """The measured cost of a target pass over n positions, once it is there."""
    return cast("LatencyCurve | None", _call(key, "latency"))


def exactness(request: DecodeRequest, switch: str, n: int, key: str) -> Verdict | None:
    """The verdict on n short runs under a switch of the rule, once it is there."""
    return cast("Verdict | None", _call(key, "exactness", request, switch, n))


def give_up(key: str) -> None:
    """Stop the work at this place of the page, if there is any."""
    if held := _held().pop(key, None):
        held.ticket.cancel()


def vitals(key: str) -> Vitals | None:
    """The pair's figures, once the default prompt has been run both ways."""
    if not loading_panel(key):
        return None
    asked = _default_pair()
    traces = [run(request, f"{key}-{request.method}") for request in asked]
    if traces[0] is None or traces[1] is None:
        return None
    standard, speculative = traces[0], traces[1]
    return Vitals(
        facts=door().opened.facts,
        standard=standard,
        speculative=speculative,
        alpha_hat=speculative.alpha_hat,
        c_hat=speculative.c_hat,
        speed_up=speed_up(timeline(standard, MEASURED), timeline(speculative, MEASURED)),
    )


def _default_requests() -> list[DecodeRequest]:
    from ui.content import default_requests

    return default_requests()


def _default_pair() -> tuple[DecodeRequest, DecodeRequest]:
    """The first default request that drafts, and the same without drafting (first)."""
    speculative = next(request for request in _default_requests() if request.method == "speculative")
    return replace(speculative, method="standard"), speculative


def _call(key: str, work: str, *arguments: Hashable) -> object:
    return _result(key, (work, *arguments), lambda engine: engine.call(work, *arguments))


@dataclass(frozen=True)
class _Held:
    """Work that a visit holds a ticket for, at one place of one page."""

    asked: Hashable
    page: str
    ticket: Ticket


def _result(key: str, asked: Hashable, submit: Callable[[Engine], Ticket], panel: Panel = FOLLOW) -> object:
    if not loading_panel(key):
        return None
    try:
        ticket, snapshot = _ticket(key, asked, submit)
    except (RequestError, EngineBusy, EngineError) as error:
        apology(str(error), key)
        return None
    except Exception:
        log.exception("A request was not taken.")
        apology(FAULT, key)
        return None
    if snapshot.state == "done":
        return snapshot.result
    if snapshot.finished:
        apology(snapshot.error or FAULT, key, partial(_forget, key))
    else:
        panel(ticket, snapshot)
    return None


def _ticket(key: str, asked: Hashable, submit: Callable[[Engine], Ticket]) -> tuple[Ticket, Snapshot]:
    """This place's ticket, a new one if something else is asked for than last time."""
    held, page = _held(), _page()
    for place, old in list(held.items()):
        if (place == key and old.asked != asked) or (old.page != page and not old.ticket.snapshot().finished):
            old.ticket.cancel()
            del held[place]
    if key in held:
        snapshot = held[key].ticket.snapshot()
        # Cancelled: this page had stopped asking for a while, and is back.
        if snapshot.state != "cancelled":
            return held[key].ticket, snapshot
    ticket = submit(door().opened.engine)
    if not ticket.snapshot().finished:
        try:
            _make_room(held)
        except EngineBusy:
            ticket.cancel()
            raise
    held[key] = _Held(asked, page, ticket)
    while len(held) > MOST_HELD:
        oldest = next(iter(held))
        held.pop(oldest).ticket.cancel()
    return ticket, ticket.wait(AT_ONCE)


def _make_room(held: dict[str, _Held]) -> None:
    """See that this visit may ask for one thing more. What was prepared gives way first.

    Raises:
        EngineBusy: where as much is under way as one visit may have.
    """
    most = _most_runs()
    for place in [place for place in held if place.startswith(PREPARED)]:
        if _under_way(held) < most:
            return
        held.pop(place).ticket.cancel()
    if _under_way(held) >= most:
        allowed = "one run" if most == 1 else f"{most} runs"
        raise EngineBusy(f"One visit may have {allowed} under way at once here: wait for one to end, then try again.")


def _under_way(held: dict[str, _Held]) -> int:
    """How much of what this visit holds is not over."""
    return sum(not one.ticket.snapshot().finished for one in held.values())


def _most_runs() -> int:
    return read_settings().session_runs


def _held() -> dict[str, _Held]:
    held: dict[str, _Held] = st.session_state.setdefault("engine-held", {})
    return held


def _forget(key: str) -> None:
    _held().pop(key, None)


def _page() -> str:
    context = get_script_run_ctx()
    return context.page_script_hash if context else ""


def _loading() -> None:
    now = status()
    if now.state != "loading":
        st.rerun()
    st.progress(now.progress, text=f"{now.text} …")
