"""Every page opens whole, bad input is met with a sentence, and what chapters 1 to 4 show on a pair without models."""

from __future__ import annotations

import importlib

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import Open, charts, components, lanes_of, sentences, skip, strip_of
from ui import content

CHAPTERS = [c.page for c in content.chapters()]
WITH_PROMPT = ["01_careful.py", "02_easy.py", "03_reading.py", "04_guess.py", "11_rhythm.py"]
"""Chapters known to have the request's bar; others are tried with bad prompts where they have it."""
BAD = [("", "The prompt is empty"), ("   ", "The prompt is empty"), ("tab\x07bell", "control characters"),
       ("x" * 100_000, "longer than the context")]  # fmt: skip


def assert_whole(at: AppTest) -> str:
    """What every page has; gives back all that the page says."""
    assert not at.exception
    assert at.title and at.button("glossary")
    return sentences(at)


def beginning(explanation: str) -> str:
    """The first words of an explanation, up to the first figure of the run."""
    return explanation.partition("{")[0].strip()[:40]


def test_home_names_the_pair_its_figures_and_every_chapter(open_page: Open) -> None:
    at = open_page("home.py")
    said = assert_whole(at)
    assert "Big-100M" in said and "Small-10M" in said and "100.0 million weights" in said
    assert "bit for bit" in said
    metrics = {m.label: m.value for m in at.metric}
    assert metrics["Draft length γ"] == "4" and metrics["Acceptance rate α̂"] == "67 %"
    assert all(c.title in said and c.short in said for c in content.chapters())


@pytest.mark.parametrize("part", content.parts(), ids=lambda p: p.id)
def test_a_part_page_says_what_it_answers(open_page: Open, part: content.Part) -> None:
    said = assert_whole(open_page(part.page))
    assert part.question in said and all(a in said for a in part.answers)
    assert all(c.title in said for c in content.chapters_of(part.id))


@pytest.mark.parametrize("lab", content.labs(), ids=lambda lab: lab.page)
def test_a_lab_opens(open_page: Open, lab: content.Lab) -> None:
    assert lab.title in assert_whole(open_page(lab.page))


@pytest.mark.parametrize("chapter", content.chapters(), ids=lambda c: c.page)
def test_a_chapter_asks_first_and_answers_afterwards(open_page: Open, chapter: content.ChapterText) -> None:
    at = open_page(chapter.page)
    said = assert_whole(at)
    assert chapter.title in said and chapter.setup in said and chapter.takeaway in said
    question = chapter.predict
    if question is None:
        return
    assert question.question in said and beginning(question.explanation) not in said
    said = assert_whole(skip(at, chapter.number))
    assert beginning(question.explanation) in said and chapter.takeaway in said


@pytest.mark.parametrize("page", CHAPTERS)
def test_a_prompt_that_cannot_be_run_gives_one_sentence(open_page: Open, page: str) -> None:
    # Each chapter meets one of them, so that each is met by two chapters at least.
    text, sentence = BAD[CHAPTERS.index(page) % len(BAD)]
    at = open_page(page, prompt="own", text=text)
    said = assert_whole(at)
    assert content.chapters()[CHAPTERS.index(page)].takeaway in said
    # Chapter 15 has a field for prompts of another kind.
    own = [field for field in at.text_area if str(field.key).endswith(":text")]
    assert own or page not in WITH_PROMPT
    if own:
        assert said.count(sentence) == 1


@pytest.mark.parametrize(
    ("page", "text"),
    [("01_careful.py", "🦊 says <b>hi</b> $x$ `code`"), ("04_guess.py", "مرحبا بالعالم"), ("02_easy.py", "{total} {}"),
     ("11_rhythm.py", "{total} {} \\frac {")],
)  # fmt: skip
def test_any_other_prompt_is_run_as_it_is(open_page: Open, page: str, text: str) -> None:
    at = open_page(page, prompt="own")
    at.text_area[0].set_value(text).run()
    assert not at.exception and not at.warning
    assert components(at)
    number = CHAPTERS.index(page) + 1
    if content.chapters()[number - 1].predict:
        assert not skip(at, number).exception


def test_a_bad_link_is_told_and_the_usual_values_are_used(open_page: Open) -> None:
    at = open_page("04_guess.py", prompt="nonsense", temperature="9", seed="-1", gamma="99", clock="sundial")
    assert not at.exception
    assert len(at.warning) == 4
    assert at.slider("guess:gamma").value == 4 and at.slider("guess:temperature").value == 0.0
    assert len(lanes_of(at)) == 2


