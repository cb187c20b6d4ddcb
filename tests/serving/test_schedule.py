import threading

import pytest

from core.serving.protocol import EngineBusy
from core.serving.schedule import Job, Kind, Schedule


def job(key: str, kind: Kind = "run") -> Job:
    return Job(key, kind, begin=lambda: iter(()), finish=lambda events, value: value, news=threading.Condition())


def turns(schedule: Schedule, count: int) -> list[object]:
    return [taken.key if (taken := schedule.take()) else None for _ in range(count)]


def test_active_jobs_take_turns() -> None:
    schedule = Schedule(active=3, queue_length=0)
    for key in "abc":
        schedule.add(job(key))
    assert turns(schedule, 7) == list("abcabca")


def test_those_who_wait_come_in_by_order_of_arrival() -> None:
    schedule = Schedule(active=1, queue_length=5)
    a, b, c = (job(key) for key in "abc")
    for each in (a, b, c):
        schedule.add(each)
    assert [schedule.position(each) for each in (a, b, c)] == [None, 1, 2]
    schedule.remove(a)
    assert [schedule.position(each) for each in (b, c)] == [None, 1]
    assert turns(schedule, 2) == ["b", "b"]


def test_a_full_line_turns_away_and_keeps_nothing() -> None:
    schedule = Schedule(active=1, queue_length=1)
    for key in "ab":
        schedule.add(job(key))
    with pytest.raises(EngineBusy, match="try again"):
        schedule.add(job("c"))
    assert [each.key for each in schedule.jobs()] == ["a", "b"]


def test_one_call_goes_between_the_rounds_without_waiting_for_a_place() -> None:
    schedule = Schedule(active=2, queue_length=2)
    for each in (job("a"), job("b"), job("c"), job("x", "call"), job("y", "call")):
        schedule.add(each)
    assert turns(schedule, 6) == ["a", "b", "x", "a", "b", "x"]
    assert schedule.position(schedule.jobs()[-1]) == 1


def test_warming_fills_idle_time_only() -> None:
    schedule = Schedule(active=1, queue_length=2)
    warm, a = job("warm"), job("a")
    schedule.keep(warm)
    assert turns(schedule, 2) == ["warm", "warm"]
    schedule.add(a)
    assert turns(schedule, 2) == ["a", "a"]
    schedule.remove(a)
    assert turns(schedule, 1) == ["warm"]


def test_warming_that_somebody_asks_for_takes_part_and_can_go_back() -> None:
    schedule = Schedule(active=2, queue_length=2)
    warm, a = job("warm"), job("a")
    schedule.keep(warm)
    schedule.add(a)
    schedule.add(warm)
    assert turns(schedule, 4) == ["a", "warm", "a", "warm"]
    schedule.keep(warm)
    assert turns(schedule, 2) == ["a", "a"]
    assert [each.key for each in schedule.jobs()] == ["a", "warm"]


def test_nothing_to_do() -> None:
    assert Schedule(active=1, queue_length=1).take() is None
