"""Chapters 5, 8 and 9, which look at one round together."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import Open, sentences
from tests.pages.test_pages import components, skip
from ui.components.round_steps.round_steps import small

PAGES = [("05_one_pass.py", 5, "pass"), ("08_round.py", 8, "steps"), ("09_code.py", 9, "code")]


def sent(at: AppTest, name: str) -> dict[str, Any]:
    """What the page sends to the component that is given `name`."""
    assert not at.exception
    return next(c for c in components(at) if name in c)


def formulas(at: AppTest) -> str:
    return "\n".join(str(f.value) for f in at.latex)


def test_a_pass_has_an_answer_more_than_guesses_and_no_verdict_before_the_prediction(open_page: Open) -> None:
    at = open_page("05_one_pass.py")
    told = sent(at, "places")
    assert [p["about"] for p in told["places"]] == [" list", " maybe", " numbers", " .", None]
    assert [p["input"] for p in told["places"]] == ["The", " list", " maybe", " numbers", " ."]
    assert {p["verdict"] for p in told["places"]} == {None} and "counts" not in sentences(at)
    told = sent(skip(at, 5), "places")
    assert [p["verdict"] for p in told["places"]] == ["kept", "miss", "unused", "unused", "unused"]
    assert told["place"] == 1 and "the answer counts" in sentences(at)
    assert r"\beta" in formulas(at) and "= 0.300" in formulas(at)
    assert {m.label: m.value for m in at.metric}["q of the guess"] == "0.700"


def test_a_place_behind_the_miss_assumed_a_beginning_that_will_not_exist(open_page: Open) -> None:
    at = skip(open_page("05_one_pass.py", place="4"), 5)
    said = sentences(at)
    assert "Guess 2 missed, so this beginning will not exist" in said and "The list maybe numbers▁" in said
    at.query_params["place"] = "5"
    assert "nothing is drawn from it" in sentences(at.run())


def test_the_bonus_place_has_its_distribution_where_it_was_used(open_page: Open) -> None:
    at = skip(open_page("05_one_pass.py", gamma="1", round="1", place="99"), 5)
    told = sent(at, "places")
    assert [p["verdict"] for p in told["places"]] == ["kept", "bonus"]
    assert told["places"][1]["answer"][0][0] == " holds"
    at.query_params["place"] = "2"
    assert "the bonus token is drawn here: **holds**" in sentences(at.run())


def test_a_round_is_gone_through_with_its_numbers_in_the_formulas(open_page: Open) -> None:
    at = open_page("08_round.py")
    told = sent(at, "frames")
    assert [f["stage"] for f in told["frames"]] == ["start", "guess", "guess", "final", "end"]
    assert [g["verdict"] for g in told["guesses"]] == ["kept", "miss", "dropped", "dropped"]
    assert told["step"] == 1 and r"\frac{0.900}{0.800}" in formulas(at)
    seen = {}
    for step in ("0", "2", "3", "4"):
        at.query_params["step"] = step
        at.run()
        assert sent(at, "frames")["step"] == int(step)
        seen[step] = formulas(at) + sentences(at)
    assert r"\min\Bigl(1," in seen["0"] and r"u_2 = 0.800 \ge" in seen["2"]
    assert r"\frac{0.700}{1 - \beta}" in seen["3"] and "It is holds" in seen["3"]
    assert r"\underbrace{1}_{\text{kept}}" in seen["4"] and "2 guesses behind the miss were never examined" in seen["4"]


def test_another_round_starts_at_its_own_first_guess(open_page: Open) -> None:
    at = open_page("08_round.py", step="4")
    at.button("steps-round-next").click().run()
    assert sent(at, "frames")["step"] == 1 and "step" not in at.query_params


def test_the_lines_that_ran_are_shown_with_their_values_and_greedy_waits_for_the_prediction(open_page: Open) -> None:
    at = open_page("09_code.py", greedy="True")
    told = sent(at, "lines")
    assert told["lines"][0] == "def rejection_round(" and len(told["lines"]) <= 17
    assert ["u[i]", "0.200"] in told["steps"][5]["values"] and told["step"] == 5
    assert at.toggle[0].disabled and at.selectbox("code:round")
    skip(at, 9)
    told = sent(at, "lines")
    assert ["q[i][x]", "1.000"] in told["steps"][5]["values"]
    assert "the target's first choice." in sentences(at) and at.selectbox("code:greedy_round")
    at.toggle[0].set_value(False).run()
    assert ["q[i][x]", "0.800"] in sent(at, "lines")["steps"][5]["values"]
    assert "greedy" not in at.query_params and "assistant_model=draft" in sentences(at)
    assert [r["kept"] for r in sent(at, "rows")["rows"]] == [2, 2]


@pytest.mark.parametrize(("page", "chapter", "name"), PAGES)
def test_edges_are_drawn_and_bad_links_told(open_page: Open, page: str, chapter: int, name: str) -> None:
    for params in ({"gamma": "1", "round": "2"}, {"gamma": "6", "temperature": "0.0"}):
        at = skip(open_page(page, **params), chapter)
        assert not at.exception and not at.warning
    own = {5: "place", 8: "step", 9: "line"}[chapter]
    at = open_page(page, round="500", **{own: "-3"})
    assert not at.exception
    assert {w.value for w in at.warning} == {
        f"The link's “{own}” makes no sense here, so the usual value is used.",
        "This run has no round 500 with guesses, so round 1 is shown.",
    }


def test_one_round_travels_through_the_chapters(open_page: Open) -> None:
    at = open_page("05_one_pass.py", round="3", seed="8", gamma="2")
    for page, _, name in PAGES[1:]:
        at.switch_page(f"pages/{page}").run()
        assert at.selectbox(f"{name}:round").value == 3 and at.query_params["round"] == "3"
        assert at.number_input(f"{name}:seed").value == 8 and at.slider(f"{name}:gamma").value == 2
    at.switch_page("pages/05_one_pass.py").run()
    assert at.selectbox("pass:round").value == 3


def test_small_probabilities_do_not_look_like_none() -> None:
    assert [small(x) for x in (0.0, 0.0001, 0.5, 0.9999, 1.0)] == ["0.000", "<.001", "0.500", ">.999", "1.000"]
