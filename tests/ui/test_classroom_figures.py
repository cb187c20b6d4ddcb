"""A class's votes as bars."""

from __future__ import annotations

import plotly.graph_objects as go

from core.classroom.views import Ask
from ui.classroom_figures import results
from ui.content import Question
from ui.palette import BLUE, GREEN, MUTED

CHOICE = Question("choice", "Which?", "So.", options=("one", "<b>two", "three"))
NUMBER = Question("number", "How many?", "So.", unit="tokens", low=0, high=10)


def test_one_vote_has_what_is_right_in_green_and_in_words() -> None:
    figure = go.Figure(results(CHOICE, Ask(1, 0, 2), {1: {0: 1, 1: 3}}, 1))
    (bars,) = figure.data
    # From the foot upwards: the last option first.
    assert list(bars.x) == [0, 75, 25] and list(bars.text) == ["0", "3 · 75 %", "1 · 25 %"]
    assert list(bars.marker.color) == [MUTED.mark, GREEN.mark, MUTED.mark] and bars.name == "First vote (4)"
    assert [label.startswith("<b>B ✓ right</b> · &lt;b&gt;two") for label in bars.y] == [False, True, False]
    assert figure.layout.showlegend is False


def test_the_second_vote_stands_beside_the_first() -> None:
    figure = go.Figure(results(CHOICE, Ask(1, 0, 2), {1: {0: 1}, 2: {1: 2}}, 1))
    assert [bars.name for bars in figure.data] == ["Second vote (2)", "First vote (1)"]
    assert [set(bars.marker.color) for bars in figure.data] == [{BLUE.mark}, {MUTED.mark}]
    assert figure.layout.showlegend and figure.layout.barmode == "group"


def test_numbers_stand_along_the_axis_with_the_right_one_named() -> None:
    figure = go.Figure(results(NUMBER, Ask(1, 0, 10, near=1), {1: {3: 2, 6: 5}}, 5))
    (bars,) = figure.data
    assert list(bars.y) == [0, 0, 0, 2, 0, 0, 5, 0, 0, 0, 0] and [text for text in bars.text if text] == ["2", "5"]
    assert [n for n, colour in enumerate(bars.marker.color) if colour == GREEN.mark] == [4, 5, 6]
    assert figure.layout.xaxis.ticktext[5] == "<b>5<br>✓ right</b>" and figure.layout.xaxis.title.text == "tokens"
    assert figure.layout.yaxis.range[1] > 5


def test_without_votes_there_is_an_empty_first_vote() -> None:
    (bars,) = go.Figure(results(CHOICE, Ask(1, 0, 2), {}, 1)).data
    assert bars.name == "First vote (0)" and list(bars.text) == ["0"] * 3
