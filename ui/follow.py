"""Following a tour from another window or a phone: a code, and what each side tells the other under it.

The tour's session holds the code and says which step it shows. Whoever has the code may look, and may ask for another
step. Nothing else goes over it, and a code that nobody uses any more is forgotten.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import streamlit as st

from ui import visit

CODE = visit.Store("follow", dict[str, str])
"""The code of this visit's tour under `code`, once its speaker has asked for one."""

LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""None of them is easily taken for another when read aloud or typed."""
LENGTH = 10
MOST = 500
"""Tours kept at once; one more, and the one that nobody has used for longest is forgotten."""
KEPT_FOR = 4 * 3600.0
"""Seconds after which an unused code is forgotten."""
PRESENT = 15.0
"""Seconds without a word after which a side counts as gone."""
POLL, SLOW_POLL = 1, 5
"""Seconds between two looks of the tour: while a notes window is there, and while it might come."""


@dataclass(frozen=True)
class Followed:
    """A tour as its followers see it.

    `step` is None before the tour has begun, `wanted` a step that was asked for and is not shown yet. `elapsed` are
    seconds since the first step was shown (or the clock set back), `open` tells whether the tour is on screen now.
    """

    step: int | None
    wanted: int | None
    elapsed: float
    open: bool


@dataclass(frozen=True)
class _Tour:
    used: float
    step: int | None = None
    wanted: int | None = None
    started: float | None = None
    shown_at: float = float("-inf")
    watched_at: float = float("-inf")


class Registry:
    """All tours of this server that can be followed, by their codes. Safe to use from any thread."""

    def __init__(self, most: int = MOST, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._clock = clock
        self._tours: dict[str, _Tour] = {}
        self._lock = threading.Lock()

    def arrive(self, code: str, step: int | None) -> None:
        """The tour shows a step, or only says that it can be followed. What was asked for before it moved is void."""
        with self._lock:
            now = self._clock()
            tour = self._find(code) or _Tour(now)
            if step is not None:
                wanted = tour.wanted if step == tour.step else None
                started = now if tour.started is None else tour.started
                tour = replace(tour, step=step, wanted=wanted, started=started, shown_at=now)
            self._put(code, tour)

    def take(self, code: str) -> int | None:
        """The step that was asked for since the tour last looked, once. The tour goes there, and says that it is there.

        So what is asked for while it is on its way is not taken for older than its arrival.
        """
        with self._lock:
            tour = self._find(code)
            if tour is None:
                return None
            step = tour.step if tour.wanted is None else tour.wanted
            self._put(code, replace(tour, step=step, wanted=None, shown_at=self._clock()))
            return tour.wanted

    def watched(self, code: str) -> bool:
        """Whether somebody is following now."""
        with self._lock:
            tour = self._find(code)
            return tour is not None and self._clock() - tour.watched_at < PRESENT

    def look(self, code: str) -> Followed | None:
        """What a follower sees; None for a code that no tour has."""
        with self._lock:
            tour = self._find(code)
            if tour is None:
                return None
            now = self._clock()
            self._put(code, replace(tour, watched_at=now))
            elapsed = 0.0 if tour.started is None else now - tour.started
            return Followed(tour.step, tour.wanted, elapsed, now - tour.shown_at < PRESENT)

    def ask(self, code: str, step: int) -> None:
        """Ask the tour to show a step. Nothing happens without such a tour."""
        self._change(code, lambda tour: replace(tour, wanted=step))

    def set_back(self, code: str) -> None:
        """Count the time from now on."""
        self._change(code, lambda tour: replace(tour, started=self._clock()))

    def forget(self, code: str) -> None:
        """End a code."""
        with self._lock:
            self._tours.pop(code, None)

    def _change(self, code: str, change: Callable[[_Tour], _Tour]) -> None:
        with self._lock:
            if tour := self._find(code):
                self._put(code, change(tour))

    def _find(self, code: str) -> _Tour | None:
        tour = self._tours.get(code)
        return tour if tour and self._clock() - tour.used < KEPT_FOR else None

    def _put(self, code: str, tour: _Tour) -> None:
        # The order is that of the last use, so the first is the one to go.
        self._tours.pop(code, None)
        self._tours[code] = replace(tour, used=self._clock())
        while len(self._tours) > self._most:
            del self._tours[next(iter(self._tours))]


@st.cache_resource
def registry() -> Registry:
    """The one registry of this server."""
    return Registry()


def code() -> str | None:
    """The code of this visit's tour, if its speaker has asked for one."""
    return tidy(CODE.held().get("code", ""))


def begin(step: int | None) -> str:
    """Make a code for this visit's tour, which shows `step` or has not begun."""
    made = code() or "".join(secrets.choice(LETTERS) for _ in range(LENGTH))
    CODE.held()["code"] = made
    registry().arrive(made, step)
    return made


def end() -> None:
    """Take this visit's code back: whoever has the link follows no longer."""
    if held := code():
        registry().forget(held)
    CODE.held().clear()


def tidy(typed: str) -> str | None:
    """A code as it is kept, from what somebody typed; None for what cannot be one."""
    letters = "".join(typed.split()).lower()
    return letters if len(letters) == LENGTH and set(letters) <= set(LETTERS) else None


def arrive(step: int) -> None:
    """Tell the followers, if there can be any, that this session shows a step."""
    if held := code():
        registry().arrive(held, step)


def obey(go: Callable[[int], None]) -> None:
    """On the tour's page: go where a follower asks to go. Does nothing before there is a code."""
    held = code()
    if held is None:
        return
    watched = registry().watched(held)

    def poll() -> None:
        wanted = registry().take(held)
        if wanted is not None:
            go(wanted)
            st.rerun()
        if registry().watched(held) != watched:
            # The page is drawn once more to look more often, or less.
            st.rerun()

    st.fragment(poll, run_every=POLL if watched else SLOW_POLL)()
