"""Chapter 10 on the pair without models."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import Open, charts, sentences, skip

PAGE = "10_pays.py"
CURVE, MAP = "speed-up", "acceptance rate α"


def traces(at: AppTest, y_axis: str) -> set[str]:
    """The names in the figure with this vertical axis; none where there is no such figure."""
    layouts = {chart["layout"].get("yaxis", {}).get("title", {}).get("text"): chart["data"] for chart in charts(at)}
    return {trace.get("name", "") for trace in layouts.get(y_axis, [])}


def sliders(at: AppTest) -> tuple[Any, ...]:
    return tuple(at.slider(f"pays:{name}").value for name in ("alpha", "c", "guesses"))


def formulas(at: AppTest) -> str:
    return "\n".join(str(each.value) for each in at.latex)


def test_the_stage_shows_the_model_and_the_measured_pair_before_anything_is_touched(open_page: Open) -> None:
    at = open_page(PAGE)
    said = sentences(at)
    assert not at.exception and not at.warning
    assert "1-0.70^{5}" in formulas(at) and r"\mathbf{1.98}" in formulas(at)
    assert "**Faster.**" in said and "α = 0.29" in said
    assert {"model", "measured", "model at α̂ and ĉ", "dice, with 95 % band"} <= traces(at, CURVE)
    metrics = {m.label: m.value for m in at.metric}
    assert metrics["Acceptance rate α̂"] == "67 %" and metrics["Cost ratio ĉ"] == "0.08"
    # The fake runs: 31 tokens at 24.5 ms over 1.1 against 11 rounds.
    assert metrics["Measured speed-up"] == "1.96×"
    assert "arXiv 2211.17192" in said and "shapes, not promises" in said
    # The map and the explanation would answer the question.
    assert not traces(at, MAP) and "0.953" not in said


def test_after_the_prediction_the_map_is_there_with_the_measured_run(open_page: Open) -> None:
    at = open_page(PAGE)
    at.session_state["said-10"] = 2
    at.button("commit-10").click().run()
    said = sentences(at)
    assert "**Right.**" in said and "2.38 tokens a round for 2.50 target passes, so 0.953×" in said
    assert {"measured", "your α and c", "break-even"} <= traces(at, MAP)
    at.segmented_control("pays:map").set_value("best").run()
    assert "exactly where α > c" in sentences(at) and at.query_params["map"] == "best"


def test_the_questions_own_numbers_wait_for_the_answer(open_page: Open) -> None:
    at = open_page(PAGE, alpha="0.6", c="0.3", guesses="5")
    assert "Answer or skip it first" in sentences(at)
    assert "Slower" not in sentences(at) and not at.latex and not traces(at, CURVE)
    skip(at, 10)
    assert "**Slower.**" in sentences(at) and "5 % longer" in sentences(at)


@pytest.mark.parametrize(
    ("alpha", "c", "guesses", "said"),
    [
        ("0", "0", "1", "**Even.**"),
        ("1", "0", "20", "21.00×"),
        ("0", "1", "20", "leave drafting off"),
        ("1", "1", "1", "not even α = 1"),
    ],
)
def test_the_ends_of_the_sliders(open_page: Open, alpha: str, c: str, guesses: str, said: str) -> None:
    at = open_page(PAGE, alpha=alpha, c=c, guesses=guesses, rounds="100")
    assert not at.exception and not at.warning and said in sentences(at)
    skip(at, 10)
    assert not at.exception and traces(at, MAP)


def test_the_sliders_are_set_to_the_measured_values_and_the_address_says_so(open_page: Open) -> None:
    at = open_page(PAGE)
    at.button("pays-set").click().run()
    assert sliders(at) == (0.67, 0.08, 4)
    assert at.query_params["alpha"] == "0.67" and at.query_params["c"] == "0.08"


def test_a_copied_link_opens_the_same_dice_and_another_throw_has_the_next_seed(open_page: Open) -> None:
    at = open_page(PAGE, alpha="0.8", rounds="100", draw="41")
    assert "100 rounds played with dice at each γ (seed 41)" in sentences(at)
    at.button("pays-again").click().run()
    assert "(seed 42)" in sentences(at) and at.query_params["draw"] == "42"
    assert sliders(at) == (0.8, 0.1, 4)


def test_a_bad_link_is_told_and_the_usual_values_are_used(open_page: Open) -> None:
    at = open_page(PAGE, alpha="7", c="-1", guesses="99", rounds="12", draw="x", map="sea")
    assert not at.exception and len(at.warning) == 6
    assert sliders(at) == (0.7, 0.1, 4)


def test_the_way_from_the_formula_to_the_measurement_names_its_causes(open_page: Open) -> None:
    said = sentences(open_page(PAGE))
    assert "padded to 7" in said and "took 1.10 times as long" in said and "says 1.00" in said
    assert "One α̂ for all places promises 2.60 tokens a round; this run gained 2.82" in said
    assert "goes into neither model" in said and "is left: ĉ compares typical calls" in said
    assert "11 rounds from 1 run of this visit with γ = 4" in said


def test_runs_of_other_chapters_are_on_the_axes(open_page: Open) -> None:
    at = open_page("04_guess.py", prompt="rainbow", gamma="2")
    at.switch_page(f"pages/{PAGE}").run()
    assert "other runs" not in traces(at, CURVE)
    at.slider("pays:gamma").set_value(4).run()
    assert {"other runs", "measured"} <= traces(at, CURVE)


def test_a_sampled_run_and_the_longest_draft(open_page: Open) -> None:
    at = open_page(PAGE, temperature="1.0", gamma="6", seed="3")
    assert not at.exception
    assert {m.label: m.value for m in at.metric}["Draft length γ"] == "6"


def test_without_a_run_the_model_still_works(open_page: Open) -> None:
    at = open_page(PAGE, prompt="own")
    assert "The prompt is empty" in sentences(at) and not at.exception
    assert "**Faster.**" in sentences(at) and "measured" not in traces(at, CURVE)
