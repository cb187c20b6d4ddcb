"""The vote: what a lecturer with a class in session sees in place of a chapter's question.

Nobody else sees any of it: a visit without a class goes past the first line of `carried`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import streamlit as st

from core.classroom import Board, ClassroomError, Desk
from core.classroom import Question as Asked
from core.classroom.codes import spoken
from core.classroom.views import torn
from ui import classroom, lecture, visit, who
from ui.classroom import HELD, POLL, SLOW_POLL
from ui.classroom_figures import results
from ui.content import Question
from ui.figures import show
from ui.words import count

TORN = (
    "The class is divided: many have it right and many have not. "
    "Let them talk to their neighbours for two minutes, then vote again."
)
Facts = Mapping[str, object] | None


def carried(chapter: int, question: Question, answer: int | None, facts: Facts) -> bool:
    """Draw the class's vote, where this visit's lecturer has a class in session. False: nothing was drawn."""
    code = HELD.held().get("code")
    if not code:
        return False
    try:
        owner = who.lecturer()
        if owner is None:
            return False
        desk = classroom.desk(owner)
        desk.board(code)
    except ClassroomError:
        # The class is over, or the votes cannot be reached: the lecture goes on without.
        return False
    with st.container(border=True, key=f"predict-{chapter}"):
        panel(desk, code, chapter, question, answer if question.answer is None else question.answer, facts)
    return True


def panel(desk: Desk, code: str, chapter: int, question: Question, answer: int | None, facts: Facts = None) -> None:
    """A chapter's vote, followed as it comes in.

    Args:
        answer: what is right; None until the run that gives it is there.
        facts: the figures that the explanation names; without them it is left out.
    """
    drawn = _at(desk, code)

    def follow() -> None:
        with classroom.telling():
            board, share = desk.board(code, answer)
            if _state(board) != drawn:
                st.rerun()
            classroom.told()
            Panel(desk, board, chapter, question, answer, facts).draw(share)

    busy = drawn is not None and drawn[1] == "open"
    st.fragment(follow, run_every=POLL if busy else SLOW_POLL)()


class Panel:
    """One drawing of a chapter's vote."""

    def __init__(
        self, desk: Desk, board: Board, chapter: int, question: Question, answer: int | None, facts: Facts
    ) -> None:
        self.desk, self.board, self.chapter = desk, board, chapter
        self.question, self.answer, self.facts = question, answer, facts

    def draw(self, share: float | None) -> None:
        """Draw it. `share`: of the votes that are right, which is never shown itself."""
        asked = self.board.question
        if asked is None or asked.ask.chapter != self.chapter:
            self._before()
            return
        self._head({"open": "VOTE NOW", "talk": "TALK TO YOUR NEIGHBOURS", "revealed": "THE CLASS SAID"}[asked.state])
        if asked.state == "revealed" and asked.answer is not None:
            self._after(asked, asked.answer)
        else:
            self._under_way(asked, share)

    def _before(self) -> None:
        self._head("A QUESTION FOR THE CLASS")
        options(self.question)
        with st.container(horizontal=True, vertical_alignment="center"):
            ask = partial(self.desk.ask, self.board.code, classroom.ask_of(self.chapter, self.question))
            self._button("Ask the class", "campaign", ask, primary=True)
            if not visit.answered(self.chapter):
                st.button(
                    "Go on without a vote",
                    key=self._key("skip"),
                    type="tertiary",
                    on_click=visit.predict,
                    args=(self.chapter, None),
                )

    def _under_way(self, asked: Asked, share: float | None) -> None:
        left, right = st.columns([3, 1], vertical_alignment="center", gap="medium")
        with left:
            options(self.question)
            progress(self.board, asked)
        with right:
            address = classroom.join_address(st.context.url, self.board.code)
            st.image(lecture.qr_code(address), width=170)
        # What a few have said so far is no sign yet.
        divided = asked.state == "open" and asked.round == 1 and torn(share)
        divided = divided and 2 * classroom.voted(self.board) >= self.board.joined
        if divided:
            st.info(TORN, icon=":material/forum:")
        self._steps(asked, divided)

    def _steps(self, asked: Asked, divided: bool) -> None:
        code = self.board.code
        with st.container(horizontal=True, vertical_alignment="center"):
            if asked.state == "talk":
                self._button("Open the second vote", "replay", partial(self.desk.again, code, asked.id), primary=True)
            if self.answer is not None:
                reveal = partial(self._reveal, asked, self.answer)
                self._button("Reveal", "visibility", reveal, primary=asked.state == "open" and not divided)
            else:
                st.caption("The run on this page gives the answer: it can be revealed as soon as that is there.")
            if asked.state == "open" and asked.round == 1:
                talk = partial(self.desk.talk, code, asked.id)
                self._button("Let them talk, then vote again", "forum", talk, primary=divided)
            self._reset(asked)

    def _after(self, asked: Asked, answer: int) -> None:
        figure = results(self.question, asked.ask, self.board.tallies, answer)
        show(figure, f"votes-{self.chapter}", alt=in_words(self.question, self.board))
        if self.facts is not None:
            st.info(self.question.explanation.format_map(self.facts), icon=":material/lightbulb:")
        with st.container(horizontal=True, vertical_alignment="center"):
            put_away = partial(self.desk.put_away, self.board.code)
            self._button("Take it off the phones", "phonelink_erase", put_away)
            self._reset(asked)

    def _reset(self, asked: Asked) -> None:
        with st.popover("Reset", type="tertiary", key=self._key("more")):
            st.markdown("This deletes the votes on this question. It can then be asked anew.")
            self._button("Delete the votes", "delete", partial(self.desk.reset, self.board.code, asked.id))

    def _reveal(self, asked: Asked, answer: int) -> None:
        self.desk.reveal(self.board.code, asked.id, answer)
        if not visit.answered(self.chapter):
            visit.predict(self.chapter, None)

    def _head(self, label: str) -> None:
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
            st.markdown(f":small[:primary[**{label}**]]", width="content")
            where = classroom.join_address(st.context.url).partition("//")[2] or "join"
            here = count(self.board.joined, "phone")
            st.markdown(f":small[`{where}` · code **{spoken(self.board.code)}** · {here}]", width="content")
        st.markdown(f"**{self.question.question}**")

    def _button(self, label: str, icon: str, act: Callable[[], None], primary: bool = False) -> None:
        st.button(
            label,
            key=self._key(icon),
            icon=f":material/{icon}:",
            type="primary" if primary else "secondary",
            on_click=classroom.attempt,
            args=(act,),
        )

    def _key(self, name: str) -> str:
        return f"vote-{self.chapter}-{name}"


