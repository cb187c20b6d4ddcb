"""The lecturer of a load test: opens a class in the server's own database and asks it one question after the other."""

from __future__ import annotations

import asyncio
from itertools import count
from time import perf_counter

from core.classroom import Desk, open_database
from core.classroom.keys import HOST
from core.settings import read_settings
from tools.load_test_visitor import Lesson, Question
from ui import content
from ui.classroom import ask_of

OPEN, BETWEEN = 45.0, 15.0
"""Seconds for which a question can be voted on, and from its reveal to the next question."""


async def teach(lesson: Lesson, opened: float = OPEN, between: float = BETWEEN) -> None:
    """Ask until the lesson is over. The server must have the same settings as this process.

    Raises:
        ClassroomError: when the database cannot be used.
    """
    database = await asyncio.to_thread(open_database, read_settings().database)
    desk = Desk(database, HOST)
    asked = [(chapter.number, chapter.predict) for chapter in content.chapters() if chapter.predict]
    code = ""
    try:
        for number in count():
            if number % len(asked) == 0:
                # A question that a class has answered comes back with its votes: a new class can be asked anew.
                code = await asyncio.to_thread(desk.open_class)
            chapter, question = asked[number % len(asked)]
            await asyncio.to_thread(desk.ask, code, ask_of(chapter, question))
            lesson.question = Question(number, code, question.kind)
            await _pause(opened, lesson)
            lesson.question = None
            board, _ = await asyncio.to_thread(desk.board, code)
            if board.question:
                await asyncio.to_thread(desk.reveal, code, board.question.id, question.answer or 0)
            await _pause(between, lesson)
            if perf_counter() >= lesson.ends:
                return
    finally:
        lesson.question = None
        database.close()


async def _pause(seconds: float, lesson: Lesson) -> None:
    await asyncio.sleep(max(0.0, min(seconds, lesson.ends - perf_counter())))
