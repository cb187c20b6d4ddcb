"""Chapter 13: rounds played with dice, landmarks, published figures, the visit's dots, and the replays of policies."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.theory.closed_forms import speedup
from tests.ui.hand_made import CAT, CAT_ROUNDS, plain_round, speculative, standard
from ui import breakeven, policies
from ui.breakeven import PUBLISHED, Dot
from ui.components.chart.chart import spec
from ui.figures_map import dial, landscape, round_bars
from ui.figures_policies import gamma_over_rounds
from ui.figures_real import headlines, real_map
from ui.pays import Model
from ui.policies import CONTENDERS, Replay
from ui.runs import BothWays, summary

ALONE, TOGETHER = standard(CAT), speculative("The", CAT_ROUNDS)
BOTH = BothWays(summary(ALONE), summary(TOGETHER))
DIAL, MAP = Model(0.8, 0.1, 4), Model(0.6, 0.15, 4)
models = st.builds(Model, st.floats(0, 1), st.floats(0, 1), st.integers(1, 12))


def test_the_dial_begins_where_the_chapter_says() -> None:
    assert (breakeven.DIAL_ALPHA.default, breakeven.DIAL_GAMMA.default, breakeven.DIAL_C.default) == (0.8, 4, 0.1)
    assert (breakeven.MAP_ALPHA.default, breakeven.MAP_C.default) == (0.6, 0.15)
    rolled = breakeven.roll(DIAL, 3)
    assert rolled.game.rounds == 2000 == rolled.kept.sum() and len(rolled.kept) == 5
    words = breakeven.report(rolled)
    assert "2,000 rounds, seed 3" in words and "the formula says 2.40×" in words
    # A round that keeps nothing costs 1.4 target passes and gains one token: one in five.
    assert rolled.below == pytest.approx(rolled.kept[0] / 2000)


def test_another_seed_gives_other_rounds_and_the_same_seed_the_same() -> None:
    first, again, other = (breakeven.roll(DIAL, seed).kept.tolist() for seed in (1, 1, 2))
    assert first == again != other


def test_the_intervals_of_played_rounds_hold_the_formula_as_often_as_they_should() -> None:
    # 100 seeds, fixed: of a binomial with 95 % more than 12 misses come once in 1,500 times.
    misses = sum(
        not rolled.game.low <= DIAL.speed_up <= rolled.game.high
        for rolled in (breakeven.roll(DIAL, seed) for seed in range(100))
    )
    assert misses <= 12


@given(models, st.integers(0, 999))
def test_dropped_rounds_lie_near_their_alpha_at_their_own_speed_up(model: Model, seed: int) -> None:
    dropped = breakeven.rain(model, seed)
    assert dropped.x.shape == dropped.y.shape == (400,)
    assert np.abs(dropped.x - model.alpha).max() <= breakeven.WIDEST
    own = (dropped.rolled.game.accepted + 1) / model.cost
    assert np.abs(dropped.y - own).max() <= breakeven.HIGHEST
    assert breakeven.rain_words(dropped).startswith("**400 rounds dropped")


@given(models)
def test_the_cliff_is_where_the_curve_crosses_the_sea(model: Model) -> None:
    cliff = breakeven.edge(model)
    if cliff is None:
        assert float(speedup(1, model.gamma, model.c)) < 1
    else:
        assert float(speedup(cliff, model.gamma, model.c)) == pytest.approx(1, abs=1e-6)


def test_landmarks_in_words() -> None:
    assert "best is γ = 2, 1.51×" in breakeven.landmarks(MAP) and "left of α = 0.38" in breakeven.landmarks(MAP)
    assert "no γ comes up for air" in breakeven.landmarks(Model(0.1, 0.5, 4))
    assert "left of α = 1.00" in breakeven.landmarks(Model(0.5, 1.0, 12))


def test_the_most_at_a_price_is_never_under_water_and_above_every_curve() -> None:
    alphas = np.linspace(0, 1, 21)
    most = breakeven.at_best(alphas, 0.15)
    assert most.min() >= 1
    for gamma in range(1, 13):
        assert np.all(most >= breakeven.curve(alphas, gamma, 0.15) - 1e-9)


def test_published_figures_have_sources_and_fit_the_formula() -> None:
    assert all(x.source for x in PUBLISHED)
    rows = [x for x in PUBLISHED if x.alpha is not None]
    assert len(rows) == 12
    for row in rows:
        assert row.alpha is not None and row.gamma is not None and row.c is not None
        # The paper prints α with two digits.
        assert float(speedup(row.alpha, row.gamma, row.c)) == pytest.approx(row.speed_up, abs=0.07)
    assert {x.name: x.speed_up for x in PUBLISHED if x.name == "EAGLE-2"} == {"EAGLE-2": 2.36}


def test_every_real_run_is_a_dot_with_its_text_kind() -> None:
    own = replace(BOTH, speculative=replace(BOTH.speculative, prompt="autumn"))
    looked = replace(BOTH, speculative=replace(BOTH.speculative, drafter="lookup", c_hat=None))
    found = breakeven.dots([BOTH, own, looked, BothWays(BOTH.standard, BOTH.standard)])
    assert [dot.kind for dot in found] == ["Own", "Poem", "Own"]
    assert "Poem · Autumn in the city" in found[1].label and "lookup" in found[2].label
    assert found[0].alpha == BOTH.speculative.alpha_hat and found[0].speed_up == BOTH.speed_up
    words = breakeven.dots_words(found)
    assert "3 runs of this visit" in words and "Poem" in words
    assert "chapter 4 or 12" in breakeven.dots_words([])


def test_a_slider_move_takes_less_than_a_tenth_of_a_second() -> None:
    def on_dial(move: int) -> None:
        rolled = breakeven.roll(Model(0.5 + move / 100, 0.1, 12), move)
        spec(dial(rolled)), spec(round_bars(rolled)), breakeven.report(rolled)

    def on_map(move: int) -> None:
        model = Model(0.5 + move / 100, 0.1, 5)
        dropped = breakeven.rain(model, move)
        spec(landscape(dropped)), breakeven.landmarks(model), breakeven.rain_words(dropped)

    def seconds(work: Callable[[int], None], move: int) -> float:
        began = time.process_time()
        work(move)
        return time.process_time() - began

    # The quickest of some tries, on a machine that does other things too.
    for work in (on_dial, on_map):
        assert min(seconds(work, move) for move in range(6)) < 0.1


@settings(max_examples=20)
@given(models)
def test_figures_can_be_drawn_for_all_sliders(model: Model) -> None:
    rolled = breakeven.roll(model, 0, 50)
    dropped = breakeven.rain(model, 0, 50)
    pictures = dial(rolled), round_bars(rolled), landscape(dropped)
    assert all(json.loads(spec(picture))["data"] for picture in pictures)
    needle, bars, land = map(go.Figure, pictures)
    assert needle.data[0].gauge.axis.range[1] > rolled.game.speedup
    assert sum(sum(bar.y) for bar in bars.data) == 50
    assert land.layout.yaxis.range[1] > dropped.y.max()


def test_many_kinds_have_marks_of_their_own() -> None:
    figure = go.Figure(real_map([Dot(f"kind {i}", 0.5, 1.2, "a run") for i in range(12)]))
    marks = [(t.marker.symbol, t.marker.color) for t in figure.data if str(t.name).startswith("kind")]
    assert len(set(marks)) == 12
    assert go.Figure(headlines()).data and "Chen et al.: 1.92 to 2.46" in spec(headlines())


def replayed(contender: int, factor: float, idle: int = 0) -> Replay:
    """A contender that took this share of the time, with so many rounds in which it drafted nothing."""
    still = tuple(plain_round(i, "target", "x") for i in range(idle))
    trace = replace(TOGETHER, rounds=still + TOGETHER.rounds)
    run = replace(BOTH.speculative, target_seconds=BOTH.standard.seconds * factor, draft_seconds=0, overhead_seconds=0)
    return Replay(CONTENDERS[contender], trace, BothWays(BOTH.standard, replace(run, tokens=BOTH.standard.tokens)))


def test_requests_of_all_contenders_write_the_same_text() -> None:
    asked = [policies.asking(replace(TOGETHER.request, temperature=0.7), c) for c in CONTENDERS]
    assert {(r.rule, r.seed, r.prompt) for r in asked} == {("coupled", 0, "Go on.")}
    assert {r.policy for r in asked} == {"fixed", "heuristic", "goodput", "confidence"}
    assert [r.drafter for r in asked] == ["draft"] * 4 + ["lookup"]
    greedy = policies.asking(TOGETHER.request, CONTENDERS[0])
    assert greedy.rule == "rejection" and policies.alone(TOGETHER.request).method == "standard"


def test_what_a_contender_did_in_words() -> None:
    assert policies.behaviour(replayed(0, 1.0)) == "γ from 2 to 4, mean 3.7"
    cut = replace(TOGETHER, request=replace(TOGETHER.request, max_new_tokens=len(CAT) + 1))
    assert policies.behaviour(Replay(CONTENDERS[0], cut, BOTH)) == "γ = 4 throughout"
    assert "switched off in 2 of 9 rounds" in policies.behaviour(replayed(2, 1.0, idle=2))
    assert "found nothing in 2 of 9 rounds" in policies.behaviour(replayed(4, 1.0, idle=2))


def test_the_last_round_without_room_for_a_guess_is_no_pause() -> None:
    last = replace(TOGETHER, rounds=(*TOGETHER.rounds, plain_round(7, "target", "x")))
    full = replace(last, request=replace(last.request, max_new_tokens=len(CAT) + 1))
    assert Replay(CONTENDERS[2], full, BOTH).idle == 0
    assert Replay(CONTENDERS[2], last, BOTH).idle == 1


@pytest.mark.parametrize(
    ("factors", "says"),
    [
        ((0.9, 0.7, 0.8, 0.9, 0.95), ("**Grow or shrink** did best", "1.43×", "Keep the draft model")),
        ((0.9, 0.9, 0.9, 0.9, 0.5), ("**Swap the drafter** did best", "beats the draft model")),
        ((0.9, 0.9, 0.9, 0.9, 0.9), ("came so close", "needs no second model")),
        ((1.3, 1.2, 1.02, 1.3, 1.5), ("**Switch off:**", "and lost next to nothing")),
    ],
)
def test_the_conclusion_follows_the_figures(factors: tuple[float, ...], says: tuple[str, ...]) -> None:
    idle = 3 if factors[2] > 1 else 0
    words = policies.conclusion([replayed(i, f, idle if i == 2 else 0) for i, f in enumerate(factors)])
    assert all(each in words for each in says), words
    assert ("switched drafting off in 3 of 10 rounds" in words) == bool(idle)


def test_the_visits_texts_are_rows_with_the_best_in_bold() -> None:
    plain = BOTH
    grown = replace(BOTH, speculative=replace(BOTH.speculative, policy="heuristic", target_seconds=0.1))
    elsewhere = replace(BOTH, speculative=replace(BOTH.speculative, asked="other"))
    (row,) = policies.rows([plain, grown, elsewhere])
    assert row.speed_ups == (plain.speed_up, grown.speed_up, None, None, None)
    assert f"**{grown.speed_up:.2f}×** | – |" in policies.table([row])


def test_gamma_over_rounds_has_a_row_for_each_way() -> None:
    figure = go.Figure(gamma_over_rounds([replayed(0, 0.8), replayed(2, 0.9, idle=2)]))
    kept, vain, off = figure.data[:3]
    assert list(kept.y) == [r.accepted for r in TOGETHER.rounds]
    assert [a + b for a, b in zip(kept.y, vain.y, strict=True)] == [len(r.positions) for r in TOGETHER.rounds]
    assert list(figure.data[5].x) == [1, 2] and off.showlegend
    assert "By the figures: " in figure.layout.annotations[1].text
    upper, lower = figure.layout.yaxis.domain, figure.layout.yaxis2.domain
    assert upper == (pytest.approx(0.63), 1) and lower == (0, pytest.approx(0.37))
    assert figure.layout.xaxis.matches == "x2" and figure.layout.xaxis2.title.text == "round"
