"""Chapter 10 in a browser: runs that outlive a reload, and sliders set from a measurement."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.app_server import app_server

PATIENCE = 40_000
RUNS = "JSON.parse(sessionStorage.getItem('speculative-lab.runs') ?? '{}')"


@pytest.fixture(scope="module")
def app() -> Iterator[str]:
    with app_server() as url:
        yield url


def test_runs_come_back_after_a_reload_and_lie_on_the_axes(app: str, page: Page) -> None:
    page.goto(f"{app}/guess?gamma=2&prompt=rainbow")
    page.wait_for_function(f"Object.values({RUNS}).length == 2", timeout=PATIENCE)
    page.goto(f"{app}/pays?gamma=4&prompt=loop")
    page.wait_for_function(f"Object.values({RUNS}).length == 4", timeout=PATIENCE)
    expect(page.get_by_role("img", name="other runs")).to_be_visible(timeout=PATIENCE)


def test_the_sliders_move_to_the_measured_values(app: str, page: Page) -> None:
    page.goto(f"{app}/pays")
    page.get_by_role("button", name="Set the sliders to the measured values").click(timeout=PATIENCE)
    expect(page.get_by_role("slider", name="Acceptance rate α (model)")).to_have_value("0.67", timeout=PATIENCE)
    page.wait_for_url("**/pays?*alpha=0.67*", timeout=PATIENCE)
