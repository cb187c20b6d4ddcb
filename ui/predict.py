"""The question before the experiment: commit or skip, then right or wrong, in words and by shape."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

import streamlit as st

from ui import visit, vote
from ui.content import Question
from ui.words import count

Verdict = Literal["right", "close", "wrong"]


def ask(chapter: int, question: Question, answer: int | None, facts: Mapping[str, object] | None) -> bool:
    """Draw a chapter's question, or what became of it. True once its answer may be seen.

    That is when it has been answered or skipped; where answers are held back, once the answer was asked for.

    Args:
        answer: an option's index or a number; None while the run that gives it is not there.
        facts: the figures that the explanation names; None while they are not there.
    """
    if vote.carried(chapter, question, answer, facts):
        return visit.answered(chapter)
    held = visit.prediction(chapter)
    label = "PREDICT FIRST" if held is None else "YOUR PREDICTION" if held.value is not None else "THE QUESTION"
    with st.container(border=True, key=f"predict-{chapter}"):
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
            st.markdown(f":small[:blue[**{label}**]]", width="content")
            if held is not None:
                st.button(
                    "Ask me again", key=f"again-{chapter}", type="tertiary", on_click=visit.forget, args=[chapter]
                )
        st.markdown(f"**{question.question}**")
        if held is None:
            _form(chapter, question)
        elif not held.shown:
            _held_back(chapter, question, held)
        else:
            known = question.answer if question.answer is not None else answer
            _outcome(chapter, question, held, known, facts)
    return visit.answered(chapter)


def judge(question: Question, said: int, answer: int) -> Verdict:
    """How a prediction compares with the answer; only numbers can be close."""
    if said == answer:
        return "right"
    return "close" if question.kind == "number" and abs(said - answer) <= question.near else "wrong"


def verdict_sentence(question: Question, said: int, answer: int) -> str:
    """The outcome in words."""
    if question.kind == "choice":
        right = question.options[answer]
        return "Right." if said == answer else f"Not quite. The answer is: *{right}*"
    amount = count(answer, question.unit.removesuffix("s"))
    was = f"it is {amount}" if question.answer is not None else f"it was {amount}"
    return {
        "right": f"Right: {amount}.",
        "close": f"Close: you said {said}, {was}.",
        "wrong": f"Not quite: you said {said}, {was}.",
    }[judge(question, said, answer)]


def answer_field(question: Question, key: str, option: Callable[[int], str], label: str) -> None:
    """The widget in which a question is answered; nothing is chosen at first.

    Args:
        option: an option's words, by its index.
        label: of a number.
    """
    if question.kind == "choice":
        st.radio(
            question.question,
            range(len(question.options)),
            index=None,
            key=key,
            label_visibility="collapsed",
            format_func=option,
        )
    else:
        range_ = f"{question.low} to {question.high}"
        st.number_input(label, question.low, question.high, None, 1, key=key, width="stretch", placeholder=range_)


def _form(chapter: int, question: Question) -> None:
    with st.container(width="stretch" if question.kind == "choice" else 240):
        answer_field(question, f"said-{chapter}", question.options.__getitem__, f"Your guess ({question.unit})")
    with st.container(horizontal=True, vertical_alignment="center"):
        missed = st.button("Commit", type="primary", key=f"commit-{chapter}", on_click=_commit, args=(chapter,))
        # Whoever holds answers back asks for this one by going past the question.
        skip = "Show the answer" if visit.switched(visit.HOLD) else "Skip the question"
        st.button(skip, type="tertiary", key=f"skip-{chapter}", on_click=visit.predict, args=(chapter, None))
    if missed:
        st.warning("Choose an answer first." if question.kind == "choice" else "Type a number first.")


def _commit(chapter: int) -> None:
    said = st.session_state[f"said-{chapter}"]
    if said is not None:
        visit.predict(chapter, said)


def _held_back(chapter: int, question: Question, held: visit.Prediction) -> None:
    """What was said, and a button that brings out the answer."""
    if held.value is not None:
        said = question.options[held.value] if question.kind == "choice" else f"{held.value} {question.unit}"
        st.markdown(f"Your answer: *{said}*")
    st.button(
        "Show the answer",
        type="primary",
        icon=":material/visibility:",
        key=f"show-{chapter}",
        on_click=visit.show_answer,
        args=(chapter,),
    )


_BOX = {
    "right": (st.success, ":material/check_circle:"),
    "close": (st.info, ":material/adjust:"),
    "wrong": (st.error, ":material/cancel:"),
}


def _outcome(
    chapter: int, question: Question, held: visit.Prediction, answer: int | None, facts: Mapping[str, object] | None
) -> None:
    if answer is None or facts is None:
        st.caption("The answer comes from the run below, as soon as it is there.")
        return
    explanation = question.explanation.format_map(facts)
    if held.value is None:
        st.info(explanation, icon=":material/lightbulb:")
        return
    truth = visit.mark(chapter, answer)
    box, icon = _BOX[judge(question, held.value, truth)]
    box(f"**{verdict_sentence(question, held.value, truth)}** {explanation}", icon=icon)
