"""How long a page takes to show itself, through a real browser with one viewer.

    python -m tools.page_speed [--repeats 5] [--json] [--url ADDRESS]

The pair is loaded and every page opened once before anything is timed. Then, in milliseconds, medians over repeats:

- switch: from a click on a page's name in the sidebar to the last change of what is drawn.
- slider: from a slider's new value to the last change; sliders that ask the models for another run (γ, temperature,
  branches) are left out, since that is decoding time.
"""

from __future__ import annotations

import argparse
import json
import shutil
from dataclasses import asdict, dataclass
from statistics import median

from playwright.sync_api import Locator, Page, sync_playwright

from tools.local_server import serving
from tools.screenshots import CHROMIUM, settle, skip_question
from ui import content

QUIET_MS = 250
"""A page that has not changed for this long, and whose script is not running, has finished."""
ASKING = ("Draft length γ", "Temperature", "Branches of the tree")

_STOPWATCH = """() => {
  const root = document.querySelector('[data-testid=stApp]');
  const watch = { began: performance.now(), last: performance.now() };
  // What an element says of itself to a screen reader or to a test is not drawn.
  const drawn = change => !/^(aria|data)-/.test(change.attributeName ?? '');
  // What components draw lies in shadow trees, which a document's observer does not see.
  const observe = node => {
    new MutationObserver(all => { if (all.some(drawn)) watch.last = performance.now(); })
      .observe(node, { subtree: true, childList: true, attributes: true, characterData: true });
    node.querySelectorAll('*').forEach(x => x.shadowRoot && observe(x.shadowRoot));
  };
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (options) {
    const tree = attach.call(this, options);
    observe(tree);
    return tree;
  };
  observe(root);
  window.stopwatch = watch;
}"""
_START = "() => { window.stopwatch.began = window.stopwatch.last = performance.now(); }"
_FINISHED = f"""() => {{
  const app = document.querySelector('[data-testid=stApp]'), watch = window.stopwatch;
  const quiet = performance.now() - watch.last > {QUIET_MS};  // the start counts as a change
  return app.dataset.testScriptState === 'notRunning' && quiet;
}}"""
_TOOK = "() => window.stopwatch.last - window.stopwatch.began"


@dataclass(frozen=True)
class Timed:
    """Median milliseconds of one action on one page."""

    page: str
    action: str
    milliseconds: float
    all: tuple[float, ...]


def timed(page: Page, name: str, action: str, acts: list[Locator], keys: list[str | None]) -> Timed:
    """Do each act (press the key, or click where there is none) and time it; the first is a rehearsal."""
    took = []
    for act, key in zip(acts, keys, strict=True):
        page.evaluate(_START)
        act.click() if key is None else act.press(key)
        page.wait_for_function(_FINISHED, timeout=60_000)
        took.append(page.evaluate(_TOOK))
    rest = tuple(round(x, 1) for x in took[1:])
    return Timed(name, action, round(median(rest), 1), rest)


def sliders(page: Page) -> list[tuple[str, Locator]]:
    """The page's sliders that ask for no new run, with their labels."""
    found = []
    for slider in page.locator("[data-testid=stMain] [data-testid=stSlider]").all():
        label = slider.locator("[data-testid=stWidgetLabel]").inner_text().strip()
        if slider.is_visible() and not label.startswith(ASKING):
            found.append((label.splitlines()[0], slider.locator("input[type=range], [role=slider]").first))
    return found


def measure(page: Page, url: str, repeats: int) -> list[Timed]:
    """All pages of the sidebar, one after the other."""
    page.goto(url)
    settle(page)
    for chapter in content.chapters():
        page.goto(f"{url}/{chapter.page.removesuffix('.py').lstrip('0123456789_')}")
        settle(page)
        skip_question(page)
    page.evaluate(_STOPWATCH)
    sidebar, results = page.locator("[data-testid=stSidebar]"), []
    home = sidebar.get_by_role("link", name="Speculative Lab")
    for chapter in content.chapters():
        link = sidebar.get_by_role("link", name=chapter.title)
        took: list[float] = []
        for _ in range(repeats + 1):
            took.append(timed(page, chapter.page, "switch", [home, link], [None, None]).all[0])
        results.append(Timed(chapter.page, "switch", round(median(took[1:]), 1), tuple(took[1:])))
        for label, slider in sliders(page):
            keys: list[str | None] = ["ArrowLeft" if i % 2 else "ArrowRight" for i in range(repeats + 1)]
            results.append(timed(page, chapter.page, f"slider: {label}", [slider] * (repeats + 1), keys))
    return results


def report(results: list[Timed]) -> str:
    """The results as a table, with the medians over all pages."""
    lines = [f"{r.page:18} {r.action:46} {r.milliseconds:7.0f} ms" for r in results]
    for kind in ("switch", "slider"):
        of_kind = [r.milliseconds for r in results if r.action.startswith(kind)]
        lines.append(f"{'median':18} {kind:46} {median(of_kind):7.0f} ms")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--url", help="a server that runs already (default: start one)")
    arguments = parser.parse_args()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=CHROMIUM)
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        if arguments.url:
            results = measure(page, arguments.url, arguments.repeats)
        else:
            with serving() as url:
                results = measure(page, url, arguments.repeats)
        browser.close()
    print(json.dumps([asdict(r) for r in results], indent=2) if arguments.json else report(results))


if __name__ == "__main__":
    main()
