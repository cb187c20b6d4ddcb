"""How much the database of classes holds, for whoever runs the server. No class and no vote is told apart."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import func, select

from core.classroom.schema import classes, votes
from core.classroom.store import Database


@dataclass(frozen=True)
class Figures:
    """What kind of database it is, its classes (those whose code works now too), and all votes."""

    kind: str
    classes: int
    running: int
    votes: int


def figures(database: Database) -> Figures:
    """Count what is there.

    Raises:
        ClassroomDown: when the database cannot be reached.
    """
    number = func.count()
    with database.reading() as connection:
        return Figures(
            kind="PostgreSQL" if database.engine.dialect.name == "postgresql" else "SQLite",
            classes=connection.scalar(select(number).select_from(classes)) or 0,
            running=connection.scalar(select(number).where(classes.c.until > database.now())) or 0,
            votes=connection.scalar(select(number).select_from(votes)) or 0,
        )
