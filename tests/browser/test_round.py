"""The round in hand, in a browser: stepping through the code, opening a token, and taking the round along."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.app_server import app_server
from tests.browser.test_pages import PATIENCE, opened


@pytest.fixture(scope="module")
def app() -> Iterator[str]:
    with app_server() as url:
        yield url


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    faults: list[str] = []
    page.on("pageerror", lambda e: faults.append(str(e)))
    yield page
    page.close()
    assert faults == []


def test_the_code_is_stepped_through_by_keys_and_buttons(app: str, page: Page) -> None:
    opened(page, f"{app}/code?line=0")
    lit = page.locator(".code-steps .row.lit")
    expect(lit).to_contain_text("def rejection_round(", timeout=PATIENCE)
    page.locator("h1").click()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    expect(lit).to_contain_text("if not u[i] * q[i][x] < p[i][x]:")
    expect(lit.locator(".now")).to_contain_text("u[i] = 0.200")
    expect(lit).to_have_attribute("aria-current", "step")
    expect(page).to_have_url(re.compile("/code$"), timeout=PATIENCE)  # step 5 is the one shown without a link
    page.get_by_role("button", name="Last step").click()
    expect(lit).to_contain_text("return guesses[:i], correction, u")
    expect(page).to_have_url(re.compile("line=9"), timeout=PATIENCE)
    # The arrows of a slider stay its own.
    gamma = page.get_by_role("slider", name="Draft length γ")
    gamma.focus()
    gamma.press("ArrowLeft")
    expect(page).to_have_url(re.compile("gamma=3"), timeout=PATIENCE)
    page.go_back()
    expect(lit).to_contain_text("return guesses[:i], correction, u", timeout=PATIENCE)


def test_fast_presses_are_all_kept_and_a_click_opens_a_guess(app: str, page: Page) -> None:
    opened(page, f"{app}/round?step=0")
    count = page.locator(".step-count")
    expect(count).to_have_text("Step 1 of 5", timeout=PATIENCE)
    page.locator("h1").click()
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    expect(count).to_have_text("Step 5 of 5")
    expect(page.get_by_text("The text gains 2 tokens")).to_be_visible(timeout=PATIENCE)
    page.get_by_role("button", name=re.compile("'maybe'")).click()
    expect(count).to_have_text("Step 3 of 5")
    expect(page.locator(".pin-label")).to_have_text("u = 0.800")
    expect(page).to_have_url(re.compile("step=2"), timeout=PATIENCE)


def test_a_place_is_opened_and_the_round_comes_along(app: str, page: Page) -> None:
    opened(page, f"{app}/one_pass")
    page.locator(".st-key-pass-round-next button").click(timeout=PATIENCE)
    expect(page).to_have_url(re.compile("round=2"), timeout=PATIENCE)
    page.get_by_role("button", name=re.compile("^Place 2:")).click()
    expect(page).to_have_url(re.compile("place=2"), timeout=PATIENCE)
    expect(page.get_by_text("Place 2: an answer about guess 2")).to_be_visible(timeout=PATIENCE)
    for name, title in (("A whole round", "A whole round"), ("The round in code", "The round in code")):
        page.get_by_test_id("stSidebar").get_by_role("link", name=name).click()
        expect(page.locator("h1")).to_have_text(title, timeout=PATIENCE)
        expect(page).to_have_url(re.compile("round=2"), timeout=PATIENCE)
    page.reload()
    expect(page.locator(".code-steps .row.lit")).to_be_visible(timeout=PATIENCE)
    expect(page).to_have_url(re.compile("/code.*round=2"))
