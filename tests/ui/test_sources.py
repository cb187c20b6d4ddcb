"""Figures and words of chapter 14, from traces made by hand."""

from __future__ import annotations

from dataclasses import replace

import plotly.graph_objects as go
import pytest

from core.decoding.request import DecodeRequest
from core.decoding.rounds import Node
from tests.ui.hand_made import speculative, standard
from ui import sources
from ui.figures_sources import layout, round_bars, speed_bars, tree_figure
from ui.sources import SOURCES, Row

TEXTS = ["a", " b", " c", " d", " e"]
TREE = (
    Node(1, " b", None, 0.2, 0.5, 0.9, False),
    Node(2, " x", None, 0.6, 0.4, 0.1, True),
    Node(3, " c", 0, 0.1, 0.9, None, None),
    Node(4, " d", 1, 0.8, 0.7, 0.3, True),
)


def made(speed_up: float, tau: float = 2.0, drafting: float = 0.4, which: int = 0) -> Row:
    return Row(SOURCES[which], 4.0, 0.5, tau, drafting, 1.2, 0.05, speed_up, 0, True)


def test_a_row_is_in_units_of_a_plain_step() -> None:
    alone = standard(TEXTS)
    trace = speculative("a", [([" b", " c"], [], "bonus", " d"), ([], [" z"], "correction", " e")])
    row = sources.row(SOURCES[0], alone, trace, 1_000_000)
    assert row and row.tau == 2 and row.guesses == 1.5 and row.same_text
    # A plain step took 0.1 s padded, 0.08 s without; three guesses of 0.01 s, two passes of 0.12 s.
    assert row.drafting == pytest.approx(0.015 / 0.08) and row.checking == pytest.approx(0.12 / 0.08)
    assert sources.row(SOURCES[0], standard(["a"]), speculative("a", []), 0) is None


def test_the_plan_draws_with_shared_noise_above_temperature_zero() -> None:
    plan = sources.requests(DecodeRequest("Go", temperature=0.5), ("draft", "tree"), 3)
    assert list(plan) == ["standard", "draft", "tree"] and {r.rule for r in plan.values()} == {"coupled"}
    assert plan["tree"].branches == 3 and plan["standard"].method == "standard"
    assert {r.rule for r in sources.requests(DecodeRequest("Go"), ("draft",), 2).values()} == {"rejection"}


def test_the_verdict_names_winner_reason_near_ones_and_losers() -> None:
    words = sources.verdict([made(1.5, which=0), made(1.49, which=1), made(0.8, tau=3.0, drafting=2.5, which=4)])
    assert "Draft model wins here: 1.50×" in words and "Prompt lookup is as good" in words
    assert "Draft tree brings more tokens a pass (3.00 against 2.00)" in words
    assert "Draft tree costs more than standard decoding" in words
    assert sources.verdict([made(1.01), made(0.9, which=1)]).startswith("**No source pays")


def test_a_tree_lies_level_by_level_with_parents_amid_their_children() -> None:
    places = layout(TREE)
    assert [x for x, _ in places] == [1, 1, 2, 2] and len(set(places)) == 4
    assert places[0][1] == places[2][1] and places[1][1] == places[3][1]


def test_the_telling_round_is_one_that_a_second_candidate_saved() -> None:
    rounds = speculative("a", [([" b"], [], "bonus", " c"), ([], [" z"], "correction", " d")]).rounds
    plain = (replace(TREE[0], accepted=True, u=0.1),)
    both = [replace(rounds[0], tree=plain), replace(rounds[1], tree=TREE)]
    assert sources.telling_round(both) == 1
    words = sources.tree_words(both[1])
    assert "4 candidates" in words and "looked at 3" in words and "“x” → “d”" in words
    assert "None of the candidates" in sources.tree_words(replace(rounds[1], tree=(TREE[0],)))


def test_the_figures_show_all_rows_and_all_nodes() -> None:
    rows = [made(1.5), made(0.7, which=1)]
    assert [t.name for t in go.Figure(round_bars(rows)).data] == [
        "guessing",
        "checking",
        "the rest",
        "tokens it brings",
    ]
    assert list(go.Figure(speed_bars(rows)).data[0].text) == ["1.50×", "0.70×"]
    r = speculative("a", [([" b"], [], "bonus", " <i>")]).rounds[0]
    figure = go.Figure(tree_figure(replace(r, tree=TREE), " a", " <i>"))
    texts = [t for trace in figure.data if trace.text for t in trace.text]
    assert sorted(texts) == sorted(["b", "x", "c", "d", "a", "&lt;i&gt;"])
