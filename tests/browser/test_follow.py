"""The speaker's notes in a second browser: they follow the tour and turn it, and the projector shows none of them."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.app_server import app_server
from ui import content, tour

STEPS = tour.steps()
PATIENCE = 40_000
IN_TIME = 3_000
"""Milliseconds after which the notes may lag behind the tour no longer."""


@pytest.fixture(scope="module")
def app() -> Iterator[str]:
    with app_server() as url:
        yield url


@pytest.fixture
def two(browser: Browser) -> Iterator[tuple[Page, Page]]:
    """The projected window, and a phone: two visitors who share nothing but the server."""
    laptop = browser.new_context(viewport={"width": 1280, "height": 720})
    phone = browser.new_context(viewport={"width": 390, "height": 844})
    yield laptop.new_page(), phone.new_page()
    laptop.close()
    phone.close()


def notes_of(number: int) -> tuple[str, str]:
    """How a step's note begins, and what it asks, as a browser shows them."""
    note = content.notes()[STEPS[number - 1].id]
    return " ".join(note.say.split())[:60], note.ask[:60]


def on_step(projected: Page, number: int) -> None:
    expect(projected.locator(".tour .place")).to_have_text(f"{number} / {tour.length()}", timeout=PATIENCE)
    expect(projected).to_have_url(re.compile(rf"tour={number}(&|$)"), timeout=PATIENCE)


@pytest.mark.timeout(300)
def test_the_notes_follow_the_tour_and_turn_it_and_stay_off_the_projector(app: str, two: tuple[Page, Page]) -> None:
    projected, phone = two
    projected.goto(f"{app}/lecture")
    projected.get_by_role("button", name="Make a link to the notes").click(timeout=PATIENCE)
    link = projected.get_by_role("link", name="Open the notes in a new window").get_attribute("href", timeout=PATIENCE)
    assert link
    phone.goto(link)
    expect(phone.get_by_text("The tour has not begun.")).to_be_visible(timeout=PATIENCE)

    projected.get_by_role("button", name="Start the tour").click()
    on_step(projected, 1)
    for number in (2, 3):
        projected.keyboard.press("ArrowRight")
        on_step(projected, number)
        for words in notes_of(number):
            expect(phone.get_by_text(words)).to_be_visible(timeout=IN_TIME if number > 2 else PATIENCE)
            expect(projected.get_by_text(words)).to_have_count(0)
    assert phone.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= 390

    phone.get_by_role("button", name="Next").click()
    on_step(projected, 4)
    expect(phone.get_by_text(notes_of(4)[0])).to_be_visible(timeout=PATIENCE)
    # Not even where nobody sees it.
    written = projected.content()
    assert not any(note.point in written for note in content.notes().values())
