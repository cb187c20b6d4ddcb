"""What pages may ask of an engine, whatever stands behind it. Plain data goes in and comes out."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from core.decoding.events import Event
from core.decoding.request import DecodeRequest
from core.decoding.trace import Trace

State = Literal["queued", "running", "done", "failed", "cancelled"]


class EngineBusy(RuntimeError):
    """The queue is full; the message is one sentence for the person who asked."""


class EngineError(RuntimeError):
    """A run or call that failed; the message is one sentence for the person who asked."""


@dataclass(frozen=True)
class Snapshot:
    """One moment of a run or a call.

    Attributes:
        state: `queued` waits for its turn; `done`, `failed` and `cancelled` are final.
        position: place in the queue, 1 for the next to start; None when not queued.
        estimate_seconds: expected wait until it starts; None when not queued, or nothing to go by yet.
        events: what a run has reported so far.
        progress: how far a call has come, 0 to 1; None where it does not say.
        result: of what is done: a run's trace, or what the call returned.
        error: one sentence, when failed.
    """

    state: State
    position: int | None = None
    estimate_seconds: float | None = None
    events: tuple[Event, ...] = ()
    progress: float | None = None
    result: object = None
    error: str | None = None

    @property
    def finished(self) -> bool:
        return self.state in ("done", "failed", "cancelled")

    @property
    def trace(self) -> Trace | None:
        """The trace of a run that is done."""
        return self.result if isinstance(self.result, Trace) else None


class Ticket(Protocol):
    """One holder's claim on a run or a call. Equal requests share the work, each holder has a ticket."""

    def snapshot(self) -> Snapshot: ...

    def wait(self, timeout: float | None = None, after: int | None = None) -> Snapshot:
        """Wait until it has finished, or `timeout` seconds, or (with `after`) until more than `after` events exist."""
        ...

    def cancel(self) -> None:
        """Give the claim up; the work stops when nobody else holds one. A ticket that is thrown away does the same."""
        ...


class Engine(Protocol):
    """A door to one loaded pair."""

    def submit(self, request: DecodeRequest, fresh: bool = False) -> Ticket:
        """Ask for a run; a `fresh` one is made anew and shared with nobody.

        Raises:
            EngineBusy: when the queue is full.
        """
        ...

    def call(self, work: str, *arguments: Hashable) -> Ticket:
        """Ask for other work with the models, by the name the engine knows it by.

        Raises:
            EngineBusy: when the queue is full.
        """
        ...

    def run(self, request: DecodeRequest) -> Iterator[Event]:
        """Run and yield the events as they happen; closing the iterator cancels.

        Raises:
            EngineBusy: when the queue is full.
            EngineError: when the run fails.
        """
        ...

    def warm(self, requests: Sequence[DecodeRequest], calls: Sequence[tuple[Hashable, ...]] = ()) -> None:
        """Do these in advance, whenever nobody waits for anything. A call is its name and arguments."""
        ...

    def close(self) -> None:
        """Cancel everything and stop. A closed engine takes nothing."""
        ...


def follow(ticket: Ticket) -> Iterator[Event]:
    """The events of a run, as they happen; closing the iterator gives the ticket up.

    Raises:
        EngineError: when the run fails or is cancelled under us.
    """
    seen = 0
    try:
        while True:
            snapshot = ticket.wait(after=seen)
            yield from snapshot.events[seen:]
            seen = len(snapshot.events)
            if snapshot.state in ("failed", "cancelled"):
                raise EngineError(snapshot.error or "This run was cancelled.")
            if snapshot.state == "done":
                return
    finally:
        ticket.cancel()
