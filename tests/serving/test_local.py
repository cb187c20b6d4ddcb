import threading
from collections.abc import Generator
from typing import cast

import pytest

from core.decoding.events import Committed, Done, Prefilled
from core.decoding.request import RequestError
from core.serving import EngineBusy, EngineError, LocalEngine
from tests.serving.fake_runs import FakeRuns, finished, request


def test_a_run_gives_its_trace(engine: LocalEngine) -> None:
    asked = request("a", rounds=3)
    snapshot = finished(engine.submit(asked))
    assert snapshot.state == "done" and snapshot.error is None
    assert snapshot.trace is not None and snapshot.trace.request == asked
    assert snapshot.trace.tokens == [0, 1, 2, 3] and snapshot.trace.text == "text of a"


def test_run_yields_the_events(engine: LocalEngine) -> None:
    kinds = [type(event) for event in engine.run(request("a", rounds=2))]
    assert kinds == [Prefilled, Committed, Committed, Done]
    assert [type(event) for event in engine.run(request("a", rounds=2))] == kinds


def test_active_runs_take_turns_round_by_round(engine: LocalEngine, runs: FakeRuns) -> None:
    runs.hold("a")
    first = engine.submit(request("a"))
    runs.reached("a")
    second = engine.submit(request("b"))
    runs.let_go("a")
    finished(first), finished(second)
    assert runs.log == list("abababab")


def test_a_third_run_waits_its_turn_with_position_and_estimate(engine: LocalEngine, runs: FakeRuns) -> None:
    finished(engine.submit(request("before")))
    runs.hold("a")
    tickets = [engine.submit(request(prompt)) for prompt in "abcd"]
    third, fourth = tickets[2].snapshot(), tickets[3].snapshot()
    assert (third.state, third.position) == ("queued", 1) and (fourth.state, fourth.position) == ("queued", 2)
    assert third.estimate_seconds and fourth.estimate_seconds == pytest.approx(2 * third.estimate_seconds)
    assert tickets[1].snapshot().state == "running" and tickets[1].snapshot().position is None
    runs.let_go("a")
    assert all(finished(ticket).trace for ticket in tickets)
    assert runs.started == ["before", *"abcd"]


def test_no_estimate_before_anything_was_finished(engine: LocalEngine, runs: FakeRuns) -> None:
    runs.hold("a")
    tickets = [engine.submit(request(prompt)) for prompt in "abc"]
    assert tickets[2].snapshot().estimate_seconds is None
    runs.let_go("a")


def test_a_full_queue_turns_away_in_one_sentence_and_recovers(engine: LocalEngine, runs: FakeRuns) -> None:
    runs.hold("a")
    tickets = [engine.submit(request(prompt)) for prompt in "abcd"]
    with pytest.raises(EngineBusy, match="try again in a minute"):
        engine.submit(request("e"))
    runs.let_go("a")
    for ticket in tickets:
        finished(ticket)
    assert finished(engine.submit(request("e"))).trace


def test_equal_requests_are_run_once_and_shared(engine: LocalEngine, runs: FakeRuns) -> None:
    runs.hold("a")
    tickets = [engine.submit(request("a")) for _ in range(5)]
    runs.let_go("a")
    traces = [finished(ticket).trace for ticket in tickets]
    assert runs.started == ["a"] and all(trace is traces[0] for trace in traces)
    assert finished(engine.submit(request("a"))).trace is traces[0]


def test_a_fresh_run_is_made_anew_and_shared_with_nobody(engine: LocalEngine, runs: FakeRuns) -> None:
    first = finished(engine.submit(request("a")))
    anew, another = (finished(engine.submit(request("a"), fresh=True)) for _ in range(2))
    assert runs.started == ["a"] * 3
    assert anew.trace == first.trace and anew.trace is not first.trace and anew.trace is not another.trace
    assert finished(engine.submit(request("a"))).trace is first.trace


def test_equal_requests_join_even_when_the_queue_is_full(engine: LocalEngine, runs: FakeRuns) -> None:
    runs.hold("a")
    tickets = [engine.submit(request(prompt)) for prompt in "abcdd"]
    runs.let_go("a")
    assert all(finished(ticket).trace for ticket in tickets)


def test_the_cache_is_bounded_and_drops_what_was_not_asked_for_longest(engine: LocalEngine, runs: FakeRuns) -> None:
    for prompt in "abc":
        finished(engine.submit(request(prompt)))
    finished(engine.submit(request("a")))
    finished(engine.submit(request("d")))
    assert runs.started == list("abcd")
    for prompt in "acd":
        assert engine.submit(request(prompt)).snapshot().state == "done"
    finished(engine.submit(request("b")))
    assert runs.started == list("abcdb")


