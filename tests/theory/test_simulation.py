from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.theory.closed_forms import expected_tokens, pass_cost, speedup
from core.theory.simulation import (
    MOST_ROUNDS,
    acceptances,
    draw_accepted,
    ratio_interval,
    simulate,
    survival_band,
    survival_curve,
)

# Intervals at this level miss about once in 30 million: no seed of these tests will.
SURE = 1 - 3e-8


@pytest.mark.parametrize("alpha", [0.2, 0.6, 0.8, 0.97])
@pytest.mark.parametrize("gamma", [1, 4, 10])
@pytest.mark.parametrize("c", [0.0, 0.1, 0.5])
def test_the_simulation_agrees_with_the_closed_form(alpha: float, gamma: int, c: float) -> None:
    result = simulate(alpha, gamma, c, 20_000, seed=1, verify=1.1, level=SURE)
    assert result.low < speedup(alpha, gamma, c, verify=1.1) < result.high
    assert result.high - result.low < 0.1 * result.speedup


def test_the_numbers_kept_are_a_truncated_geometric() -> None:
    kept = simulate(0.7, 5, 0.1, 200_000, seed=3).accepted
    shares = np.bincount(kept, minlength=6) / kept.size
    exact = np.array([0.3 * 0.7**i for i in range(5)] + [0.7**5])
    # Five standard errors each: a false alarm in a million or so.
    assert np.all(np.abs(shares - exact) < 5 * np.sqrt(exact * (1 - exact) / kept.size))


def test_about_95_of_100_intervals_hold_the_closed_form() -> None:
    truth = speedup(0.7, 4, 0.1)
    held = sum((s := simulate(0.7, 4, 0.1, 400, seed)).low < truth < s.high for seed in range(400))
    # 380 expected, standard error 4.4.
    assert 358 <= held <= 400 - 2


@pytest.mark.parametrize(("alpha", "kept"), [(0.0, 0), (1.0, 6)])
def test_at_the_ends_of_the_scale_every_round_is_alike(alpha: float, kept: int) -> None:
    result = simulate(alpha, 6, 0.1, 1000, seed=0)
    assert set(result.accepted) == {kept}
    assert result.low == result.speedup == result.high == pytest.approx(speedup(alpha, 6, 0.1))


def test_a_free_draft_costs_target_passes_only() -> None:
    result = simulate(0.5, 3, 0.0, 500, seed=0)
    assert result.time == 500 and result.tokens == result.accepted.sum() + 500
    assert result.rounds == 500 and result.speedup == result.tokens / 500


def test_a_measured_curve_is_the_price_of_the_check() -> None:
    cost = pass_cost([1, 2, 8], [0.02, 0.02, 0.03])
    assert simulate(0.5, 7, 0.1, 100, 0, verify=cost).time == pytest.approx(100 * (0.7 + 1.5))


def test_the_same_seed_gives_the_same_rounds_and_another_seed_others() -> None:
    first, again, other = (simulate(0.7, 4, 0.1, 300, seed) for seed in (5, 5, 6))
    assert np.array_equal(first.accepted, again.accepted)
    assert not np.array_equal(first.accepted, other.accepted)


def test_acceptances_by_position_give_their_own_survival() -> None:
    """Text that is easy here and hard there: one α for both promises too much."""
    survival = 0.5 * 0.95 ** np.arange(1, 7) + 0.5 * 0.35 ** np.arange(1, 7)
    result = simulate(acceptances(survival), 6, 0.1, 40_000, seed=2, level=SURE)
    assert result.low < (1 + survival.sum()) / 1.6 < result.high
    examined = result.accepted.sum() + np.sum(result.accepted < 6)
    pooled = float(result.accepted.sum() / examined)
    # The same acceptance rate, had the guesses been independent: another speed-up, and another curve.
    assert speedup(pooled, 6, 0.1) > 1.05 * result.high
    low, high = survival_band(pooled, 6, 1000, seed=0)
    assert survival[0] < low[0] and survival[5] > high[5]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_survival_and_acceptances_are_each_others_way_back(each: list[float]) -> None:
    survival = survival_curve(each, len(each))
    assert np.all(np.diff(survival) <= 0) and survival[0] == each[0]
    assert survival_curve(acceptances(survival), len(each)) == pytest.approx(survival)


