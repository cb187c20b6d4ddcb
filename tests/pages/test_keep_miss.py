"""Chapters 6 and 7: the rule in a toy and on the round in hand, and what is written after a miss."""

from __future__ import annotations

import importlib

import pytest
from streamlit.testing.v1 import AppTest

from core.measure.toy import play
from tests.pages.conftest import Open, charts, sentences
from tests.pages.test_pages import components, skip


def labels(at: AppTest) -> list[str]:
    return [b.label for b in at.button]


def names(chart: dict) -> list[str]:
    return [t["name"] for t in chart["data"] if t.get("name")]


def test_the_rule_waits_for_the_prediction_and_the_toy_does_not(open_page: Open) -> None:
    at = open_page("06_keep.py")
    assert "q(B) = 1 − 0.70 = **0.30**" in sentences(at)
    toy, real = charts(at)
    assert names(toy) == names(real) == ["both agree", "draft too eager", "draft too shy"]
    assert not at.latex and "Draw 10" not in labels(at)
    skip(at, 6)
    assert r"\frac{0.400}{0.700}" in at.latex[0].value
    assert len(charts(at)) == 4
    tried = play((0.6, 0.4), (0.8, 0.2), "residual", 1000, 0)
    assert (
        f"A was guessed {tried.guessed[0]} times and stayed {tried.stayed[0]} times" in sentences(at) + at.info[0].value
    )


def test_toy_draws_add_up_and_start_over_and_are_in_the_address(open_page: Open) -> None:
    at = skip(open_page("06_keep.py", p_a="0.5", q_a="1", toy_draws="3", toy_seed="9"), 6)
    assert "**3** draws so far" in sentences(at)
    at.button[labels(at).index("Draw 1,000")].click().run()
    assert "**1,003** draws so far" in sentences(at) and at.query_params["toy_draws"] == "1003"
    counted = charts(at)[1]["data"][0]["x"]
    rounds = play((0.5, 0.5), (1.0, 0.0), "residual", 1003, 9)
    assert counted[0] == pytest.approx(rounds.stayed[0] / rounds.guessed[0])
    at.button[labels(at).index("Start over")].click().run()
    assert "**0** draws so far" in sentences(at)
    at.button[labels(at).index("Take the question's numbers")].click().run()
    assert r"\frac{0.600}{0.800}" in at.latex[0].value and not at.exception


def test_a_clicked_guess_of_the_round_shows_its_figures(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    at = skip(open_page("06_keep.py", place="1"), 6)
    strip = next(c for c in components(at) if c.get("label") == "The guesses of this round")
    assert strip["selected"] == 0 and len(strip["tokens"]) == 4
    assert "**Kept.**" in sentences(at)
    strips = importlib.import_module("ui.components.token_strip.token_strip")
    monkeypatch.setattr(strips, "selected_index", lambda *_: 1)
    at.run()
    assert "**Missed.** The number drawn, u = 0.800, is not below p/q = 0.057." in sentences(at)
    assert at.query_params["place"] == "2"


def test_nonsense_in_the_address_is_the_default_and_temperature_0_works(open_page: Open) -> None:
    nonsense = {"p_a": "7", "toy_draws": "-1", "toy_seed": "x", "place": "99", "gamma": "0"}
    at = skip(open_page("06_keep.py", **nonsense, temperature="0"), 6)
    told = [warning.value for warning in at.warning]
    assert all(sum(f"“{name}”" in words for words in told) == 1 for name in nonsense)
    assert not at.exception and r"\frac{0.400}{0.700}" in at.latex[0].value
    at = skip(open_page("07_miss.py", location="999", token="6", instead="luck", draws="1e9", test_at="5",
                        shares="a_1.2_3", temperature="0"), 7)  # fmt: skip
    assert not at.exception and "**1,000 draws.**" in sentences(at)


def test_the_ways_after_a_miss_wait_for_the_prediction(open_page: Open) -> None:
    at = open_page("07_miss.py")
    assert names(charts(at)[0]) == ["draft q", "target p"] and len(charts(at)) == 1
    assert "Draw 1,000" not in labels(at)
    skip(at, 7)
    assert "is 0.004 away from the target" in at.info[0].value and "exactly 0." in at.info[0].value
    split, output, far = charts(at)
    assert names(split)[0] == "both agree" and "counted" in names(far)
    assert "**No verdict yet:** 1,000 of 10,000" in at.info[1].value


def test_the_verdict_comes_at_the_number_fixed_beforehand_and_stays(open_page: Open) -> None:
    at = skip(open_page("07_miss.py", instead="keep"), 7)
    at.button[labels(at).index("Draw up to the test at 10,000")].click().run()
    verdict = at.error[0].value
    assert "Not the target's distribution" in verdict and "**above** the band" in sentences(at)
    at.button[labels(at).index("Draw 100,000")].click().run()
    assert at.error[0].value == verdict and "**110,000 draws.**" in sentences(at)
    at.session_state["miss:instead"] = "residual"
    at.query_params["instead"] = "residual"
    at.run()
    assert "No difference seen" in at.success[0].value
    at.button[labels(at).index("Start over")].click().run()
    assert at.query_params["draw_seed"] == "2" and "No verdict yet" in at.info[1].value


def test_shares_are_changed_by_hand_stay_whole_and_go_back(open_page: Open) -> None:
    at = skip(open_page("07_miss.py"), 7)
    assert "overlap by β = 0.89" in sentences(at)
    next(s for s in at.slider if s.label.startswith("q(list)")).set_value(0.2).run()
    ends = charts(at)[0]["data"][3]["text"]
    assert [t.strip() for t in ends[:3]] == ["q 0.20", "q 0.60", "q 0.20"]
    assert "These are your numbers now" in sentences(at)
    link = at.query_params["shares"]
    again = skip(open_page("07_miss.py", shares=link), 7)
    assert charts(again)[0]["data"][3]["text"] == ends
    at.button[labels(at).index("Back to the real p and q")].click().run()
    assert [t.strip() for t in charts(at)[0]["data"][3]["text"][:3]] == ["q 0.80", "q 0.15", "q 0.05"]
    assert not at.exception
