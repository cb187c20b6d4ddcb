"""A streamlit server of its own for the components' harness, and a browser to look at it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tools.local_server import serving

QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

# The machine that runs the tests may be busy with others.
expect.set_options(timeout=15_000)


HARNESS = ("-m", "streamlit", "run", "tests/browser/harness/app.py")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=QUIET)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def harness(browser: Browser) -> Iterator[str]:
    """The address of a running harness that has been through its imports."""
    with serving(HARNESS) as url:
        page = browser.new_page()
        page.goto(url)
        page.locator(".strip").wait_for(timeout=90_000)
        page.close()
        yield url


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page that fails its test when anything is logged as an error or sent to another host."""
    context = browser.new_context(viewport={"width": 1280, "height": 720})
    page = context.new_page()
    faults: list[str] = []
    page.on("console", lambda m: faults.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda e: faults.append(str(e)))
    page.on(
        "request", lambda r: faults.append(r.url) if "//127.0.0.1" not in r.url and r.url.startswith("http") else None
    )
    yield page
    context.close()
    assert faults == []
