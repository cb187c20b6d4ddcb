"""Exact output distributions, and that the tests for counted ones fail as often as they say."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from core.measure.exactness import LEAST_EXPECTED, chi_square, output_distribution, residual, tv, tv_band

P, Q = np.array([F(3, 10), F(5, 10), F(2, 10)]), np.array([F(4, 10), F(3, 10), F(3, 10)])


def shares(size: int) -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(0, 5), min_size=size, max_size=size).filter(any)


@st.composite
def two_distributions(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    size = draw(st.integers(1, 6))
    p, q = draw(shares(size)), draw(shares(size))
    return np.array([F(x, sum(p)) for x in p]), np.array([F(x, sum(q)) for x in q])


@given(two_distributions())
def test_accept_and_residual_give_p_to_the_last_digit(pair):
    p, q = pair
    assert (output_distribution(p, q) == p).all()
    for replacement in ("target", "argmax", "keep"):
        assert output_distribution(p, q, replacement).sum() == 1


def test_the_other_replacements_worked_out_by_hand():
    # Kept: (.3, .3, .2), so a miss has probability .2; the argmax of p is the second token.
    assert list(output_distribution(P, Q, "target")) == [F(36, 100), F(40, 100), F(24, 100)]
    assert list(output_distribution(P, Q, "argmax")) == [F(3, 10), F(5, 10), F(2, 10)]
    assert list(output_distribution(P, Q, "keep")) == list(Q)
    # One that argmax gets wrong: two tokens are missing from the draft, and it fills up only one.
    p, q = np.array([F(1, 4), F(1, 4), F(2, 4)]), np.array([F(0), F(0), F(1)])
    assert list(output_distribution(p, q, "argmax")) == [0, 0, 1]


def test_floats_are_as_good_as_fractions_to_rounding():
    p, q = np.array([0.3, 0.5, 0.2]), np.array([0.4, 0.3, 0.3])
    assert output_distribution(p, q) == pytest.approx(p, abs=1e-15)
    assert residual(p, p) == pytest.approx(p)


def test_total_variation():
    assert tv(np.array([1.0, 0.0]), np.array([0.0, 1.0])) == 1
    assert tv(P, Q) == pytest.approx(0.2)


def test_the_band_holds_as_many_right_runs_as_it_says():
    """1,000 right runs at a band of 90 %: between 87 and 93 % lie inside (3 sigma; false alarm under 1 in 300)."""
    p, n = np.array([0.5, 0.25, 0.15, 0.1, 0.0]), 400
    band = tv_band(p, n, level=0.9)
    draws = np.random.default_rng(7).multinomial(n, p, size=1000)
    inside = [band.low <= tv(d / n, p) <= band.high for d in draws]
    assert 0.87 < np.mean(inside) < 0.93
    assert band.low < band.middle < band.high and band.level == 0.9


def test_the_band_shrinks_with_the_root_of_n():
    p = np.full(10, 0.1)
    assert tv_band(p, 400).middle / tv_band(p, 40_000).middle == pytest.approx(10, rel=0.05)


def test_chi_square_agrees_with_scipy_where_no_cell_is_small():
    counts, p = np.array([18, 25, 57]), np.array([0.2, 0.3, 0.5])
    theirs = stats.chisquare(counts, 100 * p)
    ours = chi_square(counts, p)
    assert (ours.statistic, ours.p_value, ours.cells) == (pytest.approx(theirs.statistic), pytest.approx(theirs[1]), 3)


def test_small_cells_are_pooled_by_what_is_expected():
    p = np.array([0.9, 0.04, 0.03, 0.02, 0.01])
    ours = chi_square(np.array([88, 5, 3, 4, 0]), p)
    # Expected 90, and 4 + 3 + 2 + 1 = 10 together.
    theirs = stats.chisquare([88, 12], [90, 10])
    assert (ours.cells, ours.p_value) == (2, pytest.approx(theirs[1]))
    # What is too small even together takes the smallest other cell along.
    assert chi_square(np.array([60, 38, 2]), np.array([0.6, 0.39, 0.01])).cells == 2


def test_a_draw_that_the_target_rules_out_settles_it():
    assert chi_square(np.array([999, 1]), np.array([1.0, 0.0])).p_value == 0
    assert chi_square(np.array([1000, 0]), np.array([1.0, 0.0])).p_value == 1


def test_right_runs_fail_at_one_per_cent_about_once_in_a_hundred():
    """2,000 right runs: failures at 1 % are Binomial(2000, .01), between 5 and 38 but for 1 in 2,000."""
    rng = np.random.default_rng(3)
    p = rng.dirichlet(np.full(40, 0.5))
    failed = sum(chi_square(rng.multinomial(800, p), p).p_value < 0.01 for _ in range(2000))
    assert 5 <= failed <= 38
    assert (800 * p < LEAST_EXPECTED).any()


def test_a_wrong_run_fails():
    p = np.array([0.5, 0.3, 0.2])
    assert chi_square(np.array([560, 260, 180]), p).p_value < 1e-3