def options(question: Question) -> None:
    """What can be said, with the letters by which it is called aloud."""
    if question.kind == "choice":
        lines = [f"**{classroom.LETTERS[i]}**\u2002{text}" for i, text in enumerate(question.options)]
        st.markdown("\n\n".join(lines))
    else:
        st.markdown(f"A number from {question.low} to {question.high}.")


def progress(board: Board, asked: Asked) -> None:
    """How many have voted, and not what."""
    votes = classroom.voted(board)
    said = f"**{votes}** of {count(board.joined, 'phone')} voted"
    again = " again" if asked.round == 2 else ""
    st.progress(min(1.0, votes / board.joined) if board.joined else 0.0, text=f"{said}{again}")


def in_words(question: Question, board: Board) -> str:
    """The votes as a sentence, for a screen reader."""
    rounds = []
    for round_, tally in sorted(board.tallies.items()):
        said = ", ".join(f"{classroom.option(question, n)}: {votes}" for n, votes in sorted(tally.items()))
        rounds.append(f"Vote {round_}: {said}.")
    return " ".join(rounds) or "No votes."


def _at(desk: Desk, code: str) -> tuple[int, str, int] | None:
    try:
        return _state(desk.board(code)[0])
    except ClassroomError:
        return None


def _state(board: Board) -> tuple[int, str, int] | None:
    """What the page has to be drawn anew for."""
    return (board.question.id, board.question.state, board.question.round) if board.question else None
