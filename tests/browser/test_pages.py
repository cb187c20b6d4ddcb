from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.app_server import app_server
from ui import content

NAMES = [re.sub(r"^\d+_|\.py$", "", p) for p in
         [*(x.page for x in content.parts()), *(c.page for c in content.chapters())]]  # fmt: skip
PATIENCE = 40_000


@pytest.fixture(scope="module")
def app() -> Iterator[str]:
    with app_server() as url:
        yield url


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page that fails its test when anything is logged as an error or sent to another host.

    On a deep link Streamlit tries for its own address below the page's, and Chromium logs that it is not there.
    """
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    faults: list[str] = []
    page.on(
        "console",
        lambda m: faults.append(m.text) if m.type == "error" and "/_stcore/" not in m.location["url"] else None,
    )
    page.on("pageerror", lambda e: faults.append(str(e)))
    page.on(
        "request", lambda r: faults.append(r.url) if r.url.startswith("http") and "//127.0.0.1" not in r.url else None
    )
    yield page
    page.close()
    assert faults == []


def opened(page: Page, address: str) -> Page:
    page.goto(address)
    expect(page.locator("h1")).to_be_visible(timeout=PATIENCE)
    expect(page.get_by_test_id("stStatusWidget")).to_have_count(0, timeout=PATIENCE)
    return page


def test_a_deep_link_to_a_fresh_server_brings_the_whole_app(page: Page) -> None:
    with app_server() as url:
        opened(page, f"{url}/guess?gamma=2&prompt=rainbow")
        expect(page.locator("h1")).to_have_text("Guess, check, keep")
        expect(page.get_by_test_id("stSidebar").get_by_role("link", name="Careful or quick")).to_be_visible()
        expect(page.get_by_role("slider", name="Draft length γ")).to_have_value("2")
        expect(page).to_have_url(re.compile(r"/guess\?.*gamma=2"))
        expect(page.get_by_text("Explain step by step how a rainbow forms.")).to_be_visible()
        page.goto("about:blank")  # Before the server ends: a page that is left behind looks for it, and logs that.


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_opens_without_errors(app: str, page: Page, scheme: str) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    for name in ["", *NAMES]:
        opened(page, f"{app}/{name}")
        expect(page.get_by_test_id("stException")).to_have_count(0)


def test_no_page_scrolls_sideways_on_a_phone(app: str, browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 844})
    for name in ["", *NAMES]:
        opened(page, f"{app}/{name}")
        skip = page.get_by_role("button", name="Skip the question")
        if skip.count():
            skip.click()
            expect(skip).to_have_count(0, timeout=PATIENCE)
        # For an instant of a page's second run its style sheet is not there: what counts is how it stays.
        page.wait_for_function("document.querySelector('[data-testid=stMain]').scrollWidth <= 390", timeout=5_000)
    page.close()


def test_a_clicked_word_shows_both_models_choices(app: str, page: Page) -> None:
    opened(page, f"{app}/easy")
    guess = page.get_by_label("Your guess (words)")
    guess.fill("14")
    guess.press("Enter")
    page.get_by_role("button", name="Commit").click()
    expect(page.get_by_text("Right: 14 words.")).to_be_visible(timeout=PATIENCE)
    page.get_by_role("button", name=re.compile("^word 6,")).click()
    expect(page.get_by_text("Word 6.")).to_be_visible(timeout=PATIENCE)


def test_a_race_is_replayed_in_the_browser(app: str, page: Page) -> None:
    opened(page, f"{app}/careful")
    page.get_by_role("button", name="Restart").click(timeout=PATIENCE)
    expect(page.locator(".lane .status").first).to_have_text("ready")
    page.get_by_role("button", name="Speed 4", exact=True).click()
    page.get_by_role("button", name="Play").click()
    expect(page.locator(".lane .status").nth(1)).to_contain_text("finished", timeout=PATIENCE)
    expect(page.locator(".lane .status").first).to_contain_text("finished", timeout=PATIENCE)


def test_rounds_are_stepped_through_and_a_token_is_opened(app: str, page: Page) -> None:
    opened(page, f"{app}/guess")
    page.get_by_role("button", name="Restart").click(timeout=PATIENCE)
    together = page.locator(".lane").nth(1)
    page.get_by_role("button", name="Next round").click()
    expect(together.locator(".count-target b")).to_have_text("2")
    page.get_by_role("button", name="Next round").click()
    expect(together.locator(".count-target b")).to_have_text("3")
    together.get_by_role("button", name=re.compile("^token 2,")).click()
    expect(page.get_by_text("Kept.", exact=True)).to_be_visible(timeout=PATIENCE)


def test_a_control_goes_into_the_address_and_back_returns_it(app: str, page: Page) -> None:
    opened(page, f"{app}/guess")
    slider = page.get_by_role("slider", name="Draft length γ")
    slider.focus()
    slider.press("ArrowRight")
    expect(page).to_have_url(re.compile("gamma=5"), timeout=PATIENCE)
    page.go_back()
    expect(slider).to_have_value("4", timeout=PATIENCE)


def test_the_controls_come_along_to_the_next_chapter(app: str, page: Page) -> None:
    opened(page, f"{app}/careful?prompt=rainbow&seed=5")
    page.get_by_test_id("stSidebar").get_by_role("link", name="How much of it is easy?").click()
    expect(page.locator("h1")).to_have_text("How much of it is easy?", timeout=PATIENCE)
    expect(page.get_by_text("“Explain step by step how a rainbow forms.”")).to_be_visible(timeout=PATIENCE)
    expect(page).to_have_url(re.compile("/easy.*prompt=rainbow"), timeout=PATIENCE)


def test_a_prediction_comes_back_after_a_reload_and_can_be_taken_back(app: str, page: Page) -> None:
    opened(page, f"{app}/reading")
    page.get_by_role("button", name="Skip the question").click()
    again = page.get_by_role("button", name="Ask me again")
    expect(again).to_be_visible(timeout=PATIENCE)
    # The tab writes it down once the page is drawn.
    page.wait_for_function("sessionStorage.getItem('speculative-lab.predictions')?.includes('3')", timeout=PATIENCE)
    opened(page, f"{app}/reading")
    expect(again).to_be_visible(timeout=PATIENCE)
    again.click()
    expect(page.get_by_role("button", name="Commit")).to_be_visible(timeout=PATIENCE)
    page.wait_for_function("!sessionStorage.getItem('speculative-lab.predictions')?.includes('3')", timeout=PATIENCE)
    opened(page, f"{app}/reading")
    expect(page.get_by_role("button", name="Commit")).to_be_visible(timeout=PATIENCE)


def test_the_glossary_is_one_click_away(app: str, page: Page) -> None:
    opened(page, f"{app}/part_2")
    page.get_by_role("button", name="Glossary").click()
    search = page.get_by_role("dialog").get_by_label("Search")
    search.fill("bonus")
    search.press("Enter")
    expect(page.get_by_role("dialog").get_by_text("Bonus token")).to_be_visible(timeout=PATIENCE)
    expect(page.get_by_role("dialog").get_by_text("Cost ratio")).to_have_count(0, timeout=PATIENCE)


def test_both_schedules_are_zoomed_together_and_a_token_tells_its_moment(app: str, page: Page) -> None:
    opened(page, f"{app}/rhythm?clock=classroom&unit=passes")
    window = page.locator(".schedule .window")
    expect(window.locator(".stack")).to_have_count(32 + 12, timeout=PATIENCE)
    # Tokens that come together stand on top of each other: never more than γ + 1, here three at most.
    assert max(window.locator(".stack").evaluate_all("all => all.map(s => s.children.length)")) == 3
    expect(page.get_by_role("button", name="Zoom out")).to_be_disabled()
    wide = "w => w.scrollWidth / w.clientWidth"
    assert window.evaluate(wide) == pytest.approx(1, abs=0.01)
    page.get_by_role("button", name="Zoom in").click()
    assert window.evaluate(wide) == pytest.approx(2, abs=0.02)
    page.get_by_role("button", name="Whole").click()
    assert window.evaluate(wide) == pytest.approx(1, abs=0.01)
    window.locator(".cell").nth(1).hover()
    expect(page.locator(".schedule .tip")).to_contain_text("reaches the reader at2 passes")


def test_runs_come_back_after_a_reload_and_lie_on_the_axes(app: str, page: Page) -> None:
    kept = "Object.values(JSON.parse(sessionStorage.getItem('speculative-lab.runs') ?? '{}')).length"
    opened(page, f"{app}/guess?gamma=2&prompt=rainbow")
    page.wait_for_function(f"{kept} == 2", timeout=PATIENCE)
    opened(page, f"{app}/pays?gamma=4&prompt=loop")
    page.wait_for_function(f"{kept} == 4", timeout=PATIENCE)
    expect(page.get_by_role("img", name="other runs")).to_be_visible(timeout=PATIENCE)
    page.get_by_role("button", name="Set the sliders to the measured values").click()
    expect(page.get_by_role("slider", name="Acceptance rate α (model)")).to_have_value("0.67", timeout=PATIENCE)
    expect(page).to_have_url(re.compile("alpha=0.67"), timeout=PATIENCE)


def test_no_other_page_may_steer_the_lab(app: str, page: Page) -> None:
    told = page.request.get(f"{app}/_stcore/host-config")
    assert told.ok and told.json()["allowedOrigins"] == []
