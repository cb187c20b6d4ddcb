"""Figures from plain data."""

from __future__ import annotations

from math import log10

import plotly.graph_objects as go
import pytest
import streamlit as st

from ui.figures import FONT_SIZE, latency_curve, show, top_five, visible, with_style
from ui.palette import PARTS

P = [(" mat", 0.5), (" floor", 0.2), (" bed", 0.1), (" a", 0.05), (" the", 0.004), (" sixth", 0.001)]
Q = [(" floor", 0.6), (" <b>mat</b>", 0.3)]


def test_top_five_shows_the_first_five_of_each_on_one_scale() -> None:
    figure = go.Figure(top_five(P, Q, names=("big", "small")))
    bars_p, labels_p, bars_q, labels_q = figure.data
    assert list(bars_p.x) == [0.5, 0.2, 0.1, 0.05, 0.004]
    assert list(bars_q.x) == [0.6, 0.3]
    assert (bars_p.marker.color, bars_q.marker.color) == (PARTS["p"].mark, PARTS["q"].mark)
    assert list(labels_p.text) == ["<b>big</b>", "mat", "floor", "bed", "a", "the"]
    assert list(labels_q.text)[-1] == "&lt;b&gt;mat&lt;/b&gt;"
    assert list(bars_p.text) == ["50%", "20%", "10%", "5%", "under 1%"]
    assert tuple(figure.layout.xaxis.range) == tuple(figure.layout.xaxis2.range) == (0, pytest.approx(0.78))


def test_each_label_stands_above_its_bar() -> None:
    bars, labels = go.Figure(top_five(P, Q)).data[:2]
    for bar, label in zip(bars.y, labels.y[1:], strict=True):
        assert label < bar - bars.width / 2


def test_top_five_of_nothing_is_still_a_figure() -> None:
    assert list(go.Figure(top_five([], [])).data[0].x) == []


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (" cat", "cat"),
        ("\n\n", "↵↵"),
        ("  ", "␣␣"),
        ("\t", "→"),
        ("", "(empty)"),
        ("<i>&", "&lt;i&gt;&amp;"),
        ("a\nb", "a↵b"),
    ],
)
def test_labels_make_blanks_visible_and_markup_text(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_long_labels_are_cut() -> None:
    assert visible("x" * 50, 10) == "x" * 9 + "…"


def test_latency_curve_is_in_milliseconds_on_logarithmic_axes() -> None:
    figure = go.Figure(latency_curve([1, 4, 64], [0.02, 0.021, 0.05], [0.02, 0.08, 1.28], knee=4))
    many, one = figure.data
    assert list(one.y) == pytest.approx([20, 21, 50])
    assert list(many.y) == pytest.approx([20, 80, 1280])
    assert (figure.layout.xaxis.type, figure.layout.yaxis.type) == ("log", "log")
    assert one.line.dash != many.line.dash and one.marker.symbol != many.marker.symbol


def test_the_knee_is_said_in_words_at_its_place() -> None:
    figure = go.Figure(latency_curve([1, 4, 64], [0.02, 0.021, 0.05], [0.02, 0.08, 1.28], knee=4))
    (note,), (line,) = figure.layout.annotations, figure.layout.shapes
    assert note.text == "about flat up to 4 words"
    assert note.x == pytest.approx(log10(4)) and line.x0 == line.x1 == 4
    assert not go.Figure(latency_curve([1, 4], [0.02, 0.021], [0.02, 0.08])).layout.annotations


def test_figures_stand_on_the_pages_own_background() -> None:
    for figure in (top_five(P, Q), latency_curve([1, 2], [0.02, 0.02], [0.02, 0.04])):
        layout = with_style(figure["layout"])
        assert layout["paper_bgcolor"] == layout["plot_bgcolor"] == "rgba(0,0,0,0)"
        assert layout["font"]["size"] == FONT_SIZE >= 16
        assert all(layout[axis]["tickfont"]["size"] == FONT_SIZE for axis in ("xaxis", "yaxis"))


def test_a_figures_own_layout_counts_more_than_the_shared_one() -> None:
    own = {"margin": {"l": 0}, "xaxis2": {"title": {"text": "n"}}, "yaxis": {"zeroline": True}}
    layout = with_style(own)
    assert layout["margin"] == {"l": 0, "r": 20, "t": 40, "b": 10} and layout["yaxis"]["zeroline"]
    assert layout["xaxis2"]["title"] == {"text": "n", "font": {"size": FONT_SIZE}} and layout["xaxis"]["automargin"]
    assert own["margin"] == {"l": 0}


def test_where_the_library_cannot_be_served_streamlits_own_chart_shows_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown: list[go.Figure] = []
    monkeypatch.setattr(st, "plotly_chart", lambda figure, **_: shown.append(figure))
    show(top_five(P, Q), "five")
    (figure,) = shown
    assert figure.data == go.Figure(top_five(P, Q)).data
    assert (figure.layout.height, figure.layout.font.size) == (340, FONT_SIZE)
