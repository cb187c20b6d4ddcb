"""The token strip in a real browser, on hand-made data."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.on_the_harness import choose, report


@pytest.fixture
def strip(page: Page, harness: str) -> Locator:
    page.goto(f"{harness}/?view=strips")
    tokens = page.locator(".strip button.token")
    expect(tokens).to_have_count(13)
    return tokens


def test_click_reports_the_token_once(page: Page, strip: Locator) -> None:
    strip.nth(4).click()
    expect(report(page)).to_have_text("selected 4, runs 2, noise 3")
    expect(strip.nth(4)).to_have_attribute("aria-pressed", "true")
    strip.nth(4).click()
    strip.nth(5).click()
    expect(report(page)).to_have_text("selected 5, runs 3, noise 3")
    assert [strip.nth(i).get_attribute("aria-pressed") for i in (4, 5)] == ["false", "true"]


def test_arrow_keys_walk_the_strip_and_enter_and_space_select(page: Page, strip: Locator) -> None:
    page.get_by_role("slider").focus()
    page.keyboard.press("Tab")
    expect(strip.nth(0)).to_be_focused()
    for key, index in (
        ("ArrowRight", 1),
        ("ArrowRight", 2),
        ("ArrowLeft", 1),
        ("End", 12),
        ("ArrowUp", 5),
        ("Home", 0),
    ):
        page.keyboard.press(key)
        if key != "ArrowUp":
            expect(strip.nth(index)).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(strip.nth(9)).to_be_focused()
    page.keyboard.press("Enter")
    expect(report(page)).to_contain_text("selected 9,")
    expect(strip.nth(9)).to_be_focused()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    expect(report(page)).to_contain_text("selected 10,")
    assert strip.evaluate_all("all => all.filter(b => b.tabIndex === 0).length") == 1


def test_tokens_say_text_state_and_figures(strip: Locator) -> None:
    expect(strip.nth(2)).to_have_attribute(
        "aria-label", "token 3, 'a', guess kept, target p 0.82, draft q 0.61, verdict kept"
    )
    expect(strip.nth(11)).to_have_attribute("aria-label", "token 12, 'lots', unlikely, big model 0.03")


def test_tip_shows_on_hover_and_on_keyboard_focus(page: Page, strip: Locator) -> None:
    tip = page.locator(".tip")
    expect(tip).to_be_hidden()
    strip.nth(2).hover()
    expect(tip).to_contain_text("target p0.82")
    page.mouse.move(5, 700)
    expect(tip).to_be_hidden()
    page.get_by_role("slider").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    expect(tip).to_contain_text("upon")


def test_legend_names_the_states_that_occur_and_no_other(page: Page, strip: Locator) -> None:
    legend = page.locator(".strip .legend")
    expect(legend).to_contain_text("correction")
    expect(legend).not_to_contain_text("not checked yet")
    choose(page, "Text", "choices")
    expect(legend.locator(".legend-item")).to_have_count(2)


def test_unrelated_slider_leaves_the_strip_alone_and_a_new_text_clears_it(page: Page, strip: Locator) -> None:
    strip.nth(6).click()
    expect(report(page)).to_contain_text("selected 6, runs 2")
    page.get_by_role("slider").focus()
    page.keyboard.press("ArrowRight")
    expect(report(page)).to_have_text("selected 6, runs 3, noise 4")
    expect(strip.nth(6)).to_have_attribute("aria-pressed", "true")
    choose(page, "Text", "choices")
    expect(report(page)).to_have_text("selected None, runs 4, noise 4")
    expect(page.locator(".strip .token[aria-pressed=true]")).to_have_count(0)


def test_markup_is_text(page: Page, strip: Locator) -> None:
    choose(page, "Text", "hostile")
    expect(strip.nth(0)).to_have_text("<b>bold</b>✓")
    expect(page.locator(".strip b, .strip img, .strip script")).to_have_count(0)
    expect(strip.nth(2)).to_contain_text("😀👩‍🚀")
    expect(strip.nth(3)).to_have_text("↵↵")
    strip.nth(0).hover()
    expect(page.locator(".tip")).to_contain_text("<script>alert(1)</script>")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_right_to_left_text_runs_from_the_right(page: Page, strip: Locator) -> None:
    choose(page, "Text", "rtl")
    expect(strip).to_have_count(4)
    boxes = [strip.nth(i).bounding_box() for i in range(4)]
    lefts = [box["x"] for box in boxes if box]
    assert lefts == sorted(lefts, reverse=True)
    strip.nth(0).focus()
    page.keyboard.press("ArrowLeft")
    expect(strip.nth(1)).to_be_focused()
