"""The γ sweep: what it runs, what it makes of the runs, and how its figure shows it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest

from core.decoding import DecodeRequest
from core.measure.latency import LatencyCurve
from core.theory.closed_forms import speedup
from tests.ui.hand_made import CAT, CAT_ROUNDS, speculative, standard
from ui import sweep
from ui.figures_sweep import sweep_figure
from ui.runs import Run, summary
from ui.sweep import Forecast, Point, Sweep

ASK = DecodeRequest("x", gamma=2, max_new_tokens=32)
ALONE, TOGETHER = summary(standard(CAT)), summary(speculative("The", CAT_ROUNDS))
CURVE = LatencyCurve((1, 5, 8, 64), (0.02, 0.02, 0.024, 0.16), (0.02, 0.1, 0.16, 1.28), 128, 5)


def timed(run: Run, seconds: float, **changes: object) -> Run:
    """The run with its rounds' time as given."""
    return replace(run, target_seconds=seconds, draft_seconds=0.0, overhead_seconds=0.0, **changes)  # type: ignore[arg-type]


def swept(seconds: dict[int, list[float]], alone: float = 2.0, ask: DecodeRequest = ASK, **changes: object) -> Sweep:
    """A sweep with these times at each γ, one a seed; every run writes 20 tokens."""
    seeds = len(next(iter(seconds.values())))
    held = Sweep(sweep.Plan(replace(ask, policy="fixed"), tuple(seconds), seeds))
    for request in held.plan.requests():
        number = request.seed - ask.seed
        if request.method == "standard":
            held.found[request] = timed(ALONE, alone)
        elif len(seconds[request.gamma]) > number:
            held.found[request] = timed(TOGETHER, seconds[request.gamma][number], gamma=request.gamma, **changes)
    return held


def test_a_sweep_runs_each_seed_at_each_gamma_and_the_target_alone_once_a_seed() -> None:
    plan = sweep.plan(replace(ASK, gamma=9, policy="goodput", seed=5), 4, 3)
    asked = plan.requests()
    assert plan.gammas == (1, 2, 3, 4, 9) and len(asked) == len(set(asked)) == 3 * 6
    assert [r.method for r in asked[:6]] == ["standard", *["speculative"] * 5]
    assert {r.seed for r in asked} == {5, 6, 7} and {r.policy for r in asked} == {"fixed"}
    # Drafting means nothing to the target alone: its run is the one that every other page asks for, too.
    assert asked[0] == replace(ASK, gamma=4, seed=5, method="standard")
    alone = sweep.plan(DecodeRequest("x", method="standard"), 3, 1)
    assert {r.method for r in alone.requests()} == {"standard", "speculative"}


def test_points_are_ratios_of_pooled_times_with_their_spread() -> None:
    points = sweep.points(swept({1: [1.0, 2.0, 3.0], 2: [0.5, 1.0, 1.5]}))
    assert [p.gamma for p in points] == [1, 2] and {p.seeds for p in points} == {3}
    assert points[0].speed_up == pytest.approx(1.0 / 1.0) and points[1].speed_up == pytest.approx(2.0)
    assert (points[1].low, points[1].high) == pytest.approx((2 / 1.5, 4.0))
    assert points[0].alpha_hat == pytest.approx(TOGETHER.alpha_hat) and points[0].tau == pytest.approx(TOGETHER.tau)


def test_what_is_missing_or_untimed_is_left_out() -> None:
    held = swept({1: [1.0], 2: [1.0]})
    assert held.found.pop(replace(ASK, gamma=1)) and [p.gamma for p in sweep.points(held)] == [2]
    held.found[replace(ASK, gamma=2)] = None
    assert sweep.points(held) == [] and sweep.forecast(held, CURVE) is None
    held.take(ASK, standard(["one"]))
    assert held.found[ASK] is None
    assert sweep.points(Sweep(held.plan)) == []


