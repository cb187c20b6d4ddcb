"""The tour's steps, and the runs that it has made ahead."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui import content, tour, tour_screen, visit
from ui.components.keys.keys import _went, keys_data


def test_the_tour_has_36_steps_in_the_order_in_which_the_lab_is_read() -> None:
    steps = [s for s in tour.steps() if s.encore is None]
    assert len(steps) == tour.length() == 36
    assert [s.chapter for s in steps if s.view == "predict"] == list(range(1, 11))
    assert Counter(s.view for s in steps) == {
        "opener": 3, "predict": 10, "stage": 10, "takeaway": 10, "timeline": 1, "gaps": 1, "cards": 1,
    }  # fmt: skip
    assert [s.id for s in steps[:4]] == ["part-I", "1-predict", "1-stage", "1-takeaway"]
    assert [s.id for s in steps[-3:]] == ["11-timeline", "11-gaps", "11-cards"]
    assert steps[12].label == "13 / 36"


def test_part_iv_and_the_labs_are_an_encore_counted_apart() -> None:
    encore = tour.steps()[tour.length() :]
    chapters = [c.page for c in content.chapters_of("IV")]
    labs = [lab.page for lab in content.labs()]
    assert list(dict.fromkeys(s.page for s in encore)) == [content.part("IV").page, *chapters, *labs]
    assert [s.id for s in encore[:4]] == ["part-IV", "12-texts", "12-spread", "13-dial"]
    assert [s.label for s in encore] == [f"Encore {i}" for i in range(1, len(encore) + 1)]


def test_numbers_go_on_and_ids_are_unique() -> None:
    steps = tour.steps()
    assert [s.number for s in steps] == list(range(1, len(steps) + 1))
    assert len({s.id for s in steps}) == len(steps)


@given(st.integers())
def test_any_number_names_a_step_the_nearest_one(number: int) -> None:
    here = tour.step(number)
    assert here in tour.steps()
    assert abs(here.number - number) == min(abs(s.number - number) for s in tour.steps())


def test_a_page_comes_up_at_its_first_step_and_any_other_at_the_beginning() -> None:
    assert tour.first_step("04_guess.py").id == "4-predict"
    assert tour.first_step("11_rhythm.py").id == "11-timeline"
    assert tour.first_step("home.py").number == 1


def test_pages_know_that_they_are_on_the_tour_even_when_one_breaks_off() -> None:
    assert not tour.on()
    with pytest.raises(ZeroDivisionError), tour.showing():
        assert tour.on()
        _ = 1 / 0
    assert not tour.on()


def test_what_the_browser_gets_is_plain_and_complete() -> None:
    data = json.loads(json.dumps(keys_data(tour.steps(), tour.step(13))))
    assert data["step"] == 13
    assert data["steps"][12] == {
        "id": "4-stage", "page": "04_guess.py", "title": "4 · Guess, check, keep", "label": "13 / 36", "encore": False,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("report", "went"), [({"go": 5}, [5]), ({"go": 0}, []), ({"go": 999}, []), ({"go": "5"}, []), ({}, []), (None, [])]
)
def test_only_numbers_of_steps_are_taken_from_the_browser(report: Any, went: list[int]) -> None:
    heard: list[int] = []
    _went(report, tour.steps(), heard.append)
    assert heard == went


def test_what_is_made_ahead_is_what_the_chapter_will_ask_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visit, "expected", lambda control: control.default)
    warmed = content.default_requests()
    for chapter in content.chapters():
        ahead = tour_screen._opening_runs(chapter)
        assert [r.method for r in ahead] == list(chapter.methods)
        assert set(ahead) <= set(warmed)


def test_a_changed_prompt_is_made_ahead_and_an_empty_one_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    chapter = content.chapters()[3]
    chosen = {"prompt": "own", "text": "Count to ten.", "as": "beginning", "temperature": 1.0, "seed": 3, "gamma": 2}
    monkeypatch.setattr(visit, "expected", lambda control: chosen.get(control.name, control.default))
    ahead = tour_screen._opening_runs(chapter)
    assert {(r.prompt, r.chat, r.temperature, r.seed, r.gamma) for r in ahead} == {("Count to ten.", False, 1.0, 3, 2)}
    chosen["text"] = " "
    assert tour_screen._opening_runs(chapter) == []
