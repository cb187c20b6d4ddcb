"""The models' own process: the same runs, and what happens when it dies. No models are loaded here."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Generator, Iterator

import pytest

from core.decoding.events import Committed, Done, Event, Prefilled
from core.decoding.request import DecodeRequest, RequestError
from core.serving import EngineError, LocalEngine
from core.serving.opening import PairFacts
from core.serving.worker import DIED, Desk, WorkerProcess
from core.theory.memory import ModelSize
from tests.serving.fake_runs import FakeRuns, request

SIZE = ModelSize(1000, 2, 1, 8)
FACTS = PairFacts("fake", "big", "small", SIZE, SIZE, 0, 4000, "cpu", "float32", "Made up.", None, 1.0, 64, None)


def stream(asked: DecodeRequest) -> Iterator[Event]:
    if asked.prompt == "refused":
        raise RequestError("Not this one.")
    if asked.prompt == "crash":
        os.kill(os.getpid(), signal.SIGKILL)
    if asked.prompt == "memory":
        raise MemoryError
    yield from FakeRuns()(asked)


def count(n: int) -> Generator[float, None, int]:
    for i in range(n):
        yield i / n
    return os.getpid()


class Odd(Exception):
    def __init__(self, one: int, two: int) -> None:
        super().__init__("odd")


def odd() -> None:
    raise Odd(1, 2)


def open_desk(tell: Callable[[float, str], None]) -> Desk:
    tell(0.5, "half")
    return Desk(stream, {"count": count, "odd": odd, "plain": lambda x: x + 1}, FACTS)


def refuse(tell: Callable[[float, str], None]) -> Desk:
    raise RequestError("No such pair.")


@pytest.fixture(scope="module")
def worker() -> Iterator[WorkerProcess]:
    worker = WorkerProcess(open_desk)
    yield worker
    worker.close()


@pytest.fixture(scope="module")
def engine(worker: WorkerProcess) -> Iterator[LocalEngine]:
    engine = LocalEngine(worker.stream, {name: worker.work(name) for name in worker.names}, active=2)
    yield engine
    engine.close()


def test_runs_and_calls_give_what_they_give_in_one_process(worker: WorkerProcess, engine: LocalEngine) -> None:
    kinds = [type(event) for event in engine.run(request("a", rounds=2))]
    assert kinds == [Prefilled, Committed, Committed, Done]
    assert engine.submit(request("a", rounds=2)).wait(10).trace.text == "text of a"  # type: ignore[union-attr]
    assert engine.call("plain", 4).wait(10).result == 5
    assert engine.call("count", 3).wait(10).result not in (None, os.getpid())
    assert worker.facts == FACTS


def test_two_runs_take_turns_in_the_one_process(engine: LocalEngine) -> None:
    tickets = [engine.submit(request(prompt, rounds=20)) for prompt in "abc"]
    assert [t.wait(20).state for t in tickets] == ["done"] * 3


def test_errors_come_back_as_they_are_or_as_words(engine: LocalEngine) -> None:
    assert engine.submit(request("refused")).wait(10).error == "Not this one."
    assert "not enough memory" in (engine.submit(request("memory")).wait(10).error or "")
    assert "fault in the program" in (engine.call("odd").wait(10).error or "")
    assert engine.submit(request("after 1")).wait(10).state == "done"


def test_a_process_that_dies_fails_its_runs_with_a_sentence_and_comes_back(
    worker: WorkerProcess, engine: LocalEngine
) -> None:
    beside = engine.submit(request("beside", rounds=2000))
    beside.wait(10, after=3)
    assert engine.submit(request("crash")).wait(20).error == DIED
    assert beside.wait(20).error == DIED
    assert engine.submit(request("after 2")).wait(20).state == "done"
    assert worker.alive


def test_a_process_killed_between_runs_is_started_again(worker: WorkerProcess, engine: LocalEngine) -> None:
    worker._process.kill()
    while worker.alive:
        time.sleep(0.01)
    assert engine.submit(request("after 3")).wait(20).state == "done"


def test_a_cancelled_run_stops_in_the_process_too(engine: LocalEngine) -> None:
    ticket = engine.submit(request("long", rounds=2000))
    ticket.wait(10, after=2)
    ticket.cancel()
    assert engine.submit(request("after 4")).wait(10).state == "done"


def test_what_keeps_it_from_starting_is_told() -> None:
    with pytest.raises(RequestError, match="No such pair"):
        WorkerProcess(refuse)


def test_a_closed_worker_is_gone(worker: WorkerProcess) -> None:
    worker.close()
    assert not worker.alive
    assert isinstance(EngineError(DIED), RuntimeError)
