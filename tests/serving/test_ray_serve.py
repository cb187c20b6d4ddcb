"""Replicas behind one engine: without Ray, in its local testing mode, and on a real cluster of this machine."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from core.decoding.events import Committed, Done, Event, Prefilled
from core.decoding.request import DecodeRequest, RequestError
from core.serving import EngineError, LocalEngine
from core.serving.opening import PairFacts
from core.serving.ray_serve import DIFFERS, LOST, MISSING, Answer, Replica, Replicas, application, desk_of
from core.serving.worker import Desk
from core.settings import SettingsError, read_settings
from core.theory.memory import ModelSize
from tests.serving.fake_runs import FakeRuns, one_round, request

SIZE = ModelSize(1000, 2, 1, 8)
FACTS = PairFacts("fake", "big", "small", SIZE, SIZE, 0, 4000, "cpu", "float32", "Made up.", None, 1.0, 64, None)
NO_RAY = "Ray is not installed: pip install -r requirements-ray.txt"


def stream(asked: DecodeRequest) -> Iterator[Event]:
    if asked.prompt == "refused":
        raise RequestError("Not this one.")
    for i, event in enumerate(FakeRuns()(asked)):
        if i == 3 and asked.prompt.startswith("/"):
            die_once(Path(asked.prompt))
        if asked.prompt == "slow":
            time.sleep(0.01)
        yield event


def die_once(mark: Path) -> None:
    """Kill this replica's process, unless it or another has died for the same mark."""
    if not mark.exists():
        mark.write_text(str(os.getpid()))
        os.kill(os.getpid(), signal.SIGKILL)


def count(n: int) -> Generator[float, None, int]:
    for i in range(n):
        time.sleep(0.3)
        yield i / n
    return n


def open_fake(tell: Callable[[float, str], None]) -> Desk:
    return Desk(stream, {"count": count, "process": os.getpid}, FACTS)


class Gone(Exception):
    pass


class Script:
    """A handle whose replicas answer as told, one list of answers a request; an error in a list is raised."""

    def __init__(self, *runs: list[Answer | Exception]) -> None:
        self.runs = list(runs)
        self.cancelled = 0

    def options(self, **_: object) -> Script:
        return self

    def remote(self, *_: object) -> Script:
        self.now = iter(self.runs.pop(0))
        return self

    def __iter__(self) -> Iterator[Answer]:
        for answer in self.now:
            if isinstance(answer, Exception):
                raise answer
            yield answer

    def cancel(self) -> None:
        self.cancelled += 1


EVENTS = tuple(FakeRuns()(request("a", rounds=3)))
END: Answer = ("result", None)


def test_a_run_that_is_lost_is_asked_for_again_and_nothing_is_shown_twice() -> None:
    handle = Script([("events", EVENTS[:2]), Gone()], [("events", EVENTS[:1]), ("events", EVENTS[1:]), END])
    assert list(Replicas(handle, (Gone,)).stream(request("a"))) == list(EVENTS)
    assert handle.cancelled == 2


def test_a_run_that_is_lost_twice_says_so() -> None:
    handle = Script([("events", EVENTS[:2]), Gone()], [Gone()], [("events", EVENTS), END])
    run = Replicas(handle, (Gone,)).stream(request("a"))
    assert [next(run), next(run)] == list(EVENTS[:2])
    with pytest.raises(EngineError, match="lost, and so was a second"):
        next(run)
    assert len(handle.runs) == 1


def test_another_machine_that_writes_another_text_does_not_go_on_with_it() -> None:
    other = Committed(one_round(7), (" 7",))
    handle = Script([("events", EVENTS[:2]), Gone()], [("events", (EVENTS[0], other)), END])
    with pytest.raises(EngineError, match="different text"):
        list(Replicas(handle, (Gone,)).stream(request("a")))
    assert DIFFERS != LOST


def test_an_error_that_is_no_loss_is_not_tried_again() -> None:
    handle = Script([("failed", "Not this one.")], [("events", EVENTS), END])
    with pytest.raises(EngineError, match="Not this one"):
        list(Replicas(handle, (Gone,)).stream(request("a")))
    assert len(handle.runs) == 1