def test_closing_the_iterator_cancels(engine: LocalEngine, runs: FakeRuns) -> None:
    events = cast("Generator[object]", engine.run(request("a", rounds=1000)))
    next(events)
    events.close()
    finished(engine.submit(request("b")))
    assert runs.closed == ["a", "b"] and len(runs.log) < 1000


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (RequestError("The prompt is too long: cut it."), "The prompt is too long: cut it."),
        (MemoryError(), "not enough memory"),
        (KeyError("secret"), "a fault in the program"),
    ],
)
def test_a_failing_run_harms_no_other(engine: LocalEngine, runs: FakeRuns, error: BaseException, said: str) -> None:
    runs.errors["bad"] = error
    bad, good = engine.submit(request("bad")), engine.submit(request("good"))
    snapshot = finished(bad)
    assert snapshot.state == "failed" and said in (snapshot.error or "") and "secret" not in (snapshot.error or "")
    assert finished(good).trace
    with pytest.raises(EngineError, match=said):
        list(engine.run(request("bad")))


def test_a_failure_is_not_remembered(engine: LocalEngine, runs: FakeRuns) -> None:
    runs.errors["a"] = KeyError()
    finished(engine.submit(request("a")))
    del runs.errors["a"]
    assert finished(engine.submit(request("a"))).trace


def test_a_worker_that_dies_is_started_again(engine: LocalEngine, runs: FakeRuns) -> None:
    runs.errors["bad"] = SystemExit()
    bad, good = engine.submit(request("bad")), engine.submit(request("good"))
    assert finished(bad).error == "The models stopped during this run: try again."
    assert finished(good).trace
    finished(engine.submit(request("later")))
    assert len(runs.threads) == 2


def test_calls_go_between_the_rounds(runs: FakeRuns) -> None:
    def slowly(steps: int) -> Generator[float, None, str]:
        for i in range(steps):
            runs.log.append("call")
            yield (i + 1) / steps
        return "slow"

    engine = LocalEngine(runs, {"slowly": slowly, "at_once": lambda x, y: x + y}, active=1)
    runs.hold("a")
    run = engine.submit(request("a"))
    runs.reached("a")
    call, quick = engine.call("slowly", 3), engine.call("at_once", "x", "y")
    assert quick.snapshot().position == 1
    runs.let_go("a")
    assert finished(call).result == "slow" and finished(quick).result == "xy" and finished(run).trace
    assert runs.log == ["a", "call", "a", "call", "a", "call", "a"]
    assert call.snapshot().progress == 1.0
    engine.close()


def test_calls_are_shared_and_kept_by_name_and_arguments(runs: FakeRuns) -> None:
    asked: list[int] = []

    def note(x: int) -> int:
        asked.append(x)
        return x

    engine = LocalEngine(runs, {"note": note})
    assert [finished(engine.call("note", x)).result for x in (1, 2, 1)] == [1, 2, 1]
    assert asked == [1, 2]
    engine.close()


def test_warming_happens_in_idle_time_and_is_found_done(engine: LocalEngine, runs: FakeRuns) -> None:
    runs.hold("w1")
    engine.warm([request("w1"), request("w2")])
    runs.reached("w1")
    asked = engine.submit(request("a"))
    runs.let_go("w1")
    finished(asked)
    finished(engine.submit(request("w2")))
    assert runs.log[:5] == ["w1", *"aaaa"]
    assert sorted(runs.started) == ["a", "w1", "w2"]


def test_leaving_a_warm_run_does_not_stop_it(engine: LocalEngine, runs: FakeRuns) -> None:
    runs.hold("w")
    engine.warm([request("w")])
    runs.reached("w")
    engine.submit(request("w")).cancel()
    again = engine.submit(request("w"))
    runs.let_go("w")
    assert finished(again).trace and runs.started == ["w"]


def test_only_one_thread_ever_runs_a_model(engine: LocalEngine, runs: FakeRuns) -> None:
    prompts = "abcdefgh"
    results: dict[str, object] = {}
    busy = threading.Semaphore(4)

    def visitor(prompt: str) -> None:
        with busy:
            results[prompt] = finished(engine.submit(request(prompt, rounds=20))).trace

    threads = [threading.Thread(target=visitor, args=(prompt,)) for prompt in prompts * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert set(results) == set(prompts) and all(results.values())
    assert len(runs.threads) == 1


def test_a_closed_engine_cancels_and_takes_nothing(engine: LocalEngine, runs: FakeRuns) -> None:
    runs.hold("a")
    ticket = engine.submit(request("a", rounds=50))
    runs.reached("a")
    closing = threading.Thread(target=engine.close)
    closing.start()
    assert finished(ticket).state == "cancelled"
    runs.let_go("a")
    closing.join(10)
    assert runs.closed == ["a"]
    with pytest.raises(EngineError):
        engine.submit(request("b"))


def test_wait_returns_when_time_is_up(engine: LocalEngine, runs: FakeRuns) -> None:
    runs.hold("a")
    ticket = engine.submit(request("a"))
    assert ticket.wait(0.01).state == "running"
    runs.let_go("a")
    assert len(ticket.wait(10, after=2).events) > 2


def test_only_faults_of_the_program_are_logged(
    engine: LocalEngine, runs: FakeRuns, caplog: pytest.LogCaptureFixture
) -> None:
    runs.errors["long"] = RequestError("Too long.")
    finished(engine.submit(request("long")))
    assert not caplog.records
    runs.errors["fault"] = KeyError("details")
    finished(engine.submit(request("fault")))
    assert "details" in caplog.text
