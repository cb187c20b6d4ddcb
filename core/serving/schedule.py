"""Who is next: runs take turns round by round, calls go between rounds, and warming fills idle time.

No threads and no clocks here; the engine that owns a schedule locks around it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from threading import Condition
from typing import Literal

from core.decoding.events import Event
from core.serving.protocol import EngineBusy

Kind = Literal["run", "call"]
Ended = Literal["done", "failed", "cancelled"]


@dataclass(eq=False)
class Job:
    """Work that one or more tickets wait for.

    `begin` makes the iterator `steps`; `finish` turns the events and the iterator's return value into the result.
    `holders` counts tickets; a job that is `kept` goes on when there are none. `seen` is when somebody last looked,
    `watchers` are those who are looking now.
    """

    key: Hashable
    kind: Kind
    begin: Callable[[], Iterator[object]]
    finish: Callable[[list[Event], object], object]
    news: Condition
    kept: bool = False
    holders: int = 0
    watchers: int = 0
    seen: float = 0.0
    steps: Iterator[object] | None = None
    events: list[Event] = field(default_factory=list)
    progress: float | None = None
    busy_seconds: float = 0.0
    ended: Ended | None = None
    result: object = None
    error: str | None = None


@dataclass(frozen=True)
class Load:
    """How much there is to do: runs that take turns, runs that wait, calls that do either; and how many requests
    have been turned away since the start because the queue was full."""

    active: int
    queued: int
    calls: int
    turned_away: int


class Schedule:
    """Jobs in the order of their turns. Up to `active` runs and one call take turns; the rest wait in line."""

    def __init__(self, active: int, queue_length: int) -> None:
        self._active = active
        self._queue_length = queue_length
        self._turns: deque[Job] = deque()
        self._lines: dict[Kind, deque[Job]] = {"run": deque(), "call": deque()}
        self._kept: deque[Job] = deque()
        self._last: Job | None = None
        self._turned_away = 0

    def add(self, job: Job) -> None:
        """Let a job that somebody waits for take part.

        Raises:
            EngineBusy: when its line is full.
        """
        line = self._lines[job.kind]
        if self._room(job.kind) == 0 and len(line) >= self._queue_length:
            self._turned_away += 1
            raise EngineBusy("Too many people are waiting for the models just now: try again in a minute.")
        if job in self._kept:
            self._kept.remove(job)
        line.append(job)
        self._admit()

    def keep(self, job: Job) -> None:
        """Let a job go on when nothing else is to be done."""
        self.remove(job)
        self._kept.append(job)

    def remove(self, job: Job) -> None:
        if job is self._last:
            self._last = None
        for jobs in (self._turns, *self._lines.values(), self._kept):
            if job in jobs:
                jobs.remove(job)
        self._admit()

    def take(self) -> Job | None:
        """The job whose turn it is; it stays in the schedule until removed. None when there is none."""
        if self._turns:
            if self._turns[0] is self._last:
                self._turns.rotate(-1)
            self._last = self._turns[0]
            return self._last
        return self._kept[0] if self._kept else None

    def position(self, job: Job) -> int | None:
        """Place in its line, 1 for the next to start; None for a job that is not in line."""
        line = self._lines[job.kind]
        return line.index(job) + 1 if job in line else None

    def jobs(self) -> list[Job]:
        return [*self._turns, *self._lines["run"], *self._lines["call"], *self._kept]

    @property
    def load(self) -> Load:
        """How much there is to do."""
        active = sum(job.kind == "run" for job in self._turns)
        calls = len(self._turns) - active + len(self._lines["call"])
        return Load(active, len(self._lines["run"]), calls, self._turned_away)

    def _room(self, kind: Kind) -> int:
        most = self._active if kind == "run" else 1
        return most - sum(job.kind == kind for job in self._turns)

    def _admit(self) -> None:
        for kind, line in self._lines.items():
            while line and self._room(kind) > 0:
                self._turns.append(line.popleft())
