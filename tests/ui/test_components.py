"""What components send to the browser, and what they make of its reports."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.ui.hand_made import CAT, CAT_ROUNDS, speculative, standard
from ui.clocks import classroom, timeline
from ui.components.lanes.lanes import lanes_data, selected_token
from ui.components.token_strip.token_strip import StripToken, selected_index, strip_data

STRIP = [StripToken("a"), StripToken(" b", "kept", (("p", "0.5"),), 0)]
LANES = [timeline(standard(CAT), classroom(), "A"), timeline(speculative(CAT[0], CAT_ROUNDS), classroom(), "B")]


def strip(tokens: list[StripToken]) -> dict[str, Any]:
    return strip_data(tokens, label="text", selectable=True, legend=True, noun="token")


def test_strip_data_is_plain_and_complete() -> None:
    data = json.loads(json.dumps(strip(STRIP)))
    assert data["tokens"][1] == {"text": " b", "state": "kept", "tip": [["p", "0.5"]], "group": 0}


def test_a_strips_id_is_its_texts() -> None:
    marked = [StripToken("a", "marked"), StripToken(" b")]
    assert strip(marked)["id"] == strip(STRIP)["id"]
    assert strip([StripToken("a b")])["id"] != strip(STRIP)["id"] != strip([StripToken("a"), StripToken(" c")])["id"]


def test_lone_surrogates_do_not_break_the_id() -> None:
    assert strip([StripToken("\ud83d")])["id"]


@pytest.mark.parametrize(
    ("report", "index"),
    [
        ({"id": "x", "index": 1}, 1),
        ({"id": "x", "index": 0}, 0),
        ({"id": "older text", "index": 1}, 7),
        ({"id": "x", "index": 2}, 7),
        ({"id": "x", "index": -1}, 7),
        ({"id": "x", "index": "1"}, 7),
        ("nonsense", 7),
        (None, 7),
    ],
)
def test_strip_believes_only_reports_about_this_text(report: object, index: int) -> None:
    assert selected_index({"selected": report}, "x", 2, 7) == index
    assert selected_index(None, "x", 2, 7) == 7


def test_lanes_data_carries_what_the_replay_derives_its_stops_from() -> None:
    data = json.loads(json.dumps(lanes_data(LANES, "run")))
    lane = data["lanes"][1]
    assert lane["finish"] == LANES[1].finish and lane["end"] == LANES[1].end
    assert len(lane["delivered"]) == len(CAT)
    assert len(lane["rounds"]) == len(CAT_ROUNDS)
    assert set(lane["calls"][0]) == {"model", "start", "end", "round"}
    assert {"text", "state", "shown", "settled", "group", "tip"} == set(lane["tokens"][0])


@pytest.mark.parametrize(
    ("report", "chosen"),
    [
        ({"run": "run", "lane": 1, "index": 3}, (1, 3)),
        ({"run": "before", "lane": 1, "index": 3}, None),
        ({"run": "run", "lane": 2, "index": 3}, None),
        ({"run": "run", "lane": 0, "index": len(CAT)}, None),
        ({"run": "run", "lane": 0, "index": None}, None),
        ("nonsense", None),
    ],
)
def test_lanes_believe_only_reports_about_this_run(report: object, chosen: tuple[int, int] | None) -> None:
    assert selected_token({"selected": report}, "run", LANES) == chosen
