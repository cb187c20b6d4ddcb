from math import exp, factorial, inf, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.theory.queueing import erlang_c, played, wait, workers_needed


def by_the_book(workers: int, offered: float) -> float:
    """Erlang's C as textbooks write it, with sums of powers over factorials."""
    full = offered**workers / factorial(workers) * workers / (workers - offered)
    return full / (sum(offered**n / factorial(n) for n in range(workers)) + full)


# k, offered work, share that waits: the first two exactly (1/3 and 4/9), the third from printed tables.
@pytest.mark.parametrize(
    ("workers", "offered", "share"), [(1, 0.7, 0.7), (2, 1, 1 / 3), (3, 2, 4 / 9), (10, 8, 0.4092)]
)
def test_erlang_c_at_known_values(workers: int, offered: float, share: float) -> None:
    assert erlang_c(workers, offered) == pytest.approx(share, abs=5e-5)


@given(st.integers(1, 60), st.floats(0.0, 0.999))
def test_erlang_c_is_the_textbook_s(workers: int, load: float) -> None:
    assert erlang_c(workers, load * workers) == pytest.approx(by_the_book(workers, load * workers), rel=1e-9, abs=1e-12)


def test_erlang_c_at_its_ends() -> None:
    assert erlang_c(5, 0) == 0 and erlang_c(2, 2) == erlang_c(2, 7) == 1
    # Sums of factorials would overflow here.
    assert 0 < erlang_c(1000, 950) < 1


def test_one_worker_waits_as_m_m_1() -> None:
    # Mean ρ/(μ − λ); P(wait > t) = ρ e^(−(μ − λ)t).
    found = wait(rate=0.8, service=1.0, workers=1)
    assert found.load == pytest.approx(0.8) and found.mean == pytest.approx(4.0)
    assert 0.8 * exp(-0.2 * found.p95) == pytest.approx(0.05)
    assert wait(0.5, 1.0, 1).mean == pytest.approx(1.0)


def test_few_who_wait_leave_the_95th_unharmed() -> None:
    assert wait(0.04, 1.0, 1).p95 == 0 < wait(0.04, 1.0, 1).mean


def test_more_work_than_workers_waits_for_ever() -> None:
    assert wait(2.0, 1.0, 2).mean == played(2.0, [1.0], 2).p95 == inf
    assert wait(3.0, 1.0, 2).load == 1.5


def test_nothing_asked_for_is_no_wait() -> None:
    assert wait(0.0, 1.0, 1) == wait(1.0, 0.0, 1)


@given(st.floats(0.1, 30), st.floats(0.1, 5), st.integers(1, 40))
def test_another_worker_shortens_the_wait(rate: float, service: float, workers: int) -> None:
    assert wait(rate, service, workers + 1).mean <= wait(rate, service, workers).mean


def test_equal_service_times_halve_the_wait() -> None:
    # M/D/1 by Pollaczek and Khinchine: ρ/(2μ(1 − ρ)) = 1 at ρ = 2/3, μ = 1. Of eight seeds the farthest was 2 % off.
    assert played(2 / 3, [1.0], 1, jobs=100_000, seed=1).mean == pytest.approx(1.0, rel=0.08)


def test_played_agrees_with_the_formula() -> None:
    exponential = [-log(1 - (i + 0.5) / 4000) for i in range(4000)]
    for rate, workers in ((0.7, 1), (2.4, 3)):
        formula, game = wait(rate, 1.0, workers), played(rate, exponential, workers, jobs=100_000, seed=2)
        assert game.load == pytest.approx(formula.load, rel=0.01)
        assert game.mean == pytest.approx(formula.mean, rel=0.1) and game.p95 == pytest.approx(formula.p95, rel=0.1)


def test_the_same_seed_plays_the_same() -> None:
    assert played(1.0, [0.5, 0.7], 1, jobs=500, seed=3) == played(1.0, [0.5, 0.7], 1, jobs=500, seed=3)
    assert played(1.0, [0.5, 0.7], 1, jobs=500, seed=3) != played(1.0, [0.5, 0.7], 1, jobs=500, seed=4)


def test_workers_needed_are_the_fewest() -> None:
    # A thousand students, each with a run of two seconds every two minutes.
    needed = workers_needed(1000 / 120, 2.0, 5.0)
    assert wait(1000 / 120, 2.0, needed).p95 <= 5 < wait(1000 / 120, 2.0, needed - 1).p95
    assert workers_needed(0.01, 1.0, 0.0) == 1


@pytest.mark.parametrize(
    "call",
    [
        lambda: erlang_c(0, 1),
        lambda: erlang_c(1, -1),
        lambda: wait(-1, 1, 1),
        lambda: played(1, [], 1),
        lambda: played(0, [1.0], 1),
        lambda: played(1, [0.5], 0),
        lambda: played(1, [0.5], 1, jobs=0),
    ],
)
def test_figures_that_make_no_sense(call) -> None:
    with pytest.raises(ValueError, match="There must be"):
        call()
