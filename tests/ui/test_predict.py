from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from ui.content import Question
from ui.predict import judge, verdict_sentence

NUMBER = Question("number", "How many?", "It was {same}.", unit="words", low=0, high=20, near=2)
KNOWN = Question("number", "How many?", "One.", unit="calls", low=1, high=20, answer=1)
CHOICE = Question("choice", "Why?", "Because.", options=("a", "b", "c"), answer=1)


@pytest.mark.parametrize(
    ("said", "verdict"), [(12, "right"), (10, "close"), (14, "close"), (9, "wrong"), (15, "wrong")]
)
def test_numbers_may_be_close(said: int, verdict: str) -> None:
    assert judge(NUMBER, said, 12) == verdict


def test_choices_are_right_or_wrong() -> None:
    assert [judge(CHOICE, said, 1) for said in (0, 1, 2)] == ["wrong", "right", "wrong"]


def test_the_verdict_is_said_in_words() -> None:
    assert verdict_sentence(NUMBER, 12, 12) == "Right: 12 words."
    assert verdict_sentence(NUMBER, 11, 12) == "Close: you said 11, it was 12 words."
    assert verdict_sentence(KNOWN, 5, 1) == "Not quite: you said 5, it is 1 call."
    assert verdict_sentence(CHOICE, 0, 1) == "Not quite. The answer is: *b*"


def app() -> None:
    import streamlit as st

    from ui.content import Question
    from ui.predict import ask

    question = Question("number", "How many?", "It was {same}.", unit="words", low=0, high=20, near=2)
    answer = st.session_state.get("answer")
    done = ask(2, question, answer, None if answer is None else {"same": answer})
    st.session_state["done"] = done


def asked(answer: int | None = 12) -> AppTest:
    at = AppTest.from_function(app)
    at.session_state["answer"] = answer
    return at.run()


def test_nothing_is_revealed_before_an_answer() -> None:
    at = asked()
    assert at.session_state["done"] is False
    assert not (at.success or at.error or at.info)


def test_committing_nothing_asks_for_a_number() -> None:
    at = asked()
    at.button("commit-2").click().run()
    assert [w.value for w in at.warning] == ["Type a number first."]
    assert at.session_state["done"] is False


def test_a_committed_answer_is_marked() -> None:
    at = asked()
    at.number_input[0].set_value(11).run()
    at.button("commit-2").click().run()
    assert at.session_state["done"] is True
    assert [b.value for b in at.info] == ["**Close: you said 11, it was 12 words.** It was 12."]


def test_a_skipped_question_is_explained_and_not_marked() -> None:
    at = asked()
    at.button("skip-2").click().run()
    assert [b.value for b in at.info] == ["It was 12."]


def test_an_answer_waits_for_the_run() -> None:
    at = asked(None)
    at.number_input[0].set_value(12).run()
    at.button("commit-2").click().run()
    assert not (at.success or at.error or at.info)
    at.session_state["answer"] = 12
    at.run()
    assert len(at.success) == 1


def test_a_later_run_does_not_change_the_verdict() -> None:
    at = asked()
    at.number_input[0].set_value(12).run()
    at.button("commit-2").click().run()
    at.session_state["answer"] = 3
    at.run()
    assert [b.value for b in at.success] == ["**Right: 12 words.** It was 3."]


def test_the_question_can_be_asked_again() -> None:
    at = asked()
    at.button("skip-2").click().run()
    at.button("again-2").click().run()
    assert at.session_state["done"] is False
    assert at.number_input


def test_an_answer_that_is_held_back_comes_when_it_is_asked_for() -> None:
    at = asked()
    at.session_state["visit.switches"] = {"hold": True}
    at.run()
    at.number_input[0].set_value(12).run()
    at.button("commit-2").click().run()
    assert at.session_state["done"] is False and not at.success
    assert "Your answer: *12 words*" in [m.value for m in at.markdown]
    at.button("show-2").click().run()
    assert at.session_state["done"] is True and at.success[0].value.startswith("**Right")


def test_where_answers_are_held_back_the_skipping_button_shows_this_one() -> None:
    at = asked()
    at.session_state["visit.switches"] = {"hold": True}
    at.run()
    assert at.button("skip-2").label == "Show the answer"
    at.button("skip-2").click().run()
    assert at.session_state["done"] is True and at.info
