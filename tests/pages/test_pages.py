from __future__ import annotations

import importlib
import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import Open, charts, sentences
from ui import content

PAGES = ["home.py", *(p.page for p in content.parts()), *(c.page for c in content.chapters())]
CHAPTERS = [c.page for c in content.chapters()]


def components(at: AppTest) -> list[dict[str, Any]]:
    """What the page sends to its components."""
    return [json.loads(c.proto.json) for c in at.get("bidi_component") if c.proto.json]


def lanes_of(at: AppTest) -> list[dict[str, Any]]:
    return next((c["lanes"] for c in components(at) if "lanes" in c), [])


def strip_of(at: AppTest) -> list[dict[str, Any]]:
    return next(c["tokens"] for c in components(at) if "tokens" in c)


def skip(at: AppTest, chapter: int) -> AppTest:
    at.button(f"skip-{chapter}").click()
    return at.run()


@pytest.mark.parametrize("page", PAGES)
def test_every_page_opens_with_its_title_and_the_glossary(open_page: Open, page: str) -> None:
    at = open_page(page)
    assert not at.exception
    assert at.title
    assert at.button("glossary")


def test_home_names_the_pair_and_its_figures(open_page: Open) -> None:
    said = sentences(open_page("home.py"))
    assert "Big-100M" in said and "Small-10M" in said and "100.0 million weights" in said
    assert "bit for bit" in said
    metrics = {m.label: m.value for m in open_page("home.py").metric}
    assert metrics["Draft length γ"] == "4" and metrics["Acceptance rate α̂"] == "67 %"


def test_home_has_every_chapter_as_a_card(open_page: Open) -> None:
    said = sentences(open_page("home.py"))
    assert all(c.title in said and c.short in said for c in content.chapters())


def test_a_part_page_says_what_it_answers(open_page: Open) -> None:
    for part in content.parts():
        said = sentences(open_page(part.page))
        assert part.question in said and all(a in said for a in part.answers)


@pytest.mark.parametrize("chapter", content.chapters(), ids=lambda c: c.page)
def test_a_chapter_has_all_its_parts(open_page: Open, chapter: content.ChapterText) -> None:
    said = sentences(open_page(chapter.page))
    assert chapter.title in said and chapter.takeaway in said
    assert chapter.predict and chapter.predict.question in said
    assert chapter.predict.explanation[:40] not in said


def test_both_models_race_over_twenty_words(open_page: Open) -> None:
    big, small = lanes_of(open_page("01_careful.py"))
    assert big["title"], small["title"] == ("Big model", "Small model")
    assert len(big["tokens"]) == len(small["tokens"]) == 20
    assert big["finish"] == pytest.approx(20 * 0.6) and small["finish"] == pytest.approx(20 * 0.06)
    assert [c["round"] is None for c in small["calls"]].count(True) == 0


def test_words_unlikely_to_the_big_model_are_marked_from_the_chosen_share_on(open_page: Open) -> None:
    def marked(at: AppTest) -> list[int]:
        return [i for i, t in enumerate(lanes_of(at)[1]["tokens"]) if t["state"] == "marked"]

    assert marked(open_page("01_careful.py")) == [2, 5, 8, 11, 14, 17]
    assert marked(open_page("01_careful.py", limit="5")) == []


def test_the_reason_waits_for_the_prediction(open_page: Open) -> None:
    at = open_page("01_careful.py")
    assert "KV cache" not in sentences(at)
    assert "KV cache" in sentences(skip(at, 1))


def test_agreement_is_hidden_until_there_was_a_guess(open_page: Open) -> None:
    at = open_page("02_easy.py")
    assert {t["state"] for t in strip_of(at)} == {"plain"}
    at.session_state["said-2"] = 14
    at.button("commit-2").click().run()
    states = [t["state"] for t in strip_of(at)]
    assert states.count("same") == 14 and states.count("different") == 6
    assert any("Right: 14 words." in s.value for s in at.success)


def test_six_words_take_six_calls_or_one(open_page: Open) -> None:
    at = open_page("03_reading.py")
    assert [len(lane["calls"]) for lane in lanes_of(at)] == [6]
    assert not charts(at)
    skip(at, 3)
    assert [len(lane["calls"]) for lane in lanes_of(at)] == [6, 1]
    assert "Up to **8 words**" in sentences(at)
    assert charts(at)


def test_six_words_on_the_measured_clock(open_page: Open) -> None:
    at = skip(open_page("03_reading.py", clock="measured"), 3)
    assert [lane["finish"] for lane in lanes_of(at)] == pytest.approx([6 * 0.024, 0.024])


