"""Work that is done a turn at a time, whichever process does it: a turn ends where others may have theirs."""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Iterator, Sequence
from threading import Condition

from core.decoding.events import Committed, Event, Prefilled, fold
from core.decoding.request import DecodeRequest
from core.serving.schedule import Job

Stream = Callable[[DecodeRequest], Iterator[Event]]
Work = Callable[..., object]
"""Other work with the models. A generator may yield its progress (0 to 1) wherever others may have a turn."""


def run_job(stream: Stream, request: DecodeRequest, key: Hashable, news: Condition) -> Job:
    """A run, which becomes a trace."""
    return Job(key, "run", lambda: iter(stream(request)), lambda events, _: fold(request, events), news)


def call_job(work: Work, key: tuple[Hashable, ...], news: Condition) -> Job:
    """Other work; `key` is its name and arguments."""
    return Job(key, "call", lambda: steps(work, key[1:]), lambda _, value: value, news)


def steps(work: Work, arguments: Sequence[object]) -> Generator[object, None, object]:
    """Any work as a generator; errors come with its first step."""
    found = work(*arguments)
    return (yield from found) if isinstance(found, Generator) else found


def ends_turn(step: object) -> bool:
    """Whether others may have their turn after this step: a prompt is read, a round is over, or a call got on."""
    return isinstance(step, Prefilled | Committed | float)


def close(running: Iterator[object] | None) -> None:
    """Stop work that is under way."""
    if isinstance(running, Generator):
        running.close()
