"""Those who ask for work and leave: it stops when nobody waits for it any more."""

from __future__ import annotations

import gc
import threading

from core.serving import LocalEngine, Snapshot
from tests.serving.fake_runs import FakeRuns, finished, request


def test_the_last_holder_who_leaves_cancels(engine: LocalEngine, runs: FakeRuns) -> None:
    runs.hold("a")
    one, two = engine.submit(request("a")), engine.submit(request("a"))
    runs.reached("a")
    one.cancel()
    one.cancel()
    assert one.snapshot().state == "cancelled" and two.snapshot().state == "running"
    two.cancel()
    assert two.snapshot().state == "cancelled" and two.snapshot().trace is None
    runs.let_go("a")
    finished(engine.submit(request("b")))
    assert runs.closed == ["a", "b"] and runs.log.count("a") == 1


def test_one_who_waits_can_leave_the_queue(engine: LocalEngine, runs: FakeRuns) -> None:
    runs.hold("a")
    tickets = [engine.submit(request(prompt)) for prompt in "abcd"]
    tickets[2].cancel()
    assert tickets[3].snapshot().position == 1
    runs.let_go("a")
    finished(tickets[3])
    assert "c" not in runs.started


def test_a_ticket_thrown_away_cancels(engine: LocalEngine, runs: FakeRuns) -> None:
    runs.hold("a")
    ticket = engine.submit(request("a", rounds=50))
    runs.reached("a")
    del ticket
    gc.collect()
    runs.let_go("a")
    finished(engine.submit(request("b", rounds=60)))
    assert runs.log.count("a") <= 2 and runs.closed == ["a", "b"]


def test_what_was_cancelled_can_be_asked_for_again(engine: LocalEngine, runs: FakeRuns) -> None:
    runs.hold("a")
    first = engine.submit(request("a"))
    runs.reached("a")
    first.cancel()
    again = engine.submit(request("a"))
    runs.let_go("a")
    assert finished(again).trace and runs.started == ["a", "a"]


def test_what_nobody_looks_at_is_given_up(runs: FakeRuns) -> None:
    now = 0.0
    engine = LocalEngine(runs, active=1, patience=10, clock=lambda: now)
    runs.hold("a")
    runs.hold("b")
    watched, left, waiting = (engine.submit(request(prompt)) for prompt in "abc")
    runs.reached("a")
    now = 8.0
    watched.snapshot()
    waiting.snapshot()
    now = 16.0
    runs.let_go("a")
    assert finished(watched).trace and finished(waiting).trace
    assert finished(left).state == "cancelled" and runs.started == ["a", "c"]
    engine.close()


def test_waiting_is_looking(runs: FakeRuns) -> None:
    now = 0.0
    engine = LocalEngine(runs, patience=10, clock=lambda: now)
    runs.hold("a")
    ticket = engine.submit(request("a"))
    runs.reached("a")
    seen: list[Snapshot] = []
    waiter = threading.Thread(target=lambda: seen.append(ticket.wait(10)))
    waiter.start()
    while waiter.is_alive() and not ticket._job.watchers:  # type: ignore[attr-defined]
        waiter.join(0.001)
    now = 100.0
    runs.let_go("a")
    waiter.join(10)
    assert seen[0].trace
    engine.close()
