"""The tour's page over a pair without models."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import Open, components, sentences
from ui import content, tour, tour_screen


def bar(at: AppTest) -> dict[str, Any]:
    """What the tour's bar is told."""
    return next(c for c in components(at) if "steps" in c)


def test_a_step_shows_its_chapter_with_the_stage_open_before_any_prediction(open_page: Open) -> None:
    at = open_page(tour.PAGE, tour="12", gamma="2")
    assert not at.exception
    assert bar(at)["step"] == 12
    said = sentences(at)
    chapter = content.chapter(4)
    assert chapter and chapter.predict
    assert all(words in said for words in (chapter.title, chapter.predict.question, chapter.takeaway))
    assert at.metric, "the stage waits for a prediction, so whoever goes on to it would see half of it"
    assert at.session_state["visit.predictions"] == {}
    assert at.slider("guess:gamma").value == 2
    at.session_state["tour.due"] = 15
    # A run that was asked for just before the key still comes with the old address: it must not turn the tour back.
    at.query_params["tour"] = "12"
    at.run()
    assert not at.exception and bar(at)["step"] == 15
    assert content.part("III").question in sentences(at)
    # Once another page was on screen, the address leads again.
    at.query_params.clear()
    at.switch_page("pages/part_1.py").run()
    at.query_params["tour"] = "1"
    at.run()
    assert not at.exception and bar(at)["step"] == 1


@pytest.mark.parametrize(("asked", "shown"), [("nonsense", 1), ("-3", 1), ("9999999999", 1), ("999", None), ("²", 1)])
def test_nonsense_in_the_address_is_the_nearest_step(open_page: Open, asked: str, shown: int | None) -> None:
    at = open_page(tour.PAGE, tour=asked)
    assert not at.exception
    assert bar(at)["step"] == (shown or len(tour.steps()))


def test_a_chapters_address_with_a_step_opens_the_tour_there(open_page: Open) -> None:
    at = open_page("01_careful.py", tour="4")
    assert not at.exception
    assert bar(at)["step"] == 4


def test_at_a_pages_last_step_the_next_page_is_drawn_too(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    following = content.part("III").question
    assert following not in sentences(open_page(tour.PAGE, tour="13"))
    at = open_page(tour.PAGE, tour="14")
    assert following in sentences(at)

    draw = tour_screen._draw

    def fails_on_part_3(here: tour.Step) -> None:
        if here.page == "part_3.py":
            raise ValueError
        draw(here)

    monkeypatch.setattr(tour_screen, "_draw", fails_on_part_3)
    at = open_page(tour.PAGE, tour="14")
    assert not at.exception and bar(at)["step"] == 14
    assert following not in sentences(at)
