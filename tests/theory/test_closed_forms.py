import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.theory.closed_forms import (
    LONGEST,
    best_gamma,
    breakeven_alpha,
    expected_tokens,
    operations_factor,
    pass_cost,
    round_cost,
    speedup,
)

# Leviathan, Kalman & Matias 2023, table 1: α, γ, operations, speed.
TABLE_1 = [
    (0.6, 2, 1.53, 1.96),
    (0.7, 3, 1.58, 2.53),
    (0.8, 2, 1.23, 2.44),
    (0.8, 5, 1.63, 3.69),
    (0.9, 2, 1.11, 2.71),
    (0.9, 10, 1.60, 6.86),
]

# Table 4 of the same: α (printed rounded), γ, c, expected speed-up.
TABLE_4 = [
    (0.75, 7, 0.02, 3.2),
    (0.62, 7, 0.02, 2.3),
    (0.65, 5, 0.02, 2.4),
    (0.53, 5, 0.02, 1.9),
    (0.80, 7, 0.04, 3.3),
    (0.68, 5, 0.04, 2.4),
    (0.73, 5, 0.04, 2.6),
    (0.55, 3, 0.04, 1.8),
    (0.82, 7, 0.11, 2.5),
    (0.71, 3, 0.11, 2.0),
    (0.74, 3, 0.11, 2.0),
    (0.56, 3, 0.11, 1.6),
]


@pytest.mark.parametrize(("alpha", "gamma", "operations", "speed"), TABLE_1)
def test_the_papers_first_table(alpha: float, gamma: int, operations: float, speed: float) -> None:
    assert operations_factor(alpha, gamma) == pytest.approx(operations, abs=0.006)
    assert speedup(alpha, gamma, 0) == pytest.approx(speed, abs=0.006)


@pytest.mark.parametrize(("alpha", "gamma", "c", "expected"), TABLE_4)
def test_the_papers_fourth_table(alpha: float, gamma: int, c: float, expected: float) -> None:
    assert speedup(alpha, gamma, c) == pytest.approx(expected, abs=0.07)


@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.9, 1 - 1e-12, 1.0])
@pytest.mark.parametrize("gamma", [0, 1, 5, 32])
def test_expected_tokens_is_the_geometric_sum(alpha: float, gamma: int) -> None:
    assert expected_tokens(alpha, gamma) == pytest.approx(sum(alpha**i for i in range(gamma + 1)), rel=1e-12)


def test_the_ends_of_the_scale() -> None:
    assert expected_tokens(0, 5) == 1
    assert expected_tokens(1, 5) == 6


@pytest.mark.parametrize(("alpha", "c", "gamma", "speed"), [(0.8, 0.05, 8, 3.092), (0.9, 0.1, 10, 3.431)])
def test_the_best_draft_length(alpha: float, c: float, gamma: int, speed: float) -> None:
    assert best_gamma(alpha, c) == gamma
    assert speedup(alpha, gamma, c) == pytest.approx(speed, abs=0.0005)


def test_the_best_draft_length_can_be_one_or_none() -> None:
    assert best_gamma(0.5, 0.2) == 1
    assert speedup(0.5, 1, 0.2) == pytest.approx(1.25)
    assert best_gamma(0.2, 0.3) == 0


def test_a_round_can_cost_more_than_it_brings() -> None:
    assert speedup(0.6, 5, 0.3) == pytest.approx(0.953, abs=0.0005)


def test_a_dearer_check_lowers_the_speedup() -> None:
    assert speedup(0.8, 4, 0.1, verify=1.2) == pytest.approx(expected_tokens(0.8, 4) / 1.6)
    assert speedup(0.8, 4, 0.1) == pytest.approx(expected_tokens(0.8, 4) / 1.4)


def test_a_curve_of_measured_times_prices_each_check() -> None:
    cost = pass_cost([1, 2, 4, 8], [0.02, 0.02, 0.03, 0.05])
    assert cost(np.array([1, 2, 3, 8, 10])) == pytest.approx([1, 1, 1.25, 2.5, 3.0])
    assert round_cost(3, 0.1, cost) == pytest.approx(0.3 + 1.5)
    assert speedup([0.5, 1.0], 7, 0.1, cost) == pytest.approx(expected_tokens([0.5, 1.0], 7) / 3.2)


def test_beyond_a_noisy_curve_a_pass_is_never_cheaper() -> None:
    assert pass_cost([1, 32, 64], [0.02, 0.05, 0.04])(np.array(100)) == pytest.approx(2)


