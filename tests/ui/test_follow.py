from __future__ import annotations

import sys
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui.follow import KEPT_FOR, LENGTH, LETTERS, PRESENT, Registry, tidy


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def registry(clock: Clock) -> Registry:
    return Registry(most=3, clock=clock)


def test_a_follower_sees_the_step_and_a_wrong_code_sees_nothing(registry: Registry) -> None:
    registry.arrive("right", 7)
    seen = registry.look("right")
    assert seen and (seen.step, seen.wanted, seen.open) == (7, None, True)
    assert registry.look("wrong") is None
    registry.ask("wrong", 3)
    assert registry.look("wrong") is None and registry.take("wrong") is None


def test_a_step_that_was_asked_for_is_taken_once(registry: Registry) -> None:
    registry.arrive("a", 7)
    registry.ask("a", 8)
    registry.ask("a", 9)
    seen = registry.look("a")
    assert seen and (seen.step, seen.wanted) == (7, 9)
    assert [registry.take("a"), registry.take("a")] == [9, None]


def test_a_moved_slider_keeps_what_was_asked_for_and_a_pressed_key_makes_it_void(registry: Registry) -> None:
    registry.arrive("a", 7)
    registry.ask("a", 8)
    registry.arrive("a", 7)
    assert registry.take("a") == 8
    registry.ask("a", 8)
    registry.arrive("a", 9)
    assert registry.take("a") is None


def test_what_is_asked_for_while_the_tour_is_on_its_way_is_kept(registry: Registry) -> None:
    registry.arrive("a", 7)
    registry.ask("a", 8)
    assert registry.take("a") == 8
    seen = registry.look("a")
    assert seen and seen.step == 8
    registry.ask("a", 9)
    registry.arrive("a", 8)
    assert registry.take("a") == 9


def test_the_time_counts_from_the_first_step_on_and_can_be_set_back(registry: Registry, clock: Clock) -> None:
    def elapsed() -> float:
        seen = registry.look("a")
        assert seen
        return seen.elapsed

    registry.arrive("a", None)
    clock.now += 60
    assert elapsed() == 0
    registry.arrive("a", 1)
    clock.now += 90
    registry.arrive("a", 2)
    assert elapsed() == 90
    registry.set_back("a")
    clock.now += 5
    assert elapsed() == 5


def test_each_side_is_gone_once_it_has_been_silent(registry: Registry, clock: Clock) -> None:
    registry.arrive("a", 1)
    assert not registry.watched("a")
    registry.look("a")
    assert registry.watched("a")
    clock.now += PRESENT
    assert not registry.watched("a")
    seen = registry.look("a")
    assert seen and not seen.open
    registry.take("a")
    seen = registry.look("a")
    assert seen and seen.open


def test_an_unused_code_expires_and_a_used_one_does_not(registry: Registry, clock: Clock) -> None:
    registry.arrive("used", 1)
    registry.arrive("unused", 1)
    clock.now += KEPT_FOR - 1
    assert registry.look("used")
    clock.now += 2
    assert registry.look("used") and registry.look("unused") is None
    registry.forget("used")
    assert registry.look("used") is None


def test_beyond_the_bound_the_one_unused_for_longest_goes(registry: Registry) -> None:
    for code in "abc":
        registry.arrive(code, 1)
    registry.look("a")
    registry.arrive("d", 1)
    assert [registry.look(code) is not None for code in "abcd"] == [True, False, True, True]


def test_many_threads_lose_nothing(clock: Clock) -> None:
    registry = Registry(most=10, clock=clock)
    registry.arrive("a", 1)
    taken: list[int] = []

    def ask(first: int) -> None:
        for n in range(first, first + 500):
            registry.ask("a", n)
            registry.look("a")
            if (wanted := registry.take("a")) is not None:
                taken.append(wanted)

    threads = [threading.Thread(target=ask, args=(1000 * i,)) for i in range(4)]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    assert taken and len(taken) == len(set(taken)), "a step was taken twice"
    assert registry.take("a") is None


@given(st.text(max_size=30))
def test_whatever_is_typed_is_a_code_or_none(typed: str) -> None:
    found = tidy(typed)
    assert found is None or (len(found) == LENGTH and set(found) <= set(LETTERS))


def test_a_code_may_be_typed_with_blanks_and_capitals() -> None:
    assert tidy(" ABCDE fghjk ") == "abcdefghjk"
    assert tidy("abcdefghjo") is None  # no o: it looks like a 0
    assert tidy("<b>abcdefg") is None
