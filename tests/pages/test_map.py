"""Chapter 13 on the pair without models."""

from __future__ import annotations

from typing import Any

from streamlit.testing.v1 import AppTest

from tests.pages.conftest import Open, charts, sentences
from ui import runs
from ui.policies import CONTENDERS

PAGE = "13_map.py"
DIAL, BARS, MAP, REAL, HEADLINES, POLICIES = range(6)


def names(chart: dict[str, Any]) -> list[str]:
    return [trace.get("name", "") for trace in chart["data"]]


def seed(at: AppTest, name: str) -> int:
    return int(at.query_params[name]) if name in at.query_params else 0


def test_dial_map_dots_and_policies_are_there_before_anything_is_touched(open_page: Open) -> None:
    at = open_page(PAGE)
    said = sentences(at)
    assert not at.exception and not at.warning
    drawn = charts(at)
    assert len(drawn) == 6
    assert drawn[DIAL]["data"][0]["type"] == "indicator"
    assert "**2,000 rounds, seed 0:**" in said and "the formula says 2.40×" in said
    assert {"sweet spot", "cliff", "all 400 together"} <= set(names(drawn[MAP]))
    assert {"γ = 1", "<b>γ = 4</b>", "γ = 12"} <= {note["text"] for note in drawn[MAP]["layout"]["annotations"]}
    assert "**400 rounds dropped (seed 0).**" in said and "best is γ = 2, 1.51×" in said
    # The runs of the replay are dots already, named by their kind of text.
    assert {"published (Leviathan et al.)", "Code"} <= set(names(drawn[REAL]))
    assert "5 runs of this visit" in said and "Spec-Bench" in said and "arXiv 2302.01318" in said
    assert all(f"<b>{c.name}: " in str(drawn[POLICIES]["layout"]["annotations"]) for c in CONTENDERS)
    assert "did best here" in said and "switched drafting off in" in said
    kept = at.session_state[f"visit.{runs.RUNS.name}"].values()
    assert {(r.policy, r.drafter) for r in kept} == {(c.policy, c.drafter) for c in CONTENDERS}


def test_each_move_of_a_slider_plays_new_rounds_with_the_next_seed(open_page: Open) -> None:
    at = open_page(PAGE, dial_alpha="0.5", roll="7")
    assert at.slider("map:dial_alpha").value == 0.5 and "seed 7:**" in sentences(at)
    at.slider("map:dial_gamma").set_value(2).run()
    assert "seed 8:**" in sentences(at) and seed(at, "roll") == 8 and seed(at, "drop") == 0
    at.button("map-roll").click().run()
    assert "seed 9:**" in sentences(at)
    at.slider("map:map_c").set_value(1.0).run()
    assert "(seed 1).**" in sentences(at) and "No sweet spot" in sentences(at) and not at.exception
    at.slider("map:map_alpha").set_value(0.0).run()
    at.slider("map:map_gamma").set_value(1).run()
    assert "(seed 3).**" in sentences(at) and not at.exception


def test_another_text_is_another_row_and_bad_values_are_told(open_page: Open) -> None:
    at = open_page(PAGE, prompt="autumn", temperature="1.0", seed="5", dial_c="7", map_gamma="0", gamma="99")
    assert not at.exception and len(at.warning) == 3
    at.selectbox("map:prompt").set_value("robot").run()
    said = sentences(at)
    assert "| Poem · Autumn in the city, γ = 4, temperature 1, seed 5 |" in said
    assert "| Story · A robot in the garden, γ = 4, temperature 1, seed 5 |" in said
    assert {"Poem", "Story"} <= set(names(charts(at)[REAL]))
    assert "10 runs of this visit" in said