def test_the_controls_come_along_from_chapter_to_chapter(open_page: Open) -> None:
    at = open_page("01_careful.py", prompt="rainbow", seed="5")
    at.switch_page("pages/02_easy.py").run()
    assert at.selectbox("easy:prompt").value == "rainbow"
    assert at.number_input("easy:seed").value == 5


def test_both_models_race_over_twenty_words(open_page: Open) -> None:
    def marked() -> list[int]:
        return [i for i, t in enumerate(lanes_of(at)[1]["tokens"]) if t["state"] == "marked"]

    at = open_page("01_careful.py")
    big, small = lanes_of(at)
    assert (big["title"], small["title"]) == ("Big model", "Small model")
    assert len(big["tokens"]) == len(small["tokens"]) == 20
    assert big["finish"] == pytest.approx(20 * 0.6) and small["finish"] == pytest.approx(20 * 0.06)
    assert [c["round"] is None for c in small["calls"]].count(True) == 0
    # Words unlikely to the big model are marked, from the chosen share on.
    assert marked() == [2, 5, 8, 11, 14, 17]
    at.slider("careful:limit").set_value(5).run()
    assert marked() == []
    # The reason waits for the prediction.
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
    at.query_params["clock"] = "measured"
    assert [lane["finish"] for lane in lanes_of(at.run())] == pytest.approx([6 * 0.024, 0.024])


def test_the_loop_flags_rounds_in_vain_and_ends_with_equal_texts(open_page: Open) -> None:
    def target_calls() -> int:
        return sum(c["model"] == "target" for c in lanes_of(at)[1]["calls"])

    at = open_page("04_guess.py", gamma="1")
    alone, together = lanes_of(at)
    assert "".join(t["text"] for t in alone["tokens"]) == "".join(
        t["text"] for t in together["tokens"] if t["state"] != "discarded"
    )
    assert together["notices"] and "safety net" in together["notices"][0]["text"]
    assert "The texts are equal" not in sentences(at)
    assert "The texts are equal" in sentences(skip(at, 4))
    # A longer draft takes fewer calls of the target.
    few = target_calls()
    at.slider("guess:gamma").set_value(6).run()
    assert target_calls() < few < 32


CLICKS = [
    (0, 3, "**Written by the target**", ["p (raw)"]),
    (1, 0, "The prompt's own pass", ["p (raw)"]),
    (1, 1, "**Kept.**", ["p (raw)", "q (raw)"]),
    (1, 2, "**Missed.**", ["p (raw)", "q (raw)"]),
    (1, 3, "**Dropped, not examined.**", ["p (raw)", "q (raw)"]),
    (1, 5, "**Correction.**", ["p (raw)"]),
]
"""A token by its lane and index, what is told of it, and its figures."""


def test_a_clicked_token_tells_its_figures(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    click(monkeypatch, *CLICKS[0][:2])
    at = open_page("04_guess.py")
    for lane, index, told, figures in CLICKS:
        click(monkeypatch, lane, index)
        if (lane, index) != CLICKS[0][:2]:
            at.run()
        assert told in sentences(at), (lane, index)
        assert [m.label for m in at.metric] == figures, (lane, index)


def test_a_sampled_text_is_the_same_in_both_lanes_and_a_token_tells_what_the_rule_saw(
    open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    click(monkeypatch, 1, 1)
    at = open_page("04_guess.py", temperature="1.0", seed="7")
    assert [m.label for m in at.metric][:5] == ["p (raw)", "q (raw)", "p", "q", "β"]
    assert "coupled draws" in sentences(skip(at, 4))


def click(monkeypatch: pytest.MonkeyPatch, lane: int, index: int) -> None:
    lanes_module = importlib.import_module("ui.components.lanes.lanes")
    monkeypatch.setattr(lanes_module, "selected_token", lambda *_: (lane, index))


def test_open_questions_lead_to_the_chapters_that_answer_them(open_page: Open) -> None:
    at = open_page("04_guess.py")
    links = {link.proto.label: link.proto.page for link in at.get("page_link")}
    asked = content.chapters()[3].questions
    assert {q.chapter for q in asked} == {5, 6, 7, 8, 10}
    for question in asked:
        page = CHAPTERS[question.chapter - 1].removesuffix(".py").lstrip("0123456789_")
        assert links[question.text] == page


def test_the_glossary_finds_terms_by_name_symbol_and_meaning() -> None:
    from ui.glossary import find

    assert find("γ")[0].name == "Draft length"
    assert find("residual")[0].name == "Residual"
    assert len(find("")) == len(content.glossary())
    assert find("zebra") == []
