"""Runs without any model: each gives as many rounds of one token as its request asks for, and can be held up."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Iterator

from core.decoding.events import Committed, Done, Event, Prefilled
from core.decoding.request import DecodeRequest
from core.decoding.rounds import Choice, Prefill, Round
from core.decoding.trace import PairInfo
from core.serving import Snapshot, Ticket

PAIR = PairInfo("fake", "big", "small", "cpu", "float32")


def request(prompt: str, rounds: int = 3) -> DecodeRequest:
    return DecodeRequest(prompt, method="standard", max_new_tokens=rounds + 1)


def choice(token: int) -> Choice:
    return Choice("target", token, f" {token}", 1.0, 1.0, 0.0)


def one_round(index: int) -> Round:
    return Round(index, 0, (), (index,), choice(index), (), 0.02, 0.001, (index, index + 1), (0, 0))


class FakeRuns:
    """A stream function that notes each round in `log` and waits at closed gates.

    `hold(prompt)` stops that prompt's runs before each step until `let_go(prompt)`.
    """

    def __init__(self) -> None:
        self.log: list[str] = []
        self.started: list[str] = []
        self.closed: list[str] = []
        self.threads: set[threading.Thread] = set()
        self.errors: dict[str, BaseException] = {}
        self._gates: dict[str, threading.Event] = defaultdict(_open)
        self._reached: dict[str, threading.Event] = defaultdict(threading.Event)

    def hold(self, prompt: str) -> None:
        self._gates[prompt] = threading.Event()

    def let_go(self, prompt: str) -> None:
        self._gates[prompt].set()

    def reached(self, prompt: str) -> None:
        """Wait until a run of the prompt stands before a step."""
        assert self._reached[prompt].wait(10)

    def __call__(self, request: DecodeRequest) -> Iterator[Event]:
        self.started.append(request.prompt)
        try:
            self._pass(request.prompt)
            yield Prefilled(Prefill((1, 2), choice(0), 0.03, 0.0), " 0")
            for index in range(1, request.max_new_tokens):
                self._pass(request.prompt)
                yield Committed(one_round(index), (f" {index}",))
            yield Done("length", "text of " + request.prompt, PAIR)
        finally:
            self.closed.append(request.prompt)

    def _pass(self, prompt: str) -> None:
        self.threads.add(threading.current_thread())
        self._reached[prompt].set()
        assert self._gates[prompt].wait(10)
        if error := self.errors.get(prompt):
            raise error
        self.log.append(prompt)
        time.sleep(0.0001)  # As a model's step does, it leaves the interpreter to others.


def _open() -> threading.Event:
    event = threading.Event()
    event.set()
    return event


def finished(ticket: Ticket) -> Snapshot:
    """Wait for work to be over."""
    snapshot = ticket.wait(10)
    assert snapshot.finished
    return snapshot
