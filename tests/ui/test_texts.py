"""Chapter 12's figures: entropies along a text, clocks, spreads over seeds, and what is said of the rule of thumb."""

from __future__ import annotations

import json
from dataclasses import replace

import plotly.graph_objects as go
import pytest

from tests.ui.hand_made import CAT, CAT_ROUNDS, speculative, standard
from ui import content, runs, texts
from ui.components.chart.chart import spec
from ui.figures_texts import clock_bars, entropy_strip, spread_figure
from ui.runs import BothWays, Run, summary
from ui.texts import FREE, MODEL_C, PREDICTABLE, Settings, Spread

ALONE, TOGETHER = standard(CAT), speculative("The", CAT_ROUNDS)
BOTH = BothWays(summary(ALONE), summary(TOGETHER))
LOOP, POEM = PREDICTABLE.prompts[0], next(p for p in FREE.prompts if p.id == FREE.first)


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> dict[str, Run]:
    """The visit's runs, without a session."""
    held: dict[str, Run] = {}
    monkeypatch.setattr(runs.Store, "held", lambda self: held)
    return held


def run(accepted: int, rejected: int, seed: int = 0) -> Run:
    return replace(summary(TOGETHER), accepted=accepted, rejected=rejected, seed=seed)


def told(prompt: content.Prompt, *alphas: float) -> Spread:
    """A text whose seeds gave these acceptance rates."""
    made = (run(round(100 * a), round(100 * (1 - a)), seed) for seed, a in enumerate(alphas))
    return Spread(prompt, tuple(BothWays(BOTH.standard, each) for each in made))


def test_at_least_eight_curated_texts_and_each_class_begins_with_one_of_its_own() -> None:
    assert len(PREDICTABLE.prompts) + len(FREE.prompts) >= 8
    assert {p.kind for p in PREDICTABLE.prompts} == set(PREDICTABLE.kinds)
    assert {p.kind for p in FREE.prompts} == set(FREE.kinds)
    for side in texts.CLASSES:
        assert side.first in {p.id for p in side.prompts}
        assert side.control.parse(side.first) == side.first and side.control.parse("moon") is None
    chapter = content.chapter(12)
    # What the chapter shows first is made when the server starts.
    assert chapter and {chapter.prompt, *chapter.also} == {PREDICTABLE.first, FREE.first}
    settings = Settings(chapter.temperature, chapter.seed, chapter.gamma, chapter.length)
    shown = [ask(p) for p in (LOOP, POEM) for ask in (settings.request, settings.alone)]
    assert set(shown) <= set(content.default_requests())


def test_every_token_of_the_text_has_its_state_and_the_targets_entropy() -> None:
    written = texts.moments(TOGETHER)
    assert [m.text for m in written] == CAT
    # The hand-made entropies: 0.5 each; kept, correction and bonus as the rounds were made.
    assert {m.entropy for m in written} == {0.5}
    states = [m.state for m in written]
    assert states[:6] == ["plain", "kept", "kept", "kept", "kept", "bonus"]
    assert states.count("correction") == sum(kind == "correction" for _, _, kind, _ in CAT_ROUNDS)
    assert [m.state for m in texts.moments(ALONE)] == ["plain"] * len(CAT)
    words = texts.entropy_words(written)
    assert "0.5 nats where a guess was kept" in words and "0.5 nats where one was corrected" in words
    greedy = [replace(m, entropy=0.0) for m in written]
    assert "temperature 0" in texts.entropy_words(greedy)


def test_the_clock_is_measured_or_counts_calls() -> None:
    assert texts.gain(BOTH, "measured") == pytest.approx(BOTH.speed_up)
    alone, together = texts.clocks(BOTH, "model")
    # 20 tokens after the first, in 7 rounds with 26 guesses.
    assert (alone, together) == (20, pytest.approx(7 + 26 * MODEL_C))
    assert texts.gain(BOTH, "model") == pytest.approx(20 / (7 + 26 * 0.15))


