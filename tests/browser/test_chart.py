"""The chart that changes in place, in a real browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import HARNESS
from tools.local_server import serving

COLOUR = "node => getComputedStyle(node).fill"


@pytest.fixture
def chart(page: Page, harness: str) -> Locator:
    page.goto(f"{harness}/?view=changing")
    chart = page.locator(".lab-chart")
    expect(chart.locator(".bars .point")).to_have_count(2)
    return chart


def report(page: Page) -> Locator:
    return page.get_by_text(re.compile("point .* runs"))


def bar_height(chart: Locator, index: int) -> float:
    box = chart.locator(".bars .point").nth(index).bounding_box()
    assert box
    return box["height"]


def raise_height(page: Page) -> None:
    page.get_by_role("slider", name="Height").focus()
    page.keyboard.press("ArrowRight")


def test_a_new_figure_is_drawn_in_the_same_chart(page: Page, chart: Locator) -> None:
    chart.locator(".main-svg").first.evaluate("node => { node.mark = 'same node' }")
    before = bar_height(chart, 1)
    raise_height(page)
    expect(report(page)).to_contain_text("height 4")
    page.wait_for_function(
        "before => document.querySelectorAll('.bars .point')[1].getBoundingClientRect().height > before * 1.2",
        arg=before,
    )
    assert bar_height(chart, 1) == pytest.approx(before * 4 / 3, rel=0.02)
    assert chart.locator(".main-svg").first.evaluate("node => node.mark") == "same node"
    expect(chart).to_have_attribute("aria-label", "Two bars")
    expect(chart.locator(".modebar-btn")).to_have_count(0)


def test_zoom_survives_a_new_figure(page: Page, chart: Locator) -> None:
    box = chart.locator(".nsewdrag").bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + box["height"] * 0.5)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.9, box["y"] + box["height"] * 0.95, steps=5)
    page.mouse.up()
    ticks = chart.locator(".ytick text")
    expect(ticks.filter(has_text="10")).to_have_count(0)
    zoomed = ticks.all_text_contents()
    raise_height(page)
    expect(report(page)).to_contain_text("height 4")
    page.wait_for_timeout(300)
    assert ticks.all_text_contents() == zoomed


def test_a_click_comes_back_each_time(page: Page, chart: Locator) -> None:
    chart.locator(".bars .point").nth(1).click(force=True)
    expect(report(page)).to_have_text("point (1, 'B'), runs 2, height 3")
    raise_height(page)
    expect(report(page)).to_have_text("point (1, 'B'), runs 3, height 4")
    chart.locator(".bars .point").nth(1).click(force=True)
    expect(report(page)).to_have_text("point (1, 'B'), runs 4, height 4")


def test_text_follows_the_theme_and_width_the_window(page: Page, chart: Locator) -> None:
    tick = chart.locator(".xtick text").first
    assert tick.evaluate(COLOUR) == "rgb(32, 36, 43)"
    page.get_by_test_id("stMainMenu").click()
    page.get_by_test_id("stMainMenuItem-theme-Dark").click()
    page.keyboard.press("Escape")
    expect(tick).to_have_css("fill", "rgb(236, 232, 223)")
    assert "Source Sans" in tick.evaluate("node => getComputedStyle(node).fontFamily")
    page.set_viewport_size({"width": 600, "height": 720})
    page.wait_for_function(
        "() => { const c = document.querySelector('.lab-chart'); "
        "return c.clientWidth < 600 && c.querySelector('.main-svg').clientWidth === c.clientWidth }"
    )


def test_a_chart_is_drawn_under_a_path_too(page: Page) -> None:
    with serving(HARNESS, under="deep/lab") as url:
        page.goto(f"{url}/?view=changing")
        expect(page.locator(".lab-chart .bars .point")).to_have_count(2, timeout=90_000)
        page.goto("about:blank")
