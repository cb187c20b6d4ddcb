"""A class in session, seen from the pages: its store, the words of its questions, its addresses, its file of votes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import urlencode

import streamlit as st

from core.classroom import Ask, Board, Classroom, ClassroomDown, ClassroomError, Database, Desk, Limiter, open_database
from core.classroom.views import as_csv
from core.settings import read_settings
from ui import content, visit
from ui.content import Question
from ui.words import count

PAGE, JOIN = "classroom.py", "join.py"
CODE, SHOW = "code", "show"
"""Names in addresses: a phone's class, and the class that a projector shows."""
HELD = visit.Store("class", dict[str, str])
"""The code of the class that this visit's lecturer holds, under `code`."""
POLL, SLOW_POLL, PHONE_POLL = 2.0, 5.0, 3.0
"""Seconds between two looks: of a lecturer's or projected page while votes come in and otherwise, and of a phone."""
LETTERS = "ABCDEFGH"
"""What options are called aloud."""
_TOLD = "class.told"


@st.cache_resource(show_spinner=False)
def database() -> Database:
    """The server's one door to the votes.

    Raises:
        ClassroomDown: where it cannot be opened; the next call tries again.
    """
    return open_database(read_settings().database)


def students() -> Classroom:
    """What whoever has a code may do."""
    return Classroom(database(), read_settings().class_size)


def desk(owner: str) -> Desk:
    """What a lecturer may do; `owner` is from `ui.who`."""
    settings = read_settings()
    return Desk(database(), owner, settings.class_hours, settings.vote_days)


def vote_days() -> int:
    """Days for which votes are kept."""
    return read_settings().vote_days


@st.cache_resource(show_spinner=False)
def wrong_codes() -> Limiter:
    """Codes that no class has, by address. A whole room may come from one, so many are let pass."""
    return Limiter(200, 600.0)


@contextmanager
def telling(whole: bool = False) -> Iterator[None]:
    """Say in the page what could not be done, and go on after the block.

    Args:
        whole: the block is a whole page, which looks at the votes no more: draw it anew once they can be reached.
    """
    try:
        yield
    except ClassroomDown as error:
        st.error(str(error), icon=":material/cloud_off:")
        if whole:
            st.fragment(_come_back, run_every=SLOW_POLL)(time.monotonic())
    except ClassroomError as error:
        st.warning(str(error), icon=":material/block:")


def _come_back(since: float) -> None:
    # Not at once: a fault that a look does not find would draw the page over and over.
    if time.monotonic() - since < SLOW_POLL / 2:
        return
    try:
        with database().reading():
            pass
    except ClassroomDown:
        return
    st.rerun()


def attempt(act: Callable[..., object], *arguments: object) -> None:
    """Take a step in a button's callback. What could not be done is kept for `told`."""
    try:
        act(*arguments)
    except ClassroomError as error:
        st.session_state[_TOLD] = str(error)


def told() -> None:
    """Say what an attempt came to nothing by, once."""
    if words := st.session_state.pop(_TOLD, None):
        st.warning(words, icon=":material/block:")


def ask_of(chapter: int, question: Question) -> Ask:
    """What may be said to a chapter's question."""
    if question.kind == "choice":
        return Ask(chapter, 0, len(question.options) - 1)
    return Ask(chapter, question.low, question.high, question.near)


def question_of(chapter: int) -> Question | None:
    """A chapter's question; None where it asks none."""
    text = content.chapter(chapter)
    return text.predict if text else None


def option(question: Question, said: int) -> str:
    """What was said, in words: `B · Because …`, `12 words`."""
    if question.kind == "choice":
        return f"{LETTERS[said]} · {question.options[said]}"
    return count(said, question.unit.removesuffix("s"))


def voted(board: Board) -> int:
    """How many have voted in the round at hand."""
    return board.counts.get(board.question.round, 0) if board.question else 0


def join_address(page: str | None, code: str = "") -> str:
    """Where phones join, seen from the address of a page beside it; with the code, for a QR code."""
    beside = page.rpartition("/")[0] + "/" if page else ""
    return f"{beside}join" + (f"?{urlencode({CODE: code})}" if code else "")


def show_address(page: str | None, code: str) -> str:
    """Where the class's projected page is."""
    beside = page.rpartition("/")[0] + "/" if page else ""
    return f"{beside}classroom?{urlencode({SHOW: code})}"


def votes_file(desk: Desk, code: str) -> str:
    """A class's votes as CSV."""

    def asked(chapter: int) -> str:
        question = question_of(chapter)
        return question.question if question else ""

    def words(chapter: int, said: int) -> str:
        question = question_of(chapter)
        # The words may have been edited since.
        fits = question is not None and (question.kind == "number" or 0 <= said < len(question.options))
        return option(question, said) if question and fits else ""

    return as_csv(desk.rows(code), asked, words)