def test_a_texts_spread_holds_the_runs_that_differ_in_their_seeds_only(held: dict[str, Run]) -> None:
    settings = Settings(1.0, 7, 6, 48)
    wanted = texts.missing(TOGETHER.pair, settings, [LOOP, POEM], settings.seeds)
    assert [(r.prompt, r.seed) for r in wanted[:3]] == [(LOOP.text, 7), (POEM.text, 7), (LOOP.text, 8)]
    assert len(wanted) == 2 * texts.SEEDS
    for request in (wanted[0], wanted[2], replace(wanted[4], gamma=4), replace(wanted[6], rule="coupled")):
        runs.record(replace(TOGETHER, request=request))
    assert texts.spread(TOGETHER.pair, settings, LOOP).pairs == ()  # no standard pace yet
    runs.record(ALONE)
    found = texts.spread(TOGETHER.pair, settings, LOOP)
    assert [both.speculative.seed for both in found.pairs] == [7, 8]
    assert found.gains("measured") == [pytest.approx(BOTH.speed_up)] * 2
    assert len(texts.missing(TOGETHER.pair, settings, [LOOP, POEM], settings.seeds)) == 2 * texts.SEEDS - 2


def test_seeds_beyond_the_last_begin_again() -> None:
    assert Settings(1.0, texts.MAX_SEED, 6, 48).seeds == [texts.MAX_SEED, 0, 1, 2, 3]


EASY, HARD = (0.7, 0.75, 0.72, 0.69, 0.74), (0.4, 0.45, 0.38, 0.44, 0.41)


@pytest.mark.parametrize(
    ("predictable", "free", "says"),
    [
        (EASY, HARD, "holds for these two"),
        (HARD, EASY, "fails here"),
        ((0.5, 0.8, 0.3, 0.6, 0.45), (0.4, 0.7, 0.2, 0.55, 0.5), "No clear difference"),
        (EASY[:1], HARD, "wait for the other seeds"),
    ],
)
def test_the_verdict_follows_the_figures(predictable: tuple[float, ...], free: tuple[float, ...], says: str) -> None:
    words = texts.verdict(told(LOOP, *predictable), told(POEM, *free), "measured")
    assert says in words
    if len(predictable) > 1:
        assert f"α̂ from {min(predictable):.2f} to {max(predictable):.2f}" in words and "5 seeds" in words


def test_the_classes_are_compared_once_there_are_two_texts_of_each() -> None:
    loop, letter = told(LOOP, 0.7), told(PREDICTABLE.prompts[4], 0.3)
    poem, story = told(POEM, 0.4), told(FREE.prompts[0], 0.5)
    assert texts.classes_words([loop, poem, story]) is None
    words = texts.classes_words([loop, letter, poem, story])
    assert words and "holds in this visit" in words and f"{letter.name}* (0.30)" in words and loop.name not in words
    words = texts.classes_words([letter, letter, poem, story])
    assert words and "fails on this pair" in words and f"{story.name}* (0.50)" in words


def test_figures_are_plain_data_and_bad_words_are_no_markup() -> None:
    strange = [*texts.moments(TOGETHER), texts.Moment("<b>", "kept", 9.0)]
    strip, clocks = entropy_strip(strange, 9.0), clock_bars(1.25, 0.98, "s", 1.25)
    drawn = spec(strip)
    assert "<b>" not in json.loads(drawn)["data"][0]["customdata"] and "&lt;b&gt;" in drawn
    assert go.Figure(strip).data[0].name == "guess kept"
    assert list(go.Figure(clocks).data[0].text) == ["1.25 s", "0.98 s"]
    figure = go.Figure(spread_figure([told(LOOP, *EASY), told(POEM, *HARD), Spread(POEM, ())], "model", 2))
    names = [trace.name for trace in figure.data if trace.showlegend]
    assert names == ["predictable text", "free text"]
    # The run in hand is the larger dot with a ring.
    assert list(figure.data[0].marker.size) == [12, 12, 19, 12, 12]
    # α̂ on the left, the speed-up with its line at 1 on the right.
    assert [trace.xaxis for trace in figure.data[:4]] == ["x", "x", "x2", "x2"]
    assert figure.layout.xaxis.domain[1] < figure.layout.xaxis2.domain[0]
    assert [(line.xref, line.x0) for line in figure.layout.shapes] == [("x2", 1)]