def test_the_forecast_is_the_formula_with_the_runs_own_figures() -> None:
    held = swept({1: [1.0], 2: [0.8], 3: [0.9]}, c_hat=0.1, width=8)
    found = sweep.forecast(held, CURVE)
    # Every check is padded to 8 positions, which cost 1.2 passes of one; ĉ was counted in such checks.
    expected = speedup(TOGETHER.alpha_hat or 0.0, np.arange(1, 4), 0.1 * 1.2, lambda n: 1.2 + 0 * n)
    assert found is not None and found.at == 2 and found.c == pytest.approx(0.12)
    assert found.speed_ups == pytest.approx(tuple(expected))
    assert found.best == int(np.argmax(expected)) + 1
    assert sweep.forecast(swept({1: [1.0], 2: [0.8]}, ask=replace(ASK, drafter="tree")), CURVE) is None
    # Drafts that cost nothing have no ĉ.
    free = sweep.forecast(swept({2: [0.8]}, c_hat=None, width=None), CURVE)
    assert free is not None and free.c == 0


def point(gamma: int, speed_up: float) -> Point:
    return Point(gamma, speed_up, speed_up - 0.1, speed_up + 0.1, 0.6, 2.0, 3)


POINTS = [point(1, 1.2), point(2, 1.5), point(3, 1.4)]


@pytest.mark.parametrize(
    ("points", "best", "said"),
    [
        (POINTS, 2, ["Measured best: γ = 2**, with 1.50×", "Forecast best: γ = 2", "Both agree"]),
        (POINTS, 3, ["Forecast best: γ = 3", "would have lost 7 %"]),
        ([point(2, 1.5), point(3, 1.49)], 3, ["within 2 %"]),
        (POINTS, 0, ["not to draft at all"]),
        (POINTS[:2], 3, ["not measured yet"]),
        ([point(1, 0.9), point(2, 0.8)], 1, ["No γ paid here", "γ = 1"]),
    ],
)
def test_the_verdict_in_words(points: list[Point], best: int, said: list[str]) -> None:
    words = sweep.verdict(points, Forecast(2, 0.6, 0.1, (1.1, 1.3, 1.35), best))
    assert all(piece in words for piece in said), words
    assert "Forecast" not in sweep.verdict(points, None)


def test_where_the_forecast_comes_from() -> None:
    held = swept({1: [1.0], 2: [0.8]}, c_hat=0.1)
    assert "α̂ = 0.42" in sweep.basis(held, sweep.forecast(held, CURVE)).replace(f"{TOGETHER.alpha_hat:.2f}", "0.42")
    assert "One run at each γ" in sweep.basis(held, sweep.forecast(held, CURVE))
    warm = swept({1: [1.0] * 3, 2: [0.8] * 3}, ask=replace(ASK, temperature=1.0), c_hat=0.1)
    said = sweep.basis(warm, sweep.forecast(warm, CURVE))
    assert "of 3 seeds" in said and "a text of its own" in said
    assert "needs the run at γ = 2" in sweep.basis(held, None)
    assert "a tree has several" in sweep.basis(swept({2: [1.0]}, ask=replace(ASK, drafter="tree")), None)


def test_the_figure_marks_both_optima() -> None:
    figure = go.Figure(sweep_figure(POINTS, Forecast(2, 0.6, 0.1, (1.1, 1.3, 1.35), 3), 3))
    line, best_line, dots, best_dot = figure.data
    assert list(line.y) == [1.1, 1.3, 1.35] and (list(best_line.x), list(best_line.y)) == ([3], [1.35])
    assert list(dots.x) == [1, 2, 3] and (list(best_dot.x), list(best_dot.y)) == ([2], [1.5])
    assert dots.error_y.visible and list(dots.error_y.array) == pytest.approx([0.1] * 3)
    low, high = figure.layout.yaxis.range
    assert low < 1 and high > 1.6
    (even,) = figure.layout.shapes
    assert even.y0 == even.y1 == 1
    assert len(go.Figure(sweep_figure([], None, 6)).data) == 0
    # Where not to draft is best, nothing of the forecast is ringed.
    assert len(go.Figure(sweep_figure(POINTS, Forecast(2, 0.1, 0.9, (0.9, 0.8, 0.7), 0), 3)).data) == 3
