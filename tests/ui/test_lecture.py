from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from ui import content, lecture, tour
from ui.follow import Followed
from ui.part import abreast

PLAN = (Path(__file__).parents[2] / "docs" / "teaching.md").read_text(encoding="utf-8")
MINUTES = [route.minutes for route in content.routes()]


def test_every_step_has_its_note_and_no_note_lacks_a_step() -> None:
    steps = [step.id for step in tour.steps()]
    assert set(content.notes()) <= set(steps)
    assert [s for s in steps[: tour.length()] if s not in content.notes()] == []


def test_a_note_says_points_and_asks_in_a_few_sentences() -> None:
    for note in content.notes().values():
        assert 2 <= len(re.findall(r"[.?!](?:\s|$)", note.say)) <= 6, note.step
        assert note.point.endswith((".", "!", "?")), note.step
        assert "?" in note.ask, note.step
        assert len(note.minutes) == len(MINUTES) and list(note.minutes) == sorted(note.minutes), note.step


@pytest.mark.parametrize("minutes", MINUTES)
def test_a_route_leaves_some_of_its_time_in_hand(minutes: int) -> None:
    assert 0.85 * minutes <= lecture.stops(minutes)[-1].ends <= 0.97 * minutes


def test_the_longer_routes_leave_out_no_step_of_the_tour() -> None:
    every = list(range(1, tour.length() + 1))
    for minutes in (50, 90):
        assert [s.step.number for s in lecture.stops(minutes)][: len(every)] == every
    assert len(lecture.stops(20)) < 20


def test_a_routes_stops_follow_each_other_in_time() -> None:
    stops = lecture.stops(90)
    assert stops[0].begins == 0
    assert all(b.begins == a.ends > a.begins for a, b in zip(stops, stops[1:], strict=False))


def test_the_lesson_plan_has_the_steps_and_minutes_of_the_notes() -> None:
    rows = re.findall(r"^\| (\d+)(?:–(\d+))? \| ([^|]+) \| ([\d.–]+) \| ([\d.–]+) \| ([\d.–]+) \|$", PLAN, re.M)
    covered = []
    for first, last, title, *told in rows:
        steps = [tour.step(n) for n in range(int(first), int(last or first) + 1)]
        covered += [s.number for s in steps]
        assert {s.title for s in steps} == {title}
        sums = [sum(content.notes()[s.id].minutes[i] for s in steps) for i in range(3)]
        assert [0.0 if t == "–" else float(t) for t in told] == sums, title
    assert covered == [s.number for s in tour.steps() if s.id in content.notes()]


def test_the_lesson_plans_short_route_and_questions_name_the_right_steps() -> None:
    listed = re.search(r"20 minutes: the idea\.\*\* Steps ([\d, ]+)\.", PLAN)
    assert listed
    assert [int(n) for n in listed[1].split(",")] == [s.step.number for s in lecture.stops(20)]
    table = PLAN.partition("| Step | Question |")[2].partition("\n\n")[0]
    asked = [int(n) for n in re.findall(r"^\| (\d+) \|", table, re.M)]
    assert asked == [s.number for s in tour.steps() if s.view == "predict"]


def followed(step: int | None, wanted: int | None = None) -> Followed:
    return Followed(step, wanted, 0.0, True)


def test_the_note_is_that_of_the_step_asked_for_while_the_tour_is_on_its_way() -> None:
    assert [lecture.here(f).number for f in (followed(5), followed(5, 6), followed(None))] == [5, 6, 1]


def test_next_and_back_keep_to_the_route() -> None:
    route = lecture.stops(20)
    numbers = [s.step.number for s in route]
    after, before = lecture.following(route, numbers[0]), lecture.preceding(route, numbers[2])
    assert after and before and after.number == before.number == numbers[1]
    left_out = next(n for n in range(1, 30) if n not in numbers)
    after = lecture.following(route, left_out)
    assert after and after.number == next(n for n in numbers if n > left_out)
    assert lecture.following(route, numbers[-1]) is None and lecture.preceding(route, numbers[0]) is None


def test_the_pace_is_said_in_whole_minutes() -> None:
    route = lecture.stops(50)
    stop = route[7]
    number = stop.step.number
    assert "on time" in lecture.pace(route, number, 60 * (stop.begins + 0.01))
    assert "on time" in lecture.pace(route, number, 60 * (stop.ends + 0.9))
    assert "**2 min behind**" in lecture.pace(route, number, 60 * (stop.ends + 2.5))
    assert "**3 min ahead**" in lecture.pace(route, number, 60 * (stop.begins - 3.1))
    assert "leaves this step out" in lecture.pace(lecture.stops(20), 2, 0)


@pytest.mark.parametrize(("seconds", "shown"), [(0, "0:00"), (65.9, "1:05"), (3599, "59:59"), (3729, "1:02:09")])
def test_a_time_is_shown_as_a_clock_shows_it(seconds: float, shown: str) -> None:
    assert lecture.clock(seconds) == shown


def test_the_notes_lie_beside_the_page() -> None:
    assert (
        lecture.notes_address("https://lab.example/spec/lecture", "abcdefghjk", 20)
        == "https://lab.example/spec/notes?code=abcdefghjk&plan=20"
    )
    assert lecture.notes_address(None, "abcdefghjk", 50) == "notes?code=abcdefghjk&plan=50"


@pytest.mark.parametrize(
    ("address", "can"),
    [
        ("http://localhost:8501/notes", False),
        ("http://127.0.0.1/notes", False),
        ("http://[::1]:8501/notes", False),
        ("notes?code=x", False),
        ("http://10.0.0.5:8501/notes", True),
        ("https://lab.example/notes", True),
        ("http://[fd00::1]/notes", True),
    ],
)
def test_an_address_of_this_machine_alone_is_no_use_to_a_phone(address: str, can: bool) -> None:
    assert lecture.reachable(address) is can


def test_a_qr_code_has_its_white_margin() -> None:
    picture = Image.open(BytesIO(lecture.qr_code("http://10.0.0.5:8501/notes?code=abcdefghjk&plan=50"))).convert("L")
    assert picture.width == picture.height > 200
    assert picture.crop((0, 0, picture.width, 24)).getextrema() == (255, 255)
    assert picture.getpixel((25, 25)) == 0


def test_no_card_is_left_alone_in_its_row() -> None:
    assert [abreast(cards) for cards in range(1, 10)] == [3, 3, 3, 4, 3, 3, 4, 4, 3]
