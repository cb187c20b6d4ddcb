"""A class in a real browser: lecturer, projector and two students; the server is started anew on the way."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from core.classroom import Classroom, Desk, Keys, open_database
from core.classroom.keys import HOST
from tests.browser.app_server import ROOT
from tools.local_server import OPTIONS, await_health, free_port
from ui import content

PATIENCE = 60_000
QUESTION = next(c.predict for c in content.chapters() if c.predict)


class Server:
    """The lab on one port over one file of votes, which can be stopped and started again."""

    def __init__(self, folder: Path) -> None:
        self.database = f"sqlite:///{folder}/classroom.db"
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        options = [f"--{name}={value}" for name, value in {**OPTIONS, "server.port": self.port}.items()]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "SPECLAB_DATABASE": self.database}
        command = [sys.executable, "tests/browser/app_server.py", *options]
        self.process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)
        await_health(self.url, self.process)

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(timeout=20)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    running = Server(tmp_path)
    running.start()
    yield running
    running.stop()


@pytest.fixture
def contexts(browser: Browser) -> Iterator[dict[str, BrowserContext]]:
    sizes = {"lecturer": (1280, 720), "ann": (390, 844), "bob": (390, 844), "projector": (1920, 1080)}
    opened = {
        name: browser.new_context(viewport={"width": width, "height": height})
        for name, (width, height) in sizes.items()
    }
    yield opened
    for context in opened.values():
        context.close()


def choose(page: Page, option: int) -> None:
    """Choose an option on a phone and vote, as soon as the page takes a choice."""
    answer = page.get_by_test_id("stRadio").get_by_role("radio").nth(option)
    expect(answer).to_be_enabled(timeout=PATIENCE)
    page.locator("[data-testid=stRadio] label").filter(has_text=f"{'ABCD'[option]} · ").click()
    expect(answer).to_be_checked()
    page.get_by_role("button", name="Vote").click()


def voted_in_the_end(page: Page, option: int) -> None:
    """Vote as people do after a break: a click in the instant of reconnecting finds no page on the server yet and is
    lost, so whoever sees no answer presses again."""
    done = page.get_by_text("Your vote is in")
    for _ in range(3):
        choose(page, option)
        with suppress(AssertionError):
            expect(done).to_be_visible(timeout=PATIENCE / 6)
            return
    expect(done).to_be_visible()


# Two starts of the server and five pages: slow on a machine that others use too.
@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_class_joins_votes_talks_and_votes_again(server: Server, contexts: dict[str, BrowserContext]) -> None:
    database = open_database(server.database)
    room, desk = Classroom(database), Desk(database, HOST)
    pages = {name: context.new_page() for name, context in contexts.items()}
    lecturer, ann, bob, projector = (pages[name] for name in ("lecturer", "ann", "bob", "projector"))

    lecturer.goto(f"{server.url}/classroom?key={Keys(database).make_link()}")
    lecturer.get_by_role("button", name="Open a class").click(timeout=PATIENCE)
    expect(lecturer.get_by_role("link", name="Show it on the projector")).to_be_visible(timeout=PATIENCE)
    assert "key=" not in lecturer.url
    code = desk.classes()[0].code

    # By the picture's address, and by typing the code.
    ann.goto(f"{server.url}/join?code={code}")
    expect(ann.get_by_text("You are in")).to_be_visible(timeout=PATIENCE)
    bob.goto(f"{server.url}/join")
    bob.get_by_label("Code").fill(f"{code[:3]} {code[3:]}".upper())
    bob.get_by_role("button", name="Join").click()
    expect(bob.get_by_text("You are in")).to_be_visible(timeout=PATIENCE)
    projector.goto(f"{server.url}/classroom?show={code}")
    expect(projector.get_by_text("2 phones joined")).to_be_visible(timeout=PATIENCE)

    # The question goes out from the tour.
    lecturer.get_by_role("link", name="Give the tour with votes").click()
    expect(lecturer.locator(".tour .place")).to_have_text(re.compile("1 /"), timeout=PATIENCE)
    lecturer.keyboard.press("ArrowRight")
    lecturer.get_by_role("button", name="Ask the class").click(timeout=PATIENCE)
    for page in (ann, bob):
        expect(page.get_by_role("heading", name=QUESTION.question)).to_be_visible(timeout=PATIENCE)
    choose(ann, 1)
    expect(ann.get_by_text("Your vote is in")).to_be_visible()
    expect(lecturer.get_by_text("1 of 2 phones voted")).to_be_visible()
    expect(projector.get_by_text("1 of 2 phones voted")).to_be_visible()

    # The server goes down in mid-vote and comes back: everybody is where they were.
    server.stop()
    server.start()
    voted_in_the_end(bob, 0)
    expect(lecturer.get_by_text("2 of 2 phones voted")).to_be_visible(timeout=PATIENCE)

    # A phone that comes again cannot vote again, and sees no result.
    ann.reload()
    expect(ann.get_by_text("Your vote is in")).to_be_visible(timeout=PATIENCE)
    expect(ann.locator("[data-testid=stRadio]")).to_have_count(0)
    for page in (ann, bob, projector):
        assert "50 %" not in page.inner_text("body") and "right" not in page.inner_text("body").lower()

    lecturer.get_by_role("button", name="Let them talk").click()
    expect(ann.get_by_text("Talk to your neighbours")).to_be_visible()
    lecturer.get_by_role("button", name="Open the second vote").click()
    for page in (ann, bob):
        expect(page.get_by_text("say what you think now")).to_be_visible()
        choose(page, 1)
        expect(page.get_by_text("Your vote is in")).to_be_visible()
    lecturer.get_by_role("button", name="Reveal").click()
    for page in (ann, bob):
        expect(page.get_by_text("B 100 %")).to_be_visible()
    for page in (lecturer, projector):
        expect(page.get_by_role("img", name=re.compile("Vote 1: A .*: 1, B .*: 1. Vote 2: B .*: 2."))).to_be_visible()

    board = room.board(code)
    assert board and board.joined == 2 and board.tallies == {1: {0: 1, 1: 1}, 2: {1: 2}}
    database.close()