def test_the_loop_flags_rounds_in_vain_and_ends_with_equal_texts(open_page: Open) -> None:
    at = open_page("04_guess.py", gamma="1")
    alone, together = lanes_of(at)
    assert "".join(t["text"] for t in alone["tokens"]) == "".join(
        t["text"] for t in together["tokens"] if t["state"] != "discarded"
    )
    assert together["notices"] and "safety net" in together["notices"][0]["text"]
    assert "The texts are equal" not in sentences(at)
    assert "The texts are equal" in sentences(skip(at, 4))


def test_a_longer_draft_takes_fewer_target_calls(open_page: Open) -> None:
    def calls(gamma: str) -> int:
        return sum(c["model"] == "target" for c in lanes_of(open_page("04_guess.py", gamma=gamma))[1]["calls"])

    assert calls("6") < calls("1") < 32


@pytest.mark.parametrize(
    ("lane", "index", "told", "figures"),
    [
        (0, 3, "**Written by the target**", ["p (raw)"]),
        (1, 0, "The prompt's own pass", ["p (raw)"]),
        (1, 1, "**Kept.**", ["p (raw)", "q (raw)"]),
        (1, 2, "**Missed.**", ["p (raw)", "q (raw)"]),
        (1, 3, "**Dropped, not examined.**", ["p (raw)", "q (raw)"]),
        (1, 5, "**Correction.**", ["p (raw)"]),
    ],
)
def test_a_clicked_token_tells_its_figures(
    open_page: Open, monkeypatch: pytest.MonkeyPatch, lane: int, index: int, told: str, figures: list[str]
) -> None:
    click(monkeypatch, lane, index)
    at = open_page("04_guess.py")
    assert told in sentences(at)
    assert [m.label for m in at.metric] == figures


def test_a_sampled_token_tells_what_the_rule_saw(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    click(monkeypatch, 1, 1)
    at = open_page("04_guess.py", temperature="1.0")
    assert [m.label for m in at.metric] == ["p (raw)", "q (raw)", "p", "q", "β"]


def click(monkeypatch: pytest.MonkeyPatch, lane: int, index: int) -> None:
    lanes_module = importlib.import_module("ui.components.lanes.lanes")
    monkeypatch.setattr(lanes_module, "selected_token", lambda *_: (lane, index))


def test_open_questions_are_text_while_their_chapters_do_not_exist(open_page: Open) -> None:
    at = open_page("04_guess.py")
    assert all(f"- {q.text}" in sentences(at) for q in content.chapters()[3].questions)
    assert not at.exception


@pytest.mark.parametrize("page", CHAPTERS)
@pytest.mark.parametrize(
    ("text", "sentence"),
    [("", "The prompt is empty"), ("   ", "The prompt is empty"), ("tab\x07bell", "control characters"),
     ("x" * 100_000, "longer than the context")],
    ids=["empty", "blank", "control", "long"],
)  # fmt: skip
def test_a_prompt_that_cannot_be_run_gives_one_sentence(open_page: Open, page: str, text: str, sentence: str) -> None:
    at = open_page(page, prompt="own")
    at.text_area[0].set_value(text).run()
    assert not at.exception
    assert sentences(at).count(sentence) == 1
    chapter = next(c for c in content.chapters() if c.page == page)
    assert chapter.takeaway in sentences(at)


@pytest.mark.parametrize("page", CHAPTERS)
@pytest.mark.parametrize("text", ["🦊 says <b>hi</b> $x$ `code`", "مرحبا بالعالم", "{total} {}"])
def test_any_other_prompt_is_run_as_it_is(open_page: Open, page: str, text: str) -> None:
    at = open_page(page, prompt="own")
    at.text_area[0].set_value(text).run()
    assert not at.exception and not at.warning
    assert components(at)


def test_a_bad_link_is_told_and_the_usual_values_are_used(open_page: Open) -> None:
    at = open_page("04_guess.py", prompt="nonsense", temperature="9", seed="-1", gamma="99", clock="sundial")
    assert not at.exception
    assert len(at.warning) == 3
    assert at.slider("guess:gamma").value == 4 and at.slider("guess:temperature").value == 0.0
    assert len(lanes_of(at)) == 2


def test_a_sampled_text_is_the_same_in_both_lanes_and_the_page_says_why(open_page: Open) -> None:
    at = skip(open_page("04_guess.py", temperature="1.0", seed="7"), 4)
    assert "coupled draws" in sentences(at)


def test_the_controls_come_along_from_chapter_to_chapter(open_page: Open) -> None:
    at = open_page("01_careful.py", prompt="rainbow", seed="5")
    at.switch_page("pages/02_easy.py").run()
    assert at.selectbox("easy:prompt").value == "rainbow"
    assert at.number_input("easy:seed").value == 5


def test_the_glossary_finds_terms_by_name_symbol_and_meaning() -> None:
    from ui.glossary import find

    assert find("γ")[0].name == "Draft length"
    assert find("residual")[0].name == "Residual"
    assert len(find("")) == len(content.glossary())
    assert find("zebra") == []
