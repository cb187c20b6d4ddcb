"""What a run came to, in figures, for counters and for the log. Runs are watched from outside: they do not know."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from time import perf_counter
from typing import Literal

from core.decoding.events import Committed, Event, Prefilled
from core.decoding.request import DecodeRequest, RequestError
from core.serving.turns import Stream, close

Outcome = Literal["done", "cancelled", "refused", "failed"]
"""`refused` is a request that cannot be run, `failed` a fault of the program or the machine."""


@dataclass
class Figures:
    """A run in figures. `seconds` is how long the models worked on it, in their own words; a wait is not in it.

    `passes` and `steps` are the seconds of each target pass of a round and of each draft step.
    """

    outcome: Outcome = "failed"
    prompt_tokens: int = 0
    tokens: int = 0
    accepted: int = 0
    rejected: int = 0
    seconds: float = 0.0
    passes: list[float] = field(default_factory=list)
    steps: list[float] = field(default_factory=list)

    def add(self, event: Event) -> None:
        """Take in what a run reports."""
        match event:
            case Prefilled(prefill=prefill):
                self.prompt_tokens = len(prefill.prompt_tokens)
                self.tokens += 1
                self.seconds += prefill.target_time + prefill.draft_time
            case Committed(round=round_):
                self.tokens += len(round_.committed)
                self.accepted += round_.accepted
                self.rejected += round_.rejected
                self.seconds += round_.seconds
                if round_.target_time:
                    self.passes.append(round_.target_time)
                self.steps.extend(round_.draft_times)


Report = Callable[[DecodeRequest, Figures, float], None]
"""Takes a run's request and figures, and the seconds from its start to its end, other people's turns included."""


def watched(stream: Stream, report: Report) -> Stream:
    """The same runs; each is reported once, when it is over, whichever way."""

    def run(request: DecodeRequest) -> Iterator[Event]:
        figures, began = Figures(), perf_counter()
        events: Iterator[Event] | None = None
        try:
            events = stream(request)
            for event in events:
                figures.add(event)
                yield event
            figures.outcome = "done"
        except GeneratorExit:
            figures.outcome = "cancelled"
            raise
        except RequestError:
            figures.outcome = "refused"
            raise
        finally:
            close(events)
            report(request, figures, perf_counter() - began)

    return run
