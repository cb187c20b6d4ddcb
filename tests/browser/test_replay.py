"""The replay in a real browser, on hand-made data."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.on_the_harness import choose, report
from tests.ui.hand_made import CAT, CAT_ROUNDS
from ui.palette import BACKGROUND, LOOKS

ROUND_TIMES = [1.5, 2.34, 3.18, 4.02, 4.86, 5.7, 6.42]
"""Ends of the harness's rounds on the classroom clock: 0.66 s for the prompt, 0.06 a guess, 0.6 a pass."""


@pytest.fixture
def lanes(page: Page, harness: str) -> Locator:
    page.goto(f"{harness}/?view=lanes")
    lanes = page.locator("section.lane")
    expect(lanes).to_have_count(2)
    return lanes


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def seconds(page: Page) -> float:
    """The replay's time, from the scrubber's spoken value."""
    return float((page.locator(".range").get_attribute("aria-valuetext") or "nan").split()[0])


def shown(lane: Locator) -> list[str]:
    """The states of the tokens that can be seen, in order."""
    return lane.locator("button.token").evaluate_all(
        "all => all.filter(b => getComputedStyle(b).visibility === 'visible').map(b => b.dataset.state)"
    )


def test_step_goes_from_call_to_call(page: Page, lanes: Locator) -> None:
    assert shown(lanes.nth(0)) == shown(lanes.nth(1)) == []
    times = []
    for _ in range(4):
        press(page, "Step")
        times.append(seconds(page))
    assert times == pytest.approx([0.06, 0.6, 0.66, 0.72], abs=0.051)
    assert shown(lanes.nth(0)) == ["plain"]
    assert shown(lanes.nth(1)) == ["plain", "pending"]


def test_verdicts_are_not_given_away(page: Page, lanes: Locator) -> None:
    kept_later, pending = lanes.nth(1).locator("button.token").nth(3), lanes.nth(1).locator("button.token").nth(1)
    for _ in range(4):
        press(page, "Step")
    for token in (pending, kept_later):
        expect(token).to_have_attribute("data-state", "pending")
        assert "kept" not in (token.get_attribute("aria-label") or "")
    press(page, "Next round")
    press(page, "Step")
    flagged = page.locator(".flagged")
    expect(lanes.nth(1).locator(".round").nth(1)).to_be_visible()
    expect(flagged).to_have_count(0)
    press(page, "Next round")
    expect(flagged).to_have_count(2)


def test_next_round_settles_what_was_pending(page: Page, lanes: Locator) -> None:
    for time in ROUND_TIMES[:2]:
        press(page, "Next round")
        assert seconds(page) == pytest.approx(time, abs=0.051)
    kept = ["kept"] * 4 + ["bonus"]
    assert shown(lanes.nth(1)) == ["plain", *kept, *["discarded"] * 4, "correction"]
    counters = lanes.nth(1).locator(".counter")
    expect(counters).to_have_text(["3target calls", "8draft calls", "7tokens", "2.14×Speed-up so far"])
    expect(lanes.nth(0).locator(".counter")).to_have_text(["3target calls", "3tokens"])
    expect(lanes.nth(1).locator(".notice")).to_be_visible()
    page.get_by_label("Show dropped guesses").uncheck()
    expect(lanes.nth(1).locator("button.token[data-state=discarded]:visible")).to_have_count(0)


def test_finish_and_restart(page: Page, lanes: Locator) -> None:
    press(page, "Finish")
    expect(lanes.nth(0).locator(".reading")).to_have_text("finished12.6 s")
    expect(lanes.nth(1).locator(".reading")).to_have_text("finished6.4 s")
    assert shown(lanes.nth(0)) == ["plain"] * len(CAT)
    dropped = sum(len(r[1]) for r in CAT_ROUNDS)
    assert len(shown(lanes.nth(1))) == len(CAT) + dropped
    expect(lanes.nth(1).locator(".count-gain b")).to_have_text("2.08×")
    expect(page.locator(".flag-label:visible")).to_have_text(["12.6 s", "6.4 s"])
    press(page, "Restart")
    assert seconds(page) == 0
    assert shown(lanes.nth(0)) == []
    expect(page.locator(".flag-label:visible")).to_have_count(0)


def test_play_sends_nothing_and_pauses(page: Page, harness: str) -> None:
    sent: list[object] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    page.goto(f"{harness}/?view=lanes")
    expect(report(page)).to_be_visible()
    before = len(sent)
    assert before > 0
    press(page, "Speed 4")
    press(page, "Play")
    page.wait_for_function(at_least(3))
    press(page, "Pause")
    stopped = seconds(page)
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert seconds(page) == stopped < 12
    press(page, "Play")
    expect(page.locator("section.lane").nth(0).locator(".status")).to_have_text("finished", timeout=20_000)
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    assert len(sent) == before
    expect(report(page)).to_contain_text("runs 1,")


def at_least(time: float) -> str:
    """A condition for the page: the replay has come that far."""
    host = "[...document.querySelectorAll('*')].map(e => e.shadowRoot?.querySelector('.range')).find(Boolean)"
    return f"() => parseFloat({host}.getAttribute('aria-valuetext')) >= {time}"


