"""Chapter 14 on the pair without models, which has no head."""

from __future__ import annotations

from tests.pages.conftest import Open, charts, sentences

PAGE = "14_sources.py"


def test_every_source_runs_and_is_compared_before_anything_is_touched(open_page: Open) -> None:
    at = open_page(PAGE)
    said = sentences(at)
    assert not at.exception and not at.warning
    table = at.dataframe[0].value
    assert list(table["Source"]) == ["Draft model", "Prompt lookup", "Early exit", "Draft tree"]
    assert set(table["Text"]) == {"✓ same"} and table["Extra memory"][1] == "none"
    assert len(charts(at)) == 3 and "wins here" in said
    assert "The branch that survived" in said or "None of the candidates" in said
    assert "Multi-token head" in said and "does not offer it" in said


def test_another_round_of_the_tree_and_other_settings(open_page: Open) -> None:
    at = open_page(PAGE, round="2", branches="4", gamma="2", temperature="0.8")
    assert not at.exception
    assert at.slider("sources:branches").value == 4 and at.slider("sources:round").value == 2
    asked = [held.asked for key, held in at.session_state["engine-held"].items() if key.startswith("sources-")]
    assert len(asked) == 5
    assert {r.gamma for r in asked} == {2} and {r.rule for r in asked} == {"coupled"}
    assert {r.branches for r in asked if r.drafter == "tree"} == {4}


def test_an_empty_prompt_and_nonsense_are_told(open_page: Open) -> None:
    at = open_page(PAGE, prompt="own", text="", branches="99", gamma="x")
    assert not at.exception and any("prompt is empty" in w.value for w in at.warning)
    assert not charts(at)


def test_the_runs_can_be_stopped_and_go_on(open_page: Open) -> None:
    at = open_page(PAGE, seed="7")
    plan = [held.asked for key, held in at.session_state["engine-held"].items() if key.startswith("sources-")]
    at.session_state["sources.stopped"] = tuple(plan), 2
    at.run()
    assert not at.exception and list(at.dataframe[0].value["Source"]) == ["Draft model"]
    at.button("sources-go").click().run()
    assert not at.exception and len(at.dataframe[0].value) == 4
