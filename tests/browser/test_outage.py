"""The votes' database is away for some seconds in a class, in a real browser: every page comes back by itself."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from core.classroom import Classroom, Desk, Keys, open_database
from core.classroom.keys import HOST
from core.classroom.store import DOWN
from tests.browser.test_class import PATIENCE, Server, choose
from tests.classroom.conftest import Postgres, own_postgres
from ui import classroom, content

AWAY = 8.0
"""Seconds: longer than the slowest page waits between two looks."""


@pytest.fixture
def postgres() -> Iterator[Postgres]:
    with own_postgres() as running:
        yield running


@pytest.fixture
def server(postgres: Postgres, tmp_path: Path) -> Iterator[Server]:
    running = Server(tmp_path)
    running.database = postgres.address
    running.start()
    yield running
    running.stop()


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_pages_come_back_by_themselves(server: Server, postgres: Postgres, browser: Browser) -> None:
    database = open_database(server.database)
    room, desk = Classroom(database), Desk(database, HOST)
    code = desk.open_class()
    chapter = next(c for c in content.chapters() if c.predict)
    assert chapter.predict
    desk.ask(code, classroom.ask_of(chapter.number, chapter.predict))
    lecturer, projector, phone = (browser.new_context().new_page() for _ in range(3))
    lecturer.goto(f"{server.url}/classroom?key={Keys(database).make_link()}")
    expect(lecturer.get_by_role("button", name="Reveal")).to_be_visible(timeout=PATIENCE)
    projector.goto(f"{server.url}/classroom?show={code}")
    phone.goto(f"{server.url}/join?code={code}")
    expect(phone.get_by_role("button", name="Vote")).to_be_visible(timeout=PATIENCE)

    postgres.stop()
    # The whole page is drawn anew in the outage, so nothing is left on it that would look at the votes.
    lecturer.get_by_role("combobox").first.click()
    lecturer.keyboard.press("ArrowDown")
    lecturer.keyboard.press("Enter")
    time.sleep(AWAY)
    for page in (lecturer, projector, phone):
        expect(page.get_by_text(DOWN)).to_be_visible()
    expect(lecturer.get_by_role("combobox")).to_have_count(0)

    postgres.start()
    expect(phone.get_by_role("button", name="Vote")).to_be_visible(timeout=PATIENCE)
    choose(phone, 1)
    expect(phone.get_by_text("Your vote is in")).to_be_visible(timeout=PATIENCE)
    expect(projector.get_by_text("1 of 1 phone voted")).to_be_visible(timeout=PATIENCE)
    expect(lecturer.get_by_role("combobox").first).to_be_visible(timeout=PATIENCE)
    board = room.board(code)
    assert board and (board.joined, board.counts) == (1, {1: 1})
    database.close()
    for page in (lecturer, projector, phone):
        page.context.close()
