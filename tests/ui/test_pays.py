"""The model in formulas and words, its figures, and the way from the formula to a measured run."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.measure.latency import LatencyCurve
from core.theory.closed_forms import speedup
from core.theory.simulation import survival_band
from tests.ui.hand_made import CAT, CAT_ROUNDS, speculative, standard
from ui import pays
from ui.components.chart.chart import spec
from ui.figures_pays import speedup_map, speedup_over_gamma, survival_figure, way_figure
from ui.pays import ASKED, MOST_GAMMA, Dot, Model, play
from ui.runs import BothWays, summary

ALONE, TOGETHER = summary(standard(CAT)), summary(speculative("The", CAT_ROUNDS))
BOTH = BothWays(ALONE, TOGETHER)
(HAND,) = pays.dots([BOTH])
LATENCY = LatencyCurve((1, 2, 4, 8), (0.08, 0.08, 0.096, 0.12), (0.08, 0.16, 0.32, 0.64), 128, 5)
USUAL = Model(0.7, 0.1, 4)


def test_the_questions_figures_are_the_papers_formula() -> None:
    assert pays.question_facts() == {
        "tokens": "2.38", "cost": "2.50", "speedup": "0.953×", "best": 1, "best_speedup": "1.23×",
    }  # fmt: skip


def test_the_sliders_do_not_begin_with_the_questions_numbers() -> None:
    usual = Model(pays.ALPHA.default, pays.C.default, pays.GAMMA.default)
    assert not pays.gives_away(usual) and pays.gives_away(ASKED)
    assert pays.gives_away(Model(0.62, 0.28, 1)) and not pays.gives_away(Model(0.6, 0.1, 5))


def test_formulas_hold_the_current_numbers() -> None:
    tokens, cost, gain = pays.formulas(USUAL)
    assert "1-0.70^{5}" in tokens and r"\mathbf{2.77}" in tokens
    assert r"4 \cdot 0.10 + 1 = \mathbf{1.40}" in cost
    assert r"\frac{2.77}{1.40} = \mathbf{1.98}" in gain


def test_at_alpha_one_no_formula_divides_by_zero() -> None:
    tokens, _, _ = pays.formulas(Model(1, 0.1, 4))
    assert r"\gamma + 1 = 4 + 1 = \mathbf{5.00}" in tokens and "frac" not in tokens


@pytest.mark.parametrize(
    ("model", "word", "figure"),
    [
        (USUAL, "**Faster.**", "1.98×"),
        (ASKED, "**Slower.**", "5 % longer"),
        (Model(0, 0, 4), "**Even.**", "just as long"),
        (Model(0, 1, 1), "**Slower.**", "100 % longer"),
        (Model(1, 0, MOST_GAMMA), "**Faster.**", "21.00×"),
    ],
)
def test_the_verdict_says_faster_or_slower(model: Model, word: str, figure: str) -> None:
    assert word in pays.verdict(model) and figure in pays.verdict(model)


def test_advice_names_the_best_length_and_the_breakeven() -> None:
    assert "γ = 1, with 1.23×" in pays.advice(ASKED)
    assert "from **α = 0.29** on" in pays.advice(USUAL)
    assert "leave drafting off" in pays.advice(Model(0.2, 0.3, 4))
    assert "The longer the draft the better" in pays.advice(Model(1, 0, 4))
    assert "not even α = 1" in pays.advice(Model(0.5, 1, 4))


@given(st.floats(0, 1), st.floats(0, 1), st.integers(1, MOST_GAMMA))
def test_any_setting_of_the_sliders_has_words(alpha: float, c: float, gamma: int) -> None:
    model = Model(alpha, c, gamma)
    assert ("Faster" in pays.verdict(model)) == (model.speed_up > 1 + pays.EVEN)
    assert pays.advice(model) and all("nan" not in formula for formula in pays.formulas(model))
    assert model.best == 0 or Model(alpha, c, model.best).speed_up >= model.speed_up - 1e-12


def test_dice_are_thrown_anew_at_each_length_and_seed() -> None:
    played, again, other = play(USUAL, 100, 3), play(USUAL, 100, 3), play(USUAL, 100, 4)
    assert np.array_equal(played.speed_ups, again.speed_ups)
    assert not np.array_equal(played.speed_ups, other.speed_ups)
    assert list(played.gammas) == list(range(1, MOST_GAMMA + 1))
    assert np.all(played.low <= played.speed_ups) and np.all(played.speed_ups <= played.high)
    # The same seed at the next draft length, or at the next seed, is no shifted copy of the same draws.
    assert len({round(s, 9) for s in [*played.speed_ups, *other.speed_ups]}) > 35


def test_measured_values_go_to_the_nearest_place_on_the_sliders() -> None:
    assert pays.on_sliders(Model(0.6749, 0.0832, 4)) == Model(0.67, 0.08, 4)
    assert pays.on_sliders(Model(0.0, 1.7, 32)) == Model(0.0, 1.0, MOST_GAMMA)


def test_a_measured_run_lies_at_its_own_figures() -> None:
    assert HAND.model == Model(TOGETHER.alpha_hat, TOGETHER.c_hat, 4)  # type: ignore[arg-type]
    assert HAND.speed_up == BOTH.speed_up
    assert HAND.label == "own prompt, temperature 0, γ = 4"
    assert pays.dots([BothWays(ALONE, replace(TOGETHER, accepted=0, rejected=0))]) == []


def test_the_way_goes_from_the_formula_to_the_measurement() -> None:
    formula, checks, guesses, overhead, measured = pays.way_to_measured(BOTH, HAND, pays.check_cost(TOGETHER, LATENCY))
    assert formula.speed_up == pytest.approx(speedup(HAND.model.alpha, 4, HAND.model.c))
    # Verification passes of 0.12 s; standard ones of 0.1 s, padded, so 0.08 s at their fastest.
    assert checks.speed_up == pytest.approx(formula.speed_up / 1.5) and "took 1.50 times as long" in checks.why
    # Five positions: a quarter of the way from 4 to 8 on the curve.
    assert "says 1.27" in checks.why or "says 1.28" in checks.why
    drafted = TOGETHER.drafted / TOGETHER.rounds
    assert guesses.speed_up == pytest.approx(TOGETHER.tau / (1.5 * (drafted * HAND.model.c + 1)))
    assert overhead.speed_up == pytest.approx(guesses.speed_up * (1 - TOGETHER.overhead) / (1 - ALONE.overhead))
    assert measured.speed_up == BOTH.speed_up


def test_where_all_calls_take_equally_long_nothing_is_left() -> None:
    *_, overhead, measured = pays.way_to_measured(BOTH, HAND, None)
    assert overhead.speed_up == pytest.approx(measured.speed_up)
    assert "+0% is left" in measured.why or "−0% is left" in measured.why


def test_uneven_calls_are_what_is_left() -> None:
    uneven = replace(TOGETHER, c_hat=TOGETHER.c_hat / 2)  # type: ignore[operator]
    both = BothWays(ALONE, uneven)
    *_, overhead, measured = pays.way_to_measured(both, pays.dots([both])[0], None)
    assert measured.speed_up == BOTH.speed_up < overhead.speed_up and "−" in measured.why
    assert "chapter 3" not in "".join(step.why for step in pays.way_to_measured(both, HAND, None))


def test_a_padded_check_costs_what_its_width_costs() -> None:
    padded = replace(TOGETHER, width=8)
    cost = pays.check_cost(padded, LATENCY)
    assert cost(np.array([2.0, 8.0])) == pytest.approx([1.5, 1.5])
    checks = pays.way_to_measured(BothWays(ALONE, padded), HAND, cost)[1]
    assert "padded to 8" in checks.why and "says 1.50" in checks.why


def test_dearer_checks_shorten_the_best_draft() -> None:
    dot = Dot(Model(0.9, 0.05, 4), 1.5, "")
    steep = pays.best_with_checks(dot, lambda n: n)
    assert "is **13**" in steep and "it is **not to draft**" in steep
    assert pays.best_with_checks(dot, lambda n: n**0).count("**13**") == 2


def test_runs_are_pooled_round_by_round() -> None:
    other = replace(TOGETHER, drafting=3, reached=(3, 3), accepted=6, rejected=0)
    measured = pays.pooled([TOGETHER, other, ALONE])
    assert measured and (measured.runs, measured.rounds) == (2, 10)
    assert measured.survival == [0.8, 0.7, 0.3, 0.2]
    assert measured.alpha_hat == (TOGETHER.accepted + 6) / (TOGETHER.accepted + TOGETHER.rejected + 6)
    assert measured.tokens == pytest.approx(3.0)
    assert "10 rounds from 2 runs" in pays.independence_words(measured, 4)
    assert pays.pooled([ALONE]) is None


def test_the_curve_marks_the_choice_the_best_and_the_measured_run() -> None:
    figure = go.Figure(speedup_over_gamma(USUAL, play(USUAL, 100, 0), HAND, [HAND]))
    by_name = {trace.name: trace for trace in figure.data}
    assert by_name["model"].y[0] == 1 and by_name["model"].y[4] == pytest.approx(USUAL.speed_up)
    assert (by_name["your γ"].x[0], by_name["your γ"].y[0]) == (4, USUAL.speed_up)
    assert by_name["best γ = 4: 1.98×"].marker.symbol == "star"
    assert list(by_name["measured"].x) == [4] and by_name["measured"].y[0] == HAND.speed_up
    assert by_name["measured"].marker.symbol != by_name["other runs"].marker.symbol
    assert by_name["model at α̂ and ĉ"].y[4] == pytest.approx(HAND.model.speed_up)
    bare = go.Figure(speedup_over_gamma(Model(0, 1, 1), None, None, []))
    assert {trace.name for trace in bare.data} == {"model", "your γ"}


def test_the_map_shows_the_speed_up_of_every_pair_of_alpha_and_c() -> None:
    figure = go.Figure(speedup_map(USUAL, False, HAND, []))
    heat, even = figure.data[:2]
    assert heat.customdata[35][5] == pytest.approx(USUAL.speed_up) and "γ = 4:" in heat.hovertemplate
    (ring,) = figure.layout.shapes
    assert (ring.xanchor, ring.yanchor) == (USUAL.c, USUAL.alpha)
    assert speedup(even.y, 4, even.x) == pytest.approx(1)
    assert np.all(np.abs(heat.z) <= 2) and np.all(np.isfinite(heat.z))


def test_the_map_at_the_best_length_has_its_border_where_alpha_is_c() -> None:
    heat, even = go.Figure(speedup_map(USUAL, True, None, [])).data[:2]
    gains = heat.customdata
    assert heat.text[50][0] == MOST_GAMMA and heat.text[0][50] == 0
    assert np.array_equal(even.x, even.y)
    assert np.all(gains[np.tril_indices(51, -1)] > 1.001)
    assert gains[np.triu_indices(51)] == pytest.approx(1)


def test_each_station_of_the_way_is_a_bar_with_its_figure() -> None:
    steps = pays.way_to_measured(BOTH, HAND, None)
    (bars,) = go.Figure(way_figure(steps)).data
    assert list(bars.y) == [s.name for s in steps] and bars.text[-1] == f"{BOTH.speed_up:.2f}×"


def test_the_survival_figure_holds_measurement_line_and_band() -> None:
    measured = pays.pooled([TOGETHER])
    assert measured
    low, high = survival_band(measured.alpha_hat, 4, measured.rounds, 0)
    bars, line = go.Figure(survival_figure(measured, low, high)).data
    assert list(bars.y) == TOGETHER.survival
    assert list(line.y) == pytest.approx([measured.alpha_hat**i for i in (1, 2, 3, 4)])
    assert np.asarray(line.y) + line.error_y.array == pytest.approx(high)


def test_map_curves_and_dice_take_at_most_a_tenth_of_a_second() -> None:
    def once(seed: int) -> float:
        began = time.process_time()
        figures = speedup_over_gamma(USUAL, play(USUAL, 1000, seed), HAND, []), speedup_map(USUAL, False, HAND, [])
        for figure in figures:
            spec(figure)
        return time.process_time() - began

    assert min(once(seed) for seed in range(6)) < 0.1
