"""Classes, their questions and their votes: what anybody with the code may do, and what their lecturer may.

Everything is in the database and nothing in this process, so a restart in mid-vote changes nothing. Every write may be
sent again: a vote that is there already is not counted anew, and a step that has been made is not made twice.
"""

from __future__ import annotations

import logging
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, Row, Table, func, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import SQLAlchemyError

from core.classroom import codes
from core.classroom.schema import READS, classes, devices, questions, votes
from core.classroom.views import Ask, Board, ClassroomDown, ClassroomError, Question, Receipt, Seen, Tally

log = logging.getLogger(__name__)

DOWN = "The votes cannot be reached just now. What has been counted is safe: try again in a moment."
NO_CLASS = "No class has this code. It was mistyped, or the class is over."
OVER = "This vote is over."
QUIET = 10.0
"""Seconds in which a fault of the database is written to the log once."""


class Database:
    """A database's connections. What goes wrong there is told as `ClassroomDown`."""

    def __init__(self, engine: Engine, clock: Callable[[], float] = time.time) -> None:
        self.engine = engine
        self.now = clock
        self._quiet_until = 0.0

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection that changes nothing."""
        with self._told(), self.engine.connect() as connection:
            yield connection.execution_options(**READS)

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction: all of it is kept at the end of the block, or nothing."""
        with self._told(), self.engine.begin() as connection:
            yield connection

    def close(self) -> None:
        """End all connections."""
        self.engine.dispose()

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except SQLAlchemyError as error:
            # A hundred pages find the same fault every few seconds: one line of the log in ten of them will do.
            if time.monotonic() >= self._quiet_until:
                self._quiet_until = time.monotonic() + QUIET
                log.error("The classroom's database failed: %s", error)
            raise ClassroomDown(DOWN) from error


class Classroom:
    """What whoever has a class's code may see and do.

    Args:
        size: phones that can join one class.
    """

    def __init__(self, database: Database, size: int = 500) -> None:
        self.database = database
        self._size = size

    def look(self, code: str, device: str | None = None) -> Seen | None:
        """What a phone sees; None for a code that no class has now. `device` is the browser's own random number."""
        with self.database.reading() as connection:
            held = find(connection, code, self.database.now())
            if held is None:
                return None
            question = current(connection, held)
            return Seen(code, question, _said(connection, held, question, device))

    def board(self, code: str) -> Board | None:
        """What may be projected; None for a code that no class has now."""
        with self.database.reading() as connection:
            held = find(connection, code, self.database.now())
            return None if held is None else board(connection, held)

    def join(self, code: str, device: str) -> None:
        """Count a phone in. To come again changes nothing.

        Raises:
            ClassroomError: for a code that no class has, or a class that is full.
        """
        with self.database.writing() as connection:
            self._join(connection, self._class(connection, code), device)

    def vote(self, code: str, device: str, question: int, round_: int, said: int) -> Receipt:
        """Count a vote, if this phone has none in this round.

        Args:
            question: the question's id, and `round_` its round: what was on the phone's screen.
            said: a number, or an option's index.

        Raises:
            ClassroomError: once the vote is over, or for what cannot be said to this question.
        """
        with self.database.writing() as connection:
            held = self._class(connection, code)
            device_id = self._join(connection, held, device)
            counted = _vote_of(connection, question, round_, device_id)
            if counted is not None:
                return Receipt(counted, new=False)
            # Held until the vote is written: a reveal waits for votes under way, and none comes in after it.
            asked = connection.execute(
                select(questions)
                .where(questions.c.id == question, questions.c.class_id == held.id)
                .with_for_update(read=True)
            ).one_or_none()
            if asked is None or held.current != asked.id or asked.state != "open" or asked.round != round_:
                raise ClassroomError(OVER)
            if not asked.low <= said <= asked.high:
                raise ClassroomError("That cannot be said to this question.")
            new = insert_once(
                connection,
                votes,
                question_id=question,
                round=round_,
                device_id=device_id,
                said=said,
                at=self.database.now(),
            )
            counted = _vote_of(connection, question, round_, device_id)
            return Receipt(said if counted is None else counted, new)

    def _class(self, connection: Connection, code: str) -> Row[Any]:
        held = find(connection, code, self.database.now())
        if held is None:
            raise ClassroomError(NO_CLASS)
        return held

    def _join(self, connection: Connection, held: Row[Any], token: str) -> int:
        if not codes.is_device(token):
            raise ClassroomError("This browser cannot be told from others: reload the page.")
        digest = codes.device_digest(held.id, token)
        known = select(devices.c.id).where(devices.c.class_id == held.id, devices.c.device == digest)
        found = connection.scalar(known)
        if found is not None:
            return int(found)
        joined = connection.scalar(select(func.count()).where(devices.c.class_id == held.id)) or 0
        if joined >= self._size:
            raise ClassroomError("This class is full: no more phones can join.")
        insert_once(connection, devices, class_id=held.id, device=digest, joined=self.database.now())
        return int(connection.execute(known).scalar_one())


def find(connection: Connection, code: str, now: float) -> Row[Any] | None:
    """The class that has this code now."""
    return connection.execute(
        select(classes).where(classes.c.code == code, classes.c.until > now)
    ).one_or_none()  # fmt: skip


def current(connection: Connection, held: Row[Any]) -> Question | None:
    """The question that a class is at. Its answer is told only once it is revealed."""
    if held.current is None:
        return None
    row = connection.execute(select(questions).where(questions.c.id == held.current)).one_or_none()
    if row is None:
        return None
    ask = Ask(row.chapter, row.low, row.high, row.near)
    return Question(row.id, ask, row.state, row.round, row.answer if row.state == "revealed" else None)


def board(connection: Connection, held: Row[Any]) -> Board:
    """What may be projected of a class."""
    joined = connection.scalar(select(func.count()).where(devices.c.class_id == held.id)) or 0
    question = current(connection, held)
    tallies = {} if question is None else tally(connection, question.id)
    counts = {round_: sum(said.values()) for round_, said in tallies.items()}
    shown = tallies if question is not None and question.state == "revealed" else {}
    return Board(held.code, held.until, joined, question, counts, shown)


def tally(connection: Connection, question: int) -> dict[int, Tally]:
    """Who said what, by round."""
    counted = connection.execute(
        select(votes.c.round, votes.c.said, func.count())
        .where(votes.c.question_id == question)
        .group_by(votes.c.round, votes.c.said)
    )
    rounds: defaultdict[int, dict[int, int]] = defaultdict(dict)
    for round_, said, number in counted:
        rounds[round_][said] = number
    return dict(rounds)


def insert_once(connection: Connection, table: Table, **values: object) -> bool:
    """Insert a row unless one like it is there. True if it was inserted."""
    insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    key = table.primary_key.columns[0]
    made = connection.execute(insert(table).values(**values).on_conflict_do_nothing().returning(key))
    return made.first() is not None


def _vote_of(connection: Connection, question: int, round_: int, device: int) -> int | None:
    said: int | None = connection.scalar(
        select(votes.c.said).where(
            votes.c.question_id == question, votes.c.round == round_, votes.c.device_id == device
        )
    )
    return said


def _said(connection: Connection, held: Row[Any], question: Question | None, token: str | None) -> dict[int, int]:
    if question is None or not codes.is_device(token):
        return {}
    own = connection.execute(
        select(votes.c.round, votes.c.said)
        .join(devices, devices.c.id == votes.c.device_id)
        .where(votes.c.question_id == question.id, devices.c.device == codes.device_digest(held.id, str(token)))
    )
    return dict(own.all())
