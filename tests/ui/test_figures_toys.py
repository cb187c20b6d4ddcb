"""Figures of the rule at one position."""

from __future__ import annotations

import plotly.graph_objects as go
import pytest

from core.measure.exactness import Band
from ui.figures_toys import LEAST, Split, Tally, dart, distance, outputs, split_bars, tallies

ROWS = [Split.of("A", 0.4, 0.7), Split.of("<b>B</b>", 0.6, 0.3)]


def test_a_split_adds_up_to_p_and_q() -> None:
    eager, shy = ROWS
    assert (eager.both, eager.eager, eager.shy) == pytest.approx((0.4, 0.3, 0.0))
    assert (shy.both, shy.eager, shy.shy) == pytest.approx((0.3, 0.0, 0.3))
    assert (eager.q, eager.p, shy.q, shy.p) == pytest.approx((0.7, 0.4, 0.3, 0.6))


def test_bars_of_a_token_are_q_above_p_with_their_parts() -> None:
    figure = go.Figure(split_bars(ROWS, replacement=[0.0, 1.0]))
    both, eager, shy, ends = figure.data
    assert list(both.x) == pytest.approx([0.4, 0.3, 0.4, 0.3])
    assert list(both.y) == pytest.approx([-0.2, 0.8, 0.2, 1.2])
    assert list(eager.x) == pytest.approx([0.3, 0]) and list(eager.y) == pytest.approx([-0.2, 0.8])
    assert list(shy.x) == pytest.approx([0, 0.3]) and list(shy.y) == pytest.approx([0.2, 1.2])
    assert len({t.marker.pattern.shape for t in (both, eager, shy)}) == 3
    assert list(ends.text) == [" q 0.70", " q 0.30", " p 0.40", " p 0.60 · r 1.00"]
    assert list(ends.x) == pytest.approx([0.7, 0.3, 0.4, 0.6]) and list(ends.y) == pytest.approx([-0.2, 0.8, 0.2, 1.2])
    assert "&lt;b&gt;B" in figure.layout.yaxis.ticktext[1]


def test_plain_bars_do_not_tell_where_p_and_q_agree() -> None:
    draft, target, *_ = go.Figure(split_bars(ROWS, parts=False)).data
    assert list(draft.x) == pytest.approx([0.7, 0.3]) and list(target.x) == pytest.approx([0.4, 0.6])


@pytest.mark.parametrize(("chance", "ticks"), [(0.5, ["0", "1", "<b>0.5</b>"]), (0.05, ["1", "<b>0.05</b>"]),
                                               (1.0, ["0", "<b>1</b>"])])  # fmt: skip
def test_the_dart_falls_on_a_line_divided_at_the_chance(chance: float, ticks: list[str]) -> None:
    thrown = go.Figure(dart(chance, 0.8))
    stays, falls, arrow = thrown.data
    assert (stays.x[0], falls.x[0], arrow.x[0]) == pytest.approx((chance, 1 - chance, 0.8))
    assert list(thrown.layout.xaxis.ticktext) == ticks
    assert len(go.Figure(dart(chance, None)).data) == 2


def test_tallies_show_what_was_counted_beside_the_theory() -> None:
    rows = [Tally("A", 0.5, 0.6, "p"), Tally("B", None, 0.4, "β")]
    bars, marks, said = go.Figure(tallies(rows, ["red", "red"])).data
    assert list(bars.x) == [0.5, 0] and list(marks.x) == [0.6, 0.4]
    assert list(said.text) == [" <b>50.0 %</b>", "–", "A · theory: p = 60.0 %", "B · theory: β = 40.0 %"]
    assert list(said.x) == pytest.approx([0.6, 0.4, 0, 0]) and list(said.y) == pytest.approx([0, 1, -0.45, 0.55])


def test_outputs_stand_beside_p() -> None:
    p, counted, exact = go.Figure(outputs(["A", "B"], [0.4, 0.6], [0.5, 0.5], [0.45, 0.55])).data
    assert (list(p.y), list(exact.y), list(counted.y)) == ([0.4, 0.6], [0.5, 0.5], [0.45, 0.55])
    assert list(counted.x) == list(exact.x) != list(p.x)


def test_a_distance_of_nothing_still_stands_on_the_logarithmic_axis() -> None:
    bands = [Band(0.0, 0.1, 0.2, 0.99), Band(0.01, 0.02, 0.03, 0.99)]
    high, low, seen = go.Figure(distance([10, 100], bands, [(10, 0.0)], 0.0)).data
    assert list(high.y) == [0.2, 0.03] and list(low.y) == [LEAST, 0.01]
    assert list(seen.x) == [10] and list(seen.y) == [LEAST]
    wrong = go.Figure(distance([10, 100], bands, [], 0.12)).data[2]
    assert list(wrong.y) == [0.12, 0.12] and "0.120" in wrong.name
