"""What only a class's lecturer may do: open, ask, let talk, reveal, reset, export, end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, delete, func, select, update
from sqlalchemy import Row as Record

from core.classroom import codes
from core.classroom.schema import classes, devices, questions, votes
from core.classroom.store import Database, board, find, insert_once, tally
from core.classroom.views import Ask, Board, ClassroomError, Held, NotYours, Row, is_right, share_right

NOT_YOURS = "Only the lecturer who opened this class may do that."
HOUR, DAY = 3600.0, 86400.0


class Desk:
    """One lecturer's classes. Whatever is asked of a class that is another's, or is over, is refused.

    Args:
        owner: who the lecturer is, as `ui.who` or `core.classroom.keys` tells it; never what somebody typed.
        hours: how long a class's code works.
        days: after how many days a class and its votes are deleted.
    """

    def __init__(self, database: Database, owner: str, hours: int = 8, days: int = 90) -> None:
        self._database = database
        self._owner = owner
        self._hours = hours
        self._days = days

    def open_class(self) -> str:
        """Open a class and give its code. Classes that are old enough are deleted on the way."""
        now = self._database.now()
        with self._database.writing() as connection:
            connection.execute(delete(classes).where(classes.c.until < now - self._days * DAY))
            opened = {"owner": self._owner, "opened": now, "until": now + self._hours * HOUR}
            code = codes.new_code()
            while not insert_once(connection, classes, code=code, **opened):
                code = codes.new_code()
        return code

    def classes(self) -> list[Held]:
        """This lecturer's classes, the newest first, those that are over too."""
        joined = select(func.count()).where(devices.c.class_id == classes.c.id).scalar_subquery()
        voted = (
            select(func.count())
            .select_from(votes.join(questions))
            .where(questions.c.class_id == classes.c.id)
            .scalar_subquery()
        )
        wanted = select(classes.c.code, classes.c.opened, classes.c.until, joined, voted)
        with self._database.reading() as connection:
            rows = connection.execute(
                wanted.where(classes.c.owner == self._owner).order_by(classes.c.opened.desc(), classes.c.id.desc())
            )
            return [Held(*row) for row in rows]

    def board(self, code: str, answer: int | None = None) -> tuple[Board, float | None]:
        """What may be projected, and the share of right votes in the round at hand (None: unknown, or too few).

        The share is for `core.classroom.views.torn`; it is not to be shown before the reveal.
        """
        with self._database.reading() as connection:
            held = self._mine(connection, code)
            seen = board(connection, held)
            question = seen.question
            if question is None or answer is None:
                return seen, None
            now = tally(connection, question.id).get(question.round, {})
            return seen, share_right(question.ask, now, answer)

    def ask(self, code: str, ask: Ask) -> None:
        """Put a question to the class. One that was asked before comes back with its votes."""
        with self._changing(code) as (connection, held):
            asked = {"low": ask.low, "high": ask.high, "near": ask.near, "state": "open", "round": 1}
            insert_once(connection, questions, class_id=held.id, chapter=ask.chapter, **asked)
            here = select(questions.c.id).where(questions.c.class_id == held.id, questions.c.chapter == ask.chapter)
            connection.execute(update(classes).where(classes.c.id == held.id).values(current=connection.scalar(here)))

    def talk(self, code: str, question: int) -> None:
        """End the first vote without telling how it went: the class talks, and votes again."""
        self._move(code, question, {"state": "talk"}, questions.c.state == "open", questions.c.round == 1)

    def again(self, code: str, question: int) -> None:
        """Open the second vote."""
        self._move(code, question, {"state": "open", "round": 2}, questions.c.state == "talk")

    def reveal(self, code: str, question: int, answer: int) -> None:
        """End the vote, and tell the class how it went and what is right."""
        self._move(code, question, {"state": "revealed", "answer": answer}, questions.c.state != "revealed")

    def reset(self, code: str, question: int) -> None:
        """Take a question back, with all its votes."""
        with self._changing(code) as (connection, held):
            mine = questions.c.id == question, questions.c.class_id == held.id
            connection.execute(
                update(classes).where(classes.c.id == held.id, classes.c.current == question).values(current=None)
            )
            connection.execute(delete(questions).where(*mine))

    def put_away(self, code: str) -> None:
        """Take the question off the phones; its votes stay."""
        with self._changing(code) as (connection, held):
            connection.execute(update(classes).where(classes.c.id == held.id).values(current=None))

    def end(self, code: str) -> None:
        """End the class: its code stops working, its votes stay."""
        with self._changing(code) as (connection, held):
            connection.execute(update(classes).where(classes.c.id == held.id).values(until=self._database.now()))

    def delete(self, code: str) -> None:
        """Delete a class, running or over, with all its votes."""
        with self._database.writing() as connection:
            connection.execute(delete(classes).where(classes.c.id == self._any(connection, code).id))

    def rows(self, code: str) -> list[Row]:
        """Every vote of a class, running or over, in the order of questions, rounds and phones."""
        number = func.dense_rank().over(order_by=devices.c.id)
        phones = select(devices.c.id, number.label("number"))
        with self._database.reading() as connection:
            held = self._any(connection, code)
            numbered = phones.where(devices.c.class_id == held.id).subquery()
            found = connection.execute(
                select(questions, votes.c.round.label("vote"), votes.c.said, votes.c.at, numbered.c.number)
                .join(votes, votes.c.question_id == questions.c.id)
                .join(numbered, numbered.c.id == votes.c.device_id)
                .where(questions.c.class_id == held.id)
                .order_by(questions.c.chapter, votes.c.round, numbered.c.number)
            )
            return [_row(record) for record in found]

    def _move(self, code: str, question: int, to: dict[str, object], *when: Any) -> None:
        with self._changing(code) as (connection, held):
            connection.execute(
                update(questions).where(questions.c.id == question, questions.c.class_id == held.id, *when).values(**to)
            )

    @contextmanager
    def _changing(self, code: str) -> Iterator[tuple[Connection, Record[Any]]]:
        """A transaction on one of this lecturer's running classes."""
        with self._database.writing() as connection:
            yield connection, self._mine(connection, code)

    def _mine(self, connection: Connection, code: str) -> Record[Any]:
        held = find(connection, code, self._database.now())
        if held is None:
            raise ClassroomError("This class is over.")
        if held.owner != self._owner:
            raise NotYours(NOT_YOURS)
        return held

    def _any(self, connection: Connection, code: str) -> Record[Any]:
        held = connection.execute(
            select(classes).where(classes.c.code == code, classes.c.owner == self._owner)
        ).one_or_none()
        if held is None:
            raise NotYours(NOT_YOURS)
        return held


def _row(record: Record[Any]) -> Row:
    ask = Ask(record.chapter, record.low, record.high, record.near)
    right = None if record.answer is None else is_right(ask, record.said, record.answer)
    return Row(record.chapter, record.vote, record.number, record.said, right, record.at)


def running(held: Sequence[Held], now: float) -> list[Held]:
    """Those of a lecturer's classes whose code works."""
    return [one for one in held if one.until > now]
