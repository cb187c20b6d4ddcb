"""Pictures of every page and of every step of the tour, light and dark, on a projector, a laptop and a phone.

    python -m tools.screenshots [PAGE ...]        into screenshots/PAGE-SIZE-THEME.png

Each page is also taken after its question has been skipped, and chapter 4 with a token clicked. The tour's steps go
into screenshots/tour-NN-SIZE-THEME.png; a few of them are copied to where the README shows them.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

from tools.local_server import ROOT, serving
from ui import lecture, navigation, summary, tour

FOLDER = ROOT / "screenshots"
IN_README = {4: "guess", 5: "one-pass", 9: "code", 10: "pays"}
"""Chapters whose stage in the tour the README shows, and the picture's name in docs/pictures."""
SIZES = {"projector": (1920, 1080), "laptop": (1280, 720), "phone": (390, 844)}
THEMES = ("light", "dark")
CHROMIUM = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
            "--disable-sync"]  # fmt: skip
PATIENCE = 240_000
"""Milliseconds that a page may take: the first one waits for the pair to load."""


def addresses() -> dict[str, str]:
    """Each page's name and path."""
    read = [page for page, _ in navigation.in_order() if page != navigation.HOME]
    pages = [*read, lecture.PAGE, summary.PAGE]
    return {"home": "/", **{_name(page): f"/{_name(page)}" for page in pages}}


STILL_MS = 2000
"""A page that showed nothing unfinished for this long is finished: its stage may begin after the rest of it."""
_STILL = f"""() => {{
  const drawn = chart => !chart.clientWidth || chart.querySelector('.main-svg');
  const busy = document.querySelector('[data-testid=stProgress], [data-testid=stStatusWidget]')
    || ![...document.querySelectorAll('.lab-chart')].every(drawn);
  if (busy || !window.stillSince) window.stillSince = performance.now();
  return performance.now() - window.stillSince > {STILL_MS};
}}"""


def settle(page: Page) -> None:
    """Wait until nothing is running or loading any more, and all charts are drawn."""
    page.wait_for_selector("[data-testid=stMainBlockContainer] h1", timeout=PATIENCE)
    wait_until_still(page)


def wait_until_still(page: Page) -> None:
    """Wait until no progress is shown and every chart is drawn, and that for `STILL_MS`."""
    page.evaluate("() => { window.stillSince = 0; }")
    page.wait_for_function(_STILL, timeout=PATIENCE, polling=100)


def shoot(page: Page, path: Path) -> None:
    """The whole page, however long: the window is made as tall as what it shows."""
    width = page.viewport_size["width"] if page.viewport_size else 1280
    height = page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
    least = next(h for w, h in SIZES.values() if w == width)
    page.set_viewport_size({"width": width, "height": max(least, height)})
    page.wait_for_timeout(600)
    page.screenshot(path=path)
    page.set_viewport_size({"width": width, "height": least})


def skip_question(page: Page) -> bool:
    """Skip the page's question, if it asks one."""
    button = page.get_by_role("button", name="Skip the question")
    if button.count() == 0:
        return False
    button.click()
    expect(button).to_have_count(0, timeout=PATIENCE)
    settle(page)
    return True


def take(page: Page, name: str, look: str) -> None:
    """All pictures of the page that is open."""
    settle(page)
    shoot(page, FOLDER / f"{name}-{look}.png")
    if not skip_question(page):
        return
    if name == "guess":
        page.locator(".lane .token").nth(5).click()
        settle(page)
    shoot(page, FOLDER / f"{name}-after-{look}.png")


def take_tour(page: Page, url: str, size: str, theme: str) -> None:
    """Every step of the tour, as it fills the screen."""
    for step in tour.steps():
        page.goto(f"{url}/tour?{tour.PARAMETER}={step.number}")
        page.locator(".tour:not(.waiting) .title:not(:empty)").wait_for(timeout=PATIENCE)
        wait_until_still(page)
        path = FOLDER / f"tour-{step.number:02}-{size}-{theme}.png"
        page.screenshot(path=path)
        if (size, theme, step.view) == ("laptop", "light", "stage") and step.chapter in IN_README:
            shutil.copy(path, ROOT / "docs" / "pictures" / f"{IN_README[step.chapter]}.png")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("pages", nargs="*", help=f"names of pages (default: all): {', '.join(addresses())}, tour")
    parser.add_argument("--url", help="a server that runs already (default: start one)")
    parser.add_argument("--sizes", nargs="*", default=list(SIZES), choices=list(SIZES))
    arguments = parser.parse_args()
    FOLDER.mkdir(exist_ok=True)
    if arguments.url:
        _all(arguments.url, arguments.pages, arguments.sizes)
    else:
        with serving() as url:
            _all(url, arguments.pages, arguments.sizes)


def _all(url: str, wanted: list[str], sizes: list[str]) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=CHROMIUM)
        for size in sizes:
            width, height = SIZES[size]
            for theme in THEMES:
                context = browser.new_context(
                    viewport={"width": width, "height": height}, color_scheme="dark" if theme == "dark" else "light"
                )
                page = context.new_page()
                for name, path in addresses().items():
                    if wanted and name not in wanted:
                        continue
                    page.goto(f"{url}{path}")
                    take(page, name, f"{size}-{theme}")
                if size != "phone" and (not wanted or "tour" in wanted):
                    take_tour(page, url, size, theme)
                context.close()
        browser.close()


def _name(page: str) -> str:
    return page.removesuffix(".py").lstrip("0123456789_")


if __name__ == "__main__":
    main()
