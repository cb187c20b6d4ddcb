"""The exactness lab over the pair without models: a toy of five words, really run."""

from __future__ import annotations

import time
from dataclasses import replace

import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from core.decoding import DecodeRequest
from core.measure.exactness import Band, ChiSquare
from core.measure.verdict import Beginning, Verdict
from tests.pages.conftest import Open, sentences
from ui import exactness
from ui.figures_exactness import (
    Distance,
    distances,
    price_of_coupling,
    several_candidates,
    texts_drawn,
    toy_texts,
)

PAGE = "lab_exactness.py"
VERDICT = Verdict(
    DecodeRequest("x", temperature=1.0), "shipped", 500, "In", 3,
    (Beginning(" a b c", True, 0.6, 290), Beginning(" <b>", False, 0.4, 210)), Beginning("", False, 0.0, 0),
    0, 0.02, Band(0.0, 0.02, 0.05, 0.99), ChiSquare(1.2, 2, 0.27), 1.9,
)  # fmt: skip


def settle(at: AppTest) -> AppTest:
    """Run the page again until its test is over."""
    deadline = time.monotonic() + 90
    while any(b.label == "Stop" for b in at.button):
        assert time.monotonic() < deadline
        time.sleep(0.1)
        at.run()
    return at


def test_something_is_there_before_anything_is_touched_and_a_switch_fails(open_page: Open) -> None:
    at = settle(open_page(PAGE, runs="500"))
    assert not at.exception
    said = sentences(at)
    assert "2,000 runs" in said and "Not told from the target's text" in said and "one in a hundred" in said
    assert [m.label for m in at.metric][0] == "Total variation"
    at.selectbox("exactness:rule").set_value("argmax").run()
    assert "controls above have changed" in sentences(at) and "still says that the token was drawn" in sentences(at)
    next(b for b in at.button if b.label == "Run 500 short texts").click()
    settle(at.run())
    assert not at.exception and any("Not the target's text" in e.value for e in at.error)
    table = at.dataframe[0].value
    assert list(table["Verdict"]) == ["passes", "fails"] and list(table["Runs"]) == [2000, 500]
    assert {name: at.query_params[name] for name in ("rule", "runs")} == {"rule": "argmax", "runs": "500"}


def test_a_test_can_be_stopped(open_page: Open) -> None:
    at = open_page(PAGE)
    at.session_state["exactness.asked"] = None
    at.run()
    assert not at.exception and any("Stopped" in i.value for i in at.info) and not at.error


def test_the_toy_shows_every_switch_exactly(open_page: Open) -> None:
    at = open_page(PAGE, view="toy", rule="from-p")
    assert not at.exception
    assert "Distance from the target: **0.090**" in sentences(at)
    at.slider("exactness:pA").set_value(0.4).run()
    assert "**0.000**" in sentences(at) and "happens to do nothing" in sentences(at)
    at.segmented_control("exactness:toy").set_value(4).run()
    assert not at.exception and "q = 0.55" in sentences(at)


def test_the_other_rules_name_their_enumerated_figures(open_page: Open) -> None:
    at = open_page(PAGE, view="others")
    said = sentences(at)
    assert not at.exception
    assert all(figure in said for figure in ("11/9", "10/9", "5/3", "38/27", "(0.1, 0.2, 0.7)"))


def test_a_link_that_makes_no_sense_is_told(open_page: Open) -> None:
    at = open_page(PAGE, rule="nonsense", runs="501", view="moon", pA="7", prompt="own", text="")
    assert not at.exception
    assert sum("makes no sense" in w.value for w in at.warning) == 4
    assert any("prompt is empty" in w.value for w in at.warning)
    assert next(b for b in at.button if b.label.startswith("Run")).disabled


@pytest.mark.parametrize(("p", "q"), [((1.0, 0.0), (0.0, 1.0)), ((0.0, 1.0), (0.0, 1.0)), ((0.5, 0.5), (1.0, 0.0))])
def test_a_toy_at_its_edges(p: tuple[float, float], q: tuple[float, float]) -> None:
    found = exactness.toy_result(p, q)
    assert sum(found.right) == pytest.approx(1)
    assert all(sum(s.shares) == pytest.approx(1) for s in found.outcomes)
    assert all(s.distance == 0 for s in found.outcomes if s.switch.group != "changes the text")


def test_the_verdict_in_words() -> None:
    assert "27 in 100" in exactness.meaning(VERDICT)
    low = replace(VERDICT, test=ChiSquare(99.0, 2, 1e-9))
    assert "One right run in a hundred" in exactness.meaning(low)
    assert "< 0.000001" in exactness.meaning(replace(low, switch="argmax"))
    assert "does change the text" in exactness.meaning(replace(VERDICT, switch="argmax"))
    assert "once in 500 runs" in exactness.meaning(replace(low, switch="raw-p", outside=1))
    assert "Raise the temperature" in exactness.meaning(replace(VERDICT, test=ChiSquare(0.0, 1, 1.0)))


def test_the_figures() -> None:
    figure = go.Figure(texts_drawn(VERDICT))
    bars, inside, beyond = figure.data
    assert list(bars.x) == [0.6, 0.4] and list(inside.x) == [0.58, 0.42] and not list(beyond.x)
    assert list(figure.layout.yaxis.ticktext) == ["a b c", "&lt;b&gt; …"]
    off = replace(VERDICT, beginnings=(replace(VERDICT.beginnings[0], count=400), VERDICT.beginnings[1]))
    assert list(go.Figure(texts_drawn(off)).data[2].x) == [0.8]
    rows = [Distance("right", 0.02, False, "", VERDICT.noise), Distance("wrong", 0.4, True, "")]
    band, right, wrong, names = go.Figure(distances(rows, axis="TV")).data
    assert list(band.base) == [0.0] and list(right.x) == [0.02] and list(wrong.x) == [0.4] and list(wrong.y) == [1]
    assert list(names.text) == ["right", "wrong"]


def test_the_figures_of_the_toy_and_of_the_other_rules() -> None:
    alone, switched = go.Figure(toy_texts(["A A", "A B"], [0.6, 0.4], [0.5, 0.5], exact=False)).data
    assert (list(alone.y), list(switched.y)) == ([0.6, 0.4], [0.5, 0.5]) and list(switched.text) == ["0.500"] * 2
    assert switched.marker.pattern.shape == "/"
    with_, without = go.Figure(several_candidates([0.5, 0.625], [0.5, 0.7])).data
    assert (
        list(with_.x) == ["k = 1", "k = 2"] and list(with_.text) == ["0.5", "0.625"] and list(without.y) == [0.5, 0.7]
    )
    drawn, shipped, least = go.Figure(price_of_coupling([(0.5, 0.4)])).data
    assert (list(drawn.x), list(drawn.y)) == ([0.5], [0.4])
    assert shipped.y[50] == pytest.approx(1 / 2) and least.y[50] == pytest.approx(1 / 3)
