from __future__ import annotations

from collections.abc import Iterator

import pytest
import streamlit as st

from ui import content, summary, visit
from ui.visit import Prediction


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[int, Prediction]]:
    monkeypatch.setattr(st, "session_state", {})
    yield visit.PREDICTIONS.held()


def by_chapter() -> dict[int, summary.Line]:
    return {x.chapter.number: x for x in summary.lines()}


def test_every_question_is_there_and_none_is_asked_yet(held: dict[int, Prediction]) -> None:
    assert list(by_chapter()) == [c.number for c in content.chapters() if c.predict]
    assert {x.outcome for x in summary.lines()} == {"open"}
    assert summary.sentence(summary.lines()).startswith("Nothing predicted yet")


def test_each_outcome_has_its_word(held: dict[int, Prediction]) -> None:
    held[1] = Prediction(1)  # the right option
    held[2] = Prediction(14, answer=13)  # a number of the run, within reach
    held[3] = Prediction(4)  # one call is the answer
    held[4] = Prediction(None)
    held[6] = Prediction(0)
    found = by_chapter()
    assert [found[n].outcome for n in (1, 2, 3, 4, 5, 6)] == ["right", "close", "wrong", "skipped", "open", "wrong"]
    assert (found[2].said, found[2].answer) == ("14 words", "13 words")
    question = content.chapters()[3].predict
    assert question and question.answer is not None and found[4].answer == question.options[question.answer]
    assert summary.sentence(summary.lines()) == "1 of 4 right and 1 close. Look again at 3 and 6."
    text = summary.as_text(summary.lines())
    assert "3  Reading is one look: not right" in text and "You said: 4 calls" in text and "Answer: 1 call\n" in text


def test_an_answer_that_is_not_there_or_held_back_is_not_told(held: dict[int, Prediction]) -> None:
    held[2] = Prediction(9)
    held[8] = Prediction(4, shown=False)
    found = by_chapter()
    assert (found[2].outcome, found[2].answer) == ("waiting", "")
    assert (found[8].outcome, found[8].answer) == ("waiting", "")
    assert "look again" not in summary.sentence(summary.lines()).lower()


def test_all_right_needs_no_second_look_and_starting_over_forgets(held: dict[int, Prediction]) -> None:
    held[1], held[3] = Prediction(1), Prediction(1)
    assert summary.sentence(summary.lines()) == "2 of 2 right."
    summary.start_over()
    assert {x.outcome for x in summary.lines()} == {"open"}
