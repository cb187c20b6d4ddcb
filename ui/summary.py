"""What a visit predicted, held against what came: by chapter, in a sentence, and as a text to keep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ui import content, visit
from ui.content import ChapterText, Question
from ui.predict import judge
from ui.words import count

PAGE = "summary.py"

Outcome = Literal["right", "close", "wrong", "waiting", "skipped", "open"]


@dataclass(frozen=True)
class Sign:
    """An outcome in a word, by a shape (a Material icon's name) and a colour of Streamlit's markdown."""

    word: str
    icon: str
    colour: str


SIGNS: dict[Outcome, Sign] = {
    "right": Sign("right", "check_circle", "green"),
    "close": Sign("close", "adjust", "blue"),
    "wrong": Sign("not right", "cancel", "red"),
    "waiting": Sign("answer not seen yet", "hourglass_empty", "gray"),
    "skipped": Sign("skipped", "remove_circle", "gray"),
    "open": Sign("not asked yet", "radio_button_unchecked", "gray"),
}


@dataclass(frozen=True)
class Line:
    """One chapter's question and what became of it. `said` and `answer` are words, empty where there are none."""

    chapter: ChapterText
    question: str
    outcome: Outcome
    said: str
    answer: str


def lines() -> list[Line]:
    """Every chapter that asks something, in order."""
    return [_line(c, c.predict, visit.prediction(c.number)) for c in content.chapters() if c.predict]


def sentence(found: Sequence[Line]) -> str:
    """The score and where to look again."""
    judged = [x for x in found if x.outcome in ("right", "close", "wrong")]
    if not judged:
        return "Nothing predicted yet. Each chapter asks one question before it shows its experiment."
    right = sum(x.outcome == "right" for x in judged)
    close = sum(x.outcome == "close" for x in judged)
    near = f" and {close} close" if close else ""
    again = [str(x.chapter.number) for x in judged if x.outcome == "wrong"]
    score = f"{right} of {len(judged)} right{near}."
    return score if not again else f"{score} Look again at {_listed(again)}."


def as_text(found: Sequence[Line]) -> str:
    """The whole summary as plain text, to be downloaded."""
    blocks = ["Speculative Lab: my predictions", sentence(found)]
    for x in found:
        block = [f"{x.chapter.number}  {x.chapter.title}: {SIGNS[x.outcome].word}", f"   {x.question}"]
        block += [f"   You said: {x.said}"] if x.said else []
        block += [f"   Answer: {x.answer}"] if x.answer else []
        blocks.append("\n".join(block))
    return "\n\n".join(blocks) + "\n"


def start_over() -> None:
    """Forget every prediction."""
    for x in content.chapters():
        visit.forget(x.number)


def _line(chapter: ChapterText, question: Question, held: visit.Prediction | None) -> Line:
    if held is None:
        return Line(chapter, question.question, "open", "", "")
    # An answer that is held back must not be told here either.
    answer = (question.answer if question.answer is not None else held.answer) if held.shown else None
    told = "" if answer is None else _words(question, answer)
    if held.value is None:
        return Line(chapter, question.question, "skipped", "", told)
    said = _words(question, held.value)
    outcome: Outcome = "waiting" if answer is None else judge(question, held.value, answer)
    return Line(chapter, question.question, outcome, said, told)


def _words(question: Question, value: int) -> str:
    return question.options[value] if question.kind == "choice" else count(value, question.unit.removesuffix("s"))


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