@given(st.floats(0, 1), st.integers(1, 20), st.floats(0, 1), st.integers(1, 200), st.integers(0, 2**32))
def test_a_round_writes_one_to_gamma_plus_one_tokens(
    alpha: float, gamma: int, c: float, rounds: int, seed: int
) -> None:
    result = simulate(alpha, gamma, c, rounds, seed)
    assert rounds <= result.tokens <= rounds * (gamma + 1)
    assert result.accepted.shape == (rounds,) and np.all((result.accepted >= 0) & (result.accepted <= gamma))
    assert result.low <= result.speedup * (1 + 1e-12) and result.speedup <= result.high * (1 + 1e-12)


def test_a_higher_acceptance_never_keeps_less_with_the_same_seed() -> None:
    kept = [draw_accepted(survival_curve(a, 8), 500, np.random.default_rng(4)) for a in (0.0, 0.3, 0.6, 0.9, 1.0)]
    assert all(np.all(more >= fewer) for fewer, more in zip(kept, kept[1:], strict=False))


def test_rounds_of_unequal_length_have_the_delta_methods_interval() -> None:
    rng = np.random.default_rng(8)
    tokens = rng.integers(1, 6, (2000, 300))
    times = 0.8 + 0.1 * tokens + 0.2 * rng.random(tokens.shape)
    truth = 3.0 / (0.8 + 0.3 + 0.1)
    held = sum(low < truth < high for low, high in map(ratio_interval, tokens, times))
    # 1900 of 2000 expected, standard error 10; the interval of the tokens alone would be twice as wide and hold 2000.
    assert 1850 <= held <= 1950


def test_one_round_says_nothing_of_the_spread() -> None:
    result = simulate(0.5, 4, 0.1, 1, seed=0)
    assert (result.low, result.high) == (-np.inf, np.inf)


def test_the_band_of_a_few_independent_rounds_holds_what_they_give() -> None:
    low, high = survival_band(0.7, 4, 30, seed=1)
    inside = 0
    for seed in range(300):
        kept = simulate(0.7, 4, 0.1, 30, seed).accepted
        share = np.mean(kept[:, None] > np.arange(4), axis=0)
        inside += (low <= share) & (share <= high)
    # At least 285 of 300 expected at each position (the shares come in steps); standard error 3.8.
    assert np.all(inside >= 270) and np.all(low < 0.7 ** np.arange(1, 5)) and np.all(high > 0.7 ** np.arange(1, 5))
    assert np.all(high - low < 0.5)


@pytest.mark.parametrize(
    ("alpha", "gamma", "rounds"),
    [(0.5, 0, 10), (0.5, 4, 0), (0.5, 4, MOST_ROUNDS + 1), (1.1, 4, 10), (-0.1, 4, 10), ([0.5, 0.4], 3, 10),
     (float("nan"), 4, 10)],
)  # fmt: skip
def test_figures_that_make_no_sense_are_refused(alpha: float | list[float], gamma: int, rounds: int) -> None:
    with pytest.raises(ValueError):
        simulate(alpha, gamma, 0.1, rounds, seed=0)


def test_a_million_rounds_take_well_under_a_tenth_of_a_second() -> None:
    best = 1.0
    for _ in range(5):
        began = time.process_time()
        simulate(0.8, 6, 0.1, 1_000_000, seed=0)
        best = min(best, time.process_time() - began)
    assert best < 0.08


def test_tokens_by_alpha_are_the_expected_ones() -> None:
    assert 1 + survival_curve(0.6, 5).sum() == pytest.approx(expected_tokens(0.6, 5))