def test_a_stream_that_ends_too_soon_is_no_run() -> None:
    with pytest.raises(EngineError, match="lost"):
        list(Replicas(Script([("events", EVENTS[:1])]), (Gone,)).stream(request("a")))


def test_a_replica_stops_when_nobody_listens() -> None:
    steps: list[Event] = []

    def noted(asked: DecodeRequest) -> Iterator[Event]:
        for event in stream(asked):
            steps.append(event)
            yield event

    replica = Replica(lambda tell: Desk(noted, {}, FACTS), active=1)

    async def listen_a_while() -> None:
        answers = replica.work("stream", request("slow", rounds=2000))
        assert (await anext(answers))[0] == "events"
        await answers.aclose()  # type: ignore[attr-defined]
        assert [kind async for kind, _ in replica.work("stream", request("next"))][-1] == "result"

    # In a thread of its own: a browser test that ran before may have left its loop in this one.
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, listen_a_while()).result()
    assert len(steps) < 1000


def test_without_ray_the_setting_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    from core.serving.opening import open_engine

    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    with pytest.raises(SettingsError, match="requirements-ray.txt"):
        open_engine(read_settings({"SPECLAB_ENGINE": "ray"}), lambda fraction, words: None)
    assert "requirements-ray.txt" in MISSING


@pytest.fixture(params=["local testing mode", pytest.param("cluster", marks=pytest.mark.slow)], scope="module")
def desk(request: pytest.FixtureRequest) -> Iterator[Desk]:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    ray = pytest.importorskip("ray", reason=NO_RAY)
    serve = pytest.importorskip("ray.serve", reason=NO_RAY)
    settings = read_settings({"SPECLAB_ENGINE": "ray", "SPECLAB_REPLICAS": "2"})
    app = application(open_fake, settings)
    if request.param == "cluster":
        ray.init(num_cpus=2, include_dashboard=False, configure_logging=False)
        serve.start(proxy_location="Disabled")
        yield desk_of(serve.run(app, name="test", route_prefix=None))
        serve.shutdown()
        ray.shutdown()
    else:
        yield desk_of(serve.run(app, name="test", _local_testing_mode=True))


@pytest.fixture
def engine(desk: Desk) -> Iterator[LocalEngine]:
    engine = LocalEngine(desk.stream, desk.works, active=4)
    yield engine
    engine.close()


def test_replicas_give_what_one_machine_gives(desk: Desk, engine: LocalEngine) -> None:
    assert desk.facts == FACTS and set(desk.works) == {"count", "process"}
    events = list(engine.run(request("a", rounds=2)))
    assert [type(event) for event in events] == [Prefilled, Committed, Committed, Done]
    assert events == list(FakeRuns()(request("a", rounds=2)))
    tickets = [engine.submit(request(f"run {i}", rounds=20)) for i in range(6)]
    traces = [ticket.wait(60).trace for ticket in tickets]
    assert [trace and trace.text for trace in traces] == [f"text of run {i}" for i in range(6)]


def test_calls_tell_how_far_they_are(engine: LocalEngine) -> None:
    ticket = engine.call("count", 3)
    seen: set[float | None] = set()
    while not (snapshot := ticket.wait(0.05)).finished:
        seen.add(snapshot.progress)
    assert snapshot.result == 3 and {p for p in seen if p} != set()


def test_errors_come_as_the_sentence_alone(engine: LocalEngine) -> None:
    assert engine.submit(request("refused")).wait(60).error == "Not this one."


def test_a_cancelled_run_leaves_room(engine: LocalEngine) -> None:
    ticket = engine.submit(request("slow", rounds=2000))
    ticket.wait(60, after=2)
    ticket.cancel()
    assert engine.submit(request("after")).wait(60).state == "done"


@pytest.mark.slow
def test_a_replica_killed_in_mid_run_is_not_noticed(
    desk: Desk, engine: LocalEngine, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    if engine.call("process").wait(60).result == os.getpid():
        pytest.skip("In local testing mode there is no replica that can be killed.")
    mark = tmp_path / "died"
    asked = request(str(mark), rounds=6)
    snapshot = engine.submit(asked).wait(100)
    assert mark.exists() and snapshot.error is None
    assert "A replica was lost in mid-run" in caplog.text
    assert list(snapshot.events) == list(FakeRuns()(asked))