def move_unrelated(page: Page, lanes: Locator) -> None:
    page.get_by_role("slider", name="Unrelated").focus()
    page.keyboard.press("ArrowRight")
    expect(report(page)).to_contain_text("noise 4")


def switch_theme(page: Page, lanes: Locator) -> None:
    page.get_by_test_id("stMainMenu").click()
    page.get_by_test_id("stMainMenuItem-theme-Dark").click()
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("stApp")).to_have_css("background-color", rgb(BACKGROUND["dark"]))
    expect(page.locator(".legend .token[data-state=kept]")).to_have_css("color", rgb(LOOKS["kept"].tone.dark))


def rgb(colour: str) -> str:
    return f"rgb({', '.join(str(int(colour[i : i + 2], 16)) for i in (1, 3, 5))})"


def select_token(page: Page, lanes: Locator) -> None:
    lanes.nth(1).locator("button.token").nth(0).click()
    expect(report(page)).to_contain_text("selected (1, 0), runs 2")


@pytest.mark.parametrize("disturb", [move_unrelated, switch_theme, select_token])
def test_a_running_replay_is_not_disturbed(
    page: Page, lanes: Locator, disturb: Callable[[Page, Locator], None]
) -> None:
    lanes.nth(0).evaluate("node => { node.mark = 'same node' }")
    press(page, "Play")
    page.wait_for_function(at_least(0.8))
    disturb(page, lanes)
    before = seconds(page)
    assert before >= 0.8
    expect(page.get_by_role("button", name="Pause", exact=True)).to_be_visible()
    page.wait_for_function(at_least(before + 0.3))
    assert lanes.nth(0).evaluate("node => node.mark") == "same node"


def test_a_new_run_starts_over_and_forgets_the_selection(page: Page, lanes: Locator) -> None:
    press(page, "Next round")
    lanes.nth(1).locator("button.token").nth(1).click()
    expect(report(page)).to_contain_text("selected (1, 1)")
    choose(page, "Clock", "measured")
    expect(report(page)).to_contain_text("selected None")
    expect(page.locator(".range")).to_have_attribute("aria-valuetext", "0.00 s")
    assert shown(lanes.nth(1)) == []
    expect(lanes.locator(".token[aria-pressed=true]")).to_have_count(0)


def test_scrubber_moves_by_keyboard_and_pauses(page: Page, lanes: Locator) -> None:
    press(page, "Play")
    page.locator(".range").focus()
    page.keyboard.press("End")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    assert seconds(page) == pytest.approx(12.6)
    page.keyboard.press("Home")
    assert seconds(page) == 0


def test_a_stage_may_begin_at_the_end(page: Page, harness: str) -> None:
    page.goto(f"{harness}/?view=lanes&start=end")
    lanes = page.locator("section.lane")
    expect(lanes.nth(0).locator(".status")).to_have_text("finished")
    press(page, "Play")
    expect(lanes.nth(0).locator(".status")).not_to_have_text("finished")


def test_with_reduced_motion_play_jumps_from_call_to_call(page: Page, harness: str) -> None:
    page.emulate_media(reduced_motion="reduce")
    page.goto(f"{harness}/?view=lanes")
    expect(page.locator("section.lane")).to_have_count(2)
    press(page, "Speed 0.25")
    press(page, "Play")
    page.wait_for_function(at_least(0.1))
    seen: set[float] = set()
    while len(seen) < 3:
        seen.add(seconds(page))
    assert seen <= {0.1, 0.6, 0.7, 0.8, 0.9, 1.2, 1.5}


def test_lane_tokens_are_reached_by_keyboard(page: Page, lanes: Locator) -> None:
    press(page, "Next round")
    page.get_by_role("button", name="Speed 4").focus()
    page.keyboard.press("Tab")
    expect(lanes.nth(0).locator("button.token").nth(0)).to_be_focused()
    page.keyboard.press("End")
    expect(lanes.nth(0).locator("button.token").nth(1)).to_be_focused()
    page.keyboard.press("Tab")
    expect(lanes.nth(1).locator("button.token").nth(0)).to_be_focused()


def test_the_tab_stop_never_stays_on_a_hidden_token(page: Page, lanes: Locator) -> None:
    press(page, "Finish")
    lanes.nth(0).locator("button.token").nth(15).focus()
    press(page, "Restart")
    press(page, "Next round")
    page.get_by_role("button", name="Speed 4").focus()
    page.keyboard.press("Tab")
    expect(lanes.nth(0).locator("button.token").nth(0)).to_be_focused()


def test_lanes_show_markup_as_text_and_fit_a_phone(page: Page, harness: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{harness}/?view=lanes")
    choose(page, "Lanes", "hostile")
    lane = page.locator("section.lane").nth(1)
    expect(lane.locator(".lane-title")).to_have_text("<i>Lane</i>")
    press(page, "Finish")
    expect(lane.locator("button.token").nth(0)).to_have_text("<b>HTML</b>")
    expect(lane.locator("i:not(.swatch)")).to_have_count(0)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for label in ("Play", "Step", "Finish", "Restart"):
        box = page.get_by_role("button", name=label, exact=True).bounding_box()
        assert box and box["x"] >= 0 and box["x"] + box["width"] <= 390
