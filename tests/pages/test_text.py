"""Chapter 12 on the pair without models."""

from __future__ import annotations

from typing import Any

from streamlit.testing.v1 import AppTest

from tests.pages.conftest import Open, charts, components, sentences
from ui import runs, texts

PAGE = "12_text.py"


def strips(at: AppTest) -> list[list[dict[str, Any]]]:
    """The tokens of both texts."""
    return [c["tokens"] for c in components(at) if "tokens" in c]


def dots(at: AppTest) -> list[list[int]]:
    """The seeds of each row of dots, by its text."""
    return [t["customdata"] for t in charts(at)[-1]["data"] if t.get("customdata")][::2]


def test_both_texts_are_there_with_five_seeds_before_anything_is_touched(open_page: Open) -> None:
    at = open_page(PAGE)
    said = sentences(at)
    assert not at.exception and not at.warning
    assert at.selectbox("text:predictable").value == "loop" and at.selectbox("text:free").value == "autumn"
    both = strips(at)
    assert len(both) == 2 and {"kept", "correction"} <= {t["state"] for t in both[0]}
    assert "discarded" not in {t["state"] for t in both[0]}
    metrics = [(m.label, m.value) for m in at.metric]
    assert metrics[0] == ("Acceptance rate α̂", "0.67") and len(metrics) == 8
    # Clocks and entropies of both sides, then the spread.
    assert len(charts(at)) == 5
    seed = int(at.number_input("text:seed").value or 0)
    assert dots(at) == [[seed + i for i in range(5)]] * 2
    assert "No clear difference here" in said and "5 seeds" in said
    assert "Mean entropy: 0.3 nats where a guess was kept, 0.4 nats where one was corrected." in said
    kept = at.session_state[f"visit.{runs.RUNS.name}"].values()
    assert sorted((r.method, r.prompt) for r in kept).count(("speculative", "autumn")) == 5
    assert {r.gamma for r in kept} == {6} and {r.temperature for r in kept} == {1.0}


def test_a_new_seed_adds_a_dot_and_the_clock_may_count_calls(open_page: Open) -> None:
    at = open_page(PAGE, seed="30")
    at.button("text-again").click().run()
    assert at.number_input("text:seed").value == 31 and at.query_params["seed"] == "31"
    assert dots(at) == [[30, 31, 32, 33, 34, 35]] * 2
    measured = at.metric[3].value
    at.segmented_control("text:price").set_value("model").run()
    run = next(iter(at.session_state[f"visit.{runs.RUNS.name}"].values()))
    assert at.metric[3].value == f"{run.tokens / (run.rounds + 0.15 * run.drafted):.2f}×" != measured
    assert "a draft step costs 0.15 target passes" in sentences(at)


def test_every_other_text_can_be_tried(open_page: Open) -> None:
    at = open_page(PAGE, seed="50", predictable="repeat", free="robot")
    assert at.selectbox("text:predictable").value == "repeat"
    at.button("text-every").click().run()
    assert not at.exception
    assert len(dots(at)) == sum(len(c.prompts) for c in texts.CLASSES)
    assert "predictable texts with a mean α̂ of 0.67" in sentences(at)
    assert not any(b.key == "text-every" for b in at.button)


def test_nonsense_in_the_address_is_told(open_page: Open) -> None:
    at = open_page(PAGE, predictable="autumn", free="x", price="9", temperature="77")
    assert not at.exception and len(at.warning) == 4
    assert at.selectbox("text:free").value == "autumn"
