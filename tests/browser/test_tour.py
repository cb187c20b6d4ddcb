"""The whole tour by keyboard in a real browser, over a pair without models."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, TimeoutError, expect

from tests.browser.app_server import app_server
from ui import tour

STEPS = tour.steps()
BAR = 40
"""Pixels at the foot of the window that belong to the bar."""

# Whether this view alone is seen, and lies in the window above the bar without being scrolled.
FITS = f"""([name, encore]) => {{
  const views = [...document.querySelectorAll("[class*=st-key-view-]")];
  const seen = views.filter((it) => getComputedStyle(it).opacity === "1");
  const view = document.querySelector(`.st-key-view-${{name}}`);
  if (seen.length !== 1 || seen[0] !== view || !view.innerText.trim()) return false;
  const {{ top, bottom, left, right }} = view.getBoundingClientRect();
  const inside = top >= 0 && left >= 0 && right <= innerWidth + 1 && bottom <= innerHeight - {BAR} + 2;
  return inside && (encore || getComputedStyle(view).overflowY !== "auto");
}}"""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with app_server() as url:
        yield url


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 720})
    page = context.new_page()
    faults: list[str] = []
    # A page below the root asks there for the server's health first, and is told where it really is.
    page.on("console", lambda m: faults.append(m.text) if m.type == "error" and "404" not in m.text else None)
    page.on("pageerror", lambda e: faults.append(str(e)))
    yield page
    context.close()
    assert faults == []


def arrived(page: Page, number: int) -> None:
    """The step is on screen, alone, and fits."""
    here = STEPS[number - 1]
    expect(page.locator(".tour .place")).to_have_text(here.label)
    expect(page.locator(".tour:not(.waiting)")).to_have_count(1)
    expect(page).to_have_url(re.compile(rf"[?&]tour={number}(&|$)"))
    settled(page)
    try:
        page.wait_for_function(FITS, arg=[here.id, here.encore is not None], timeout=15_000)
    except TimeoutError:
        pytest.fail(f"{here.id} is not alone on the screen, or does not fit it")
    expect(page.locator("[data-testid=stException]")).to_have_count(0)


def settled(page: Page) -> None:
    """Nothing is at work any more, and every size has been found."""
    expect(page.locator("[data-testid=stStatusWidget]")).to_have_count(0, timeout=60_000)
    expect(page.locator("[data-testid=stProgress]")).to_have_count(0, timeout=60_000)
    page.wait_for_timeout(100)


def press(page: Page, key: str, number: int) -> None:
    page.keyboard.press(key)
    arrived(page, number)


def test_the_whole_tour_by_keyboard_and_what_a_visitor_does_on_the_way(page: Page, address: str) -> None:
    # A step's number opens the tour wherever it stands.
    page.goto(f"{address}/?tour=1")
    page.locator(".tour .place", has_text="1 /").wait_for(timeout=90_000)
    arrived(page, 1)
    keys = ("ArrowRight", " ", "PageDown")
    for number in range(2, tour.length() + 1):
        press(page, keys[number % 3], number)

    press(page, "PageUp", 35)
    press(page, "ArrowLeft", 34)
    press(page, "ArrowLeft", 33)  # across a chapter's border
    press(page, "Home", 1)
    press(page, "End", 36)

    # Presses faster than the server are all kept, over the borders of chapters too.
    for _ in range(12):
        page.keyboard.press("ArrowLeft")
    arrived(page, 24)

    # A reload comes back to the step, and the browser's Back to the one before.
    page.reload()
    page.locator(".tour .place", has_text="24 /").wait_for(timeout=90_000)
    arrived(page, 24)
    press(page, "PageUp", 23)
    page.go_back()
    arrived(page, 24)


def test_keys_are_left_to_text_and_sliders_and_esc_leaves_to_the_chapter(page: Page, address: str) -> None:
    page.goto(f"{address}/tour?tour=5")
    page.locator(".tour .place", has_text="5 /").wait_for(timeout=90_000)
    arrived(page, 5)
    box = page.locator(".st-key-view-2-predict input[type=number]")
    box.click()
    for key in ("4", "ArrowLeft", "f", "Home", "PageDown"):
        page.keyboard.press(key)
    arrived(page, 5)
    expect(box).not_to_have_value("")
    page.keyboard.press("Escape")
    arrived(page, 5)

    page.goto(f"{address}/tour?tour=13")
    page.locator(".tour .place", has_text="13 /").wait_for(timeout=90_000)
    arrived(page, 13)
    slider = page.get_by_role("slider", name="Draft length γ")
    slider.focus()
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile("gamma=5"))
    arrived(page, 13)

    # The focus on a token keeps the arrows, but not the keys of a clicker.
    page.locator(".st-key-view-4-stage button.token").first.focus()
    page.keyboard.press("ArrowRight")
    arrived(page, 13)
    press(page, "PageDown", 14)
    page.keyboard.press("f")
    page.wait_for_function("document.fullscreenElement !== null")
    press(page, "PageUp", 13)
    page.wait_for_function("document.fullscreenElement !== null")
    page.keyboard.press("Escape")
    page.wait_for_function("document.fullscreenElement === null")
    arrived(page, 13)
    page.wait_for_timeout(500)
    page.keyboard.press("Escape")
    expect(page).to_have_url(re.compile(r"/guess\b"))
    expect(page.locator("h1")).to_have_text("Guess, check, keep")
    # The visit goes on: γ as it was set on the tour.
    expect(page.get_by_role("slider", name="Draft length γ")).to_have_value("5")