@pytest.mark.parametrize(("n", "seconds"), [([1], [1]), ([2, 4], [1, 1]), ([1, 1], [1, 1]), ([1, 2], [1])])
def test_what_is_no_curve_is_refused(n: list[int], seconds: list[float]) -> None:
    with pytest.raises(ValueError):
        pass_cost(n, seconds)


def test_the_best_draft_length_is_shorter_where_checks_cost_more() -> None:
    flat, steep = pass_cost([1, 65], [1, 1]), pass_cost([1, 2, 65], [1, 1.2, 1.2 + 0.2 * 63])
    assert best_gamma(0.8, 0.05, verify=flat) == best_gamma(0.8, 0.05) == 8
    assert best_gamma(0.8, 0.05, verify=steep) == 3
    assert best_gamma(0.8, 0.05, longest=5) == 5


def test_not_drafting_is_best_where_a_check_costs_too_much() -> None:
    assert best_gamma(0.5, 0.1, verify=1.6) == 0
    assert best_gamma(0.5, 0.1, verify=1.2) > 0
    assert list(best_gamma(0.5, 0.1, verify=[1.6, 1.2])) == [0, best_gamma(0.5, 0.1, verify=1.2)]


def test_breakeven_with_a_measured_curve() -> None:
    cost = pass_cost([1, 5], [0.02, 0.03])
    alpha = breakeven_alpha(4, 0.1, cost)
    assert speedup(alpha, 4, 0.1, cost) == pytest.approx(1) and alpha > breakeven_alpha(4, 0.1)


def test_limits_of_the_best_draft_length() -> None:
    assert best_gamma(1, 0) == LONGEST
    assert best_gamma(0, 0) == best_gamma(0, 0.1) == 0
    ties = np.linspace(0, 1, 101)
    assert np.all(best_gamma(ties, ties) == 0)


@given(st.floats(0, 1), st.integers(0, 64), st.floats(0, 2))
def test_a_round_is_worth_no_less_with_better_guesses_and_no_more_with_dearer_ones(a: float, g: int, c: float) -> None:
    assert 1 <= expected_tokens(a, g) <= g + 1 + 1e-9
    assert speedup(min(1, a + 0.01), g, c) >= speedup(a, g, c) - 1e-12 >= speedup(a, g, c + 0.01) - 1e-9


def test_the_drafts_own_operations_count() -> None:
    assert operations_factor(0.6, 2, 0.1) == pytest.approx((0.2 + 3) / 1.96)


@pytest.mark.parametrize("gamma", [1, 3, 7])
@pytest.mark.parametrize("c", [0.05, 0.3, 0.9])
def test_at_the_breakeven_both_take_the_same_time(gamma: int, c: float) -> None:
    alpha = breakeven_alpha(gamma, c)
    assert 0 < alpha < 1
    assert speedup(alpha, gamma, c) == pytest.approx(1)


def test_breakeven_of_a_single_guess_is_the_cost_ratio() -> None:
    assert breakeven_alpha(1, 0.3) == pytest.approx(0.3)


def test_breakeven_where_there_is_none() -> None:
    assert np.isnan(breakeven_alpha(4, 1.2))
    assert np.isnan(breakeven_alpha(1, 0.5, verify=1.6))
    assert breakeven_alpha(4, 1.0) == pytest.approx(1)
    assert breakeven_alpha(4, 0.0) == pytest.approx(0)


def test_a_draft_cheaper_than_it_is_good_always_pays() -> None:
    alpha, c = np.meshgrid(np.linspace(0.02, 1, 50), np.linspace(0, 0.98, 50))
    pays = alpha > c + 1e-9
    best = speedup(alpha, best_gamma(alpha, c), c)
    assert np.all(best[pays] >= ((1 + alpha) / (1 + c))[pays] - 1e-12)
    assert np.all(best_gamma(alpha, c)[alpha < c - 1e-9] == 0)


def test_arrays_broadcast() -> None:
    alpha, gamma = np.array([[0.5], [0.9]]), np.arange(1, 5)
    table = speedup(alpha, gamma, 0.1)
    assert table.shape == (2, 4)
    assert table[1, 2] == pytest.approx(speedup(0.9, 3, 0.1))
    assert best_gamma(alpha, np.array([0.05, 0.1, 0.2])).shape == (2, 3)
    assert breakeven_alpha(gamma, 0.1).shape == (4,)
