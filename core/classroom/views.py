"""What a class, its lecturer and its file of votes are told: plain data, and what follows from it."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from io import StringIO
from typing import Literal

from core.spreadsheet import LINE_END, harmless

State = Literal["open", "talk", "revealed"]
Tally = Mapping[int, int]
"""How many said what."""

TORN = (0.35, 0.70)
"""Shares of right answers between which a talk with one's neighbours helps most (Crouch and Mazur, "Peer Instruction:
Ten years of experience and results", American Journal of Physics 69, 2001)."""
FEW = 3
"""Below so many votes a share says nothing."""


class ClassroomError(Exception):
    """Something that cannot be done; the message is one sentence for whoever asked for it."""


class ClassroomDown(ClassroomError):
    """The database cannot be reached or written just now."""


class NotYours(ClassroomError):
    """Somebody asked for what only the class's lecturer may do."""


@dataclass(frozen=True)
class Ask:
    """What may be said to a chapter's question: a whole number from `low` to `high`, right up to `near` away.

    To a choice, an option's index is said.
    """

    chapter: int
    low: int
    high: int
    near: int = 0


@dataclass(frozen=True)
class Question:
    """A question put to a class. `answer` is None until it is revealed; `round` is 1, or 2 from the second vote on."""

    id: int
    ask: Ask
    state: State
    round: int
    answer: int | None


@dataclass(frozen=True)
class Seen:
    """What a phone sees. `said` is what was counted for it, by round."""

    code: str
    question: Question | None
    said: Mapping[int, int]


@dataclass(frozen=True)
class Board:
    """What may be projected: how many joined and how many voted in each round; who said what only after the reveal."""

    code: str
    until: float
    joined: int
    question: Question | None
    counts: Mapping[int, int]
    tallies: Mapping[int, Tally]


@dataclass(frozen=True)
class Receipt:
    """What is counted for a phone in this round, and whether this very call brought it."""

    said: int
    new: bool


@dataclass(frozen=True)
class Held:
    """One of a lecturer's classes. Times are seconds since 1970."""

    code: str
    opened: float
    until: float
    joined: int
    votes: int


@dataclass(frozen=True)
class Row:
    """One vote in a class's file. `device` counts the class's phones from 1; `right` is None before the reveal."""

    chapter: int
    round: int
    device: int
    said: int
    right: bool | None
    at: float


def is_right(ask: Ask, said: int, answer: int) -> bool:
    """Whether a vote counts as right: the answer, or a number close enough to it."""
    return abs(said - answer) <= ask.near


def share_right(ask: Ask, tally: Tally, answer: int) -> float | None:
    """The share of right votes; None while there are too few to say."""
    votes = sum(tally.values())
    if votes < FEW:
        return None
    return sum(n for said, n in tally.items() if is_right(ask, said, answer)) / votes


def torn(share: float | None) -> bool:
    """Whether a class is divided enough to let it talk and vote again."""
    return share is not None and TORN[0] <= share <= TORN[1]


def as_csv(rows: Iterable[Row], question: Callable[[int], str], wording: Callable[[int, int], str]) -> str:
    """A class's votes as a table.

    Args:
        question: a chapter's question in words.
        wording: what was said, in words, from the chapter and the number said.
    """
    out = StringIO()
    table = csv.writer(out, lineterminator=LINE_END)
    table.writerow(["chapter", "question", "vote", "phone", "said", "said in words", "right", "time (UTC)"])
    for row in rows:
        right = "" if row.right is None else "yes" if row.right else "no"
        time = datetime.fromtimestamp(row.at, UTC).isoformat(sep=" ", timespec="seconds")
        asked, words = harmless(question(row.chapter)), harmless(wording(row.chapter, row.said))
        table.writerow([row.chapter, asked, row.round, row.device, row.said, words, right, time[:19]])
    return out.getvalue()
