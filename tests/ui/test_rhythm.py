from __future__ import annotations

import json

import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.theory.memory import MemoryPlan
from tests.ui.hand_made import CAT, CAT_ROUNDS, draft_alone, speculative, standard
from ui.clocks import MEASURED, classroom, timeline
from ui.components.schedule.schedule import schedule_data
from ui.figures_memory import memory_bars
from ui.figures_rhythm import gap_bars
from ui.rhythm import (
    BINS,
    Rhythm,
    Waste,
    amount,
    bins,
    costs,
    counts,
    gets_faster,
    pass_seconds,
    percentile,
    rescaled,
    rhythm,
    stays,
    waste,
)

ALONE, TOGETHER = standard(CAT), speculative(CAT[0], CAT_ROUNDS)


def test_standard_decoding_ticks_evenly() -> None:
    told = rhythm(timeline(ALONE, classroom(600, 60)))
    assert told.first == pytest.approx(0.6) and told.draft_prompt == 0
    assert told.gaps == pytest.approx([0.6] * 20)
    assert told.bursts == (1,) * 20 and told.together == 0
    assert told.total == pytest.approx(21 * 0.6)
    assert told.median == pytest.approx(0.6) and told.p95 == pytest.approx(0.6)


def test_draft_and_verify_comes_in_bursts() -> None:
    told = rhythm(timeline(TOGETHER, classroom(600, 60)))
    # The draft reads the prompt too, before anything is there to be read.
    assert told.first == pytest.approx(0.66) and told.draft_prompt == pytest.approx(0.06)
    assert told.bursts == (5, 1, 4, 1, 5, 2, 2) and sum(told.bursts) == len(CAT) - 1
    assert told.together == 13 and told.median == 0
    # Seven rounds: six with four guesses take 0.84 s, the last with two 0.72 s.
    assert sorted(told.gaps)[-7:] == pytest.approx([0.72] + [0.84] * 6)
    assert told.p95 == pytest.approx(0.84)
    assert told.total == pytest.approx(0.66 + 6 * 0.84 + 0.72)


def test_one_token_has_no_gap() -> None:
    told = rhythm(timeline(standard(["Yes"]), classroom()))
    assert told.gaps == told.bursts == () and told.total == told.first
    with pytest.raises(ValueError, match="no values"):
        told.p95  # noqa: B018


@pytest.mark.parametrize(("share", "value"), [(0, 1.0), (50, 3.0), (95, 4.8), (100, 5.0)])
def test_percentiles_lie_between_neighbours(share: float, value: float) -> None:
    assert percentile([5, 3, 1, 2, 4], share) == pytest.approx(value)


def test_every_drafted_token_has_one_fate() -> None:
    assert waste(TOGETHER) == Waste(kept=14, missed=4, dropped=8)
    assert (waste(TOGETHER).drafted, waste(TOGETHER).wasted) == (26, 12)
    assert waste(ALONE) == waste(draft_alone(CAT)) == Waste(0, 0, 0)


def test_target_passes_are_the_unit_of_either_clock() -> None:
    assert pass_seconds(ALONE, classroom(600, 60)) == 0.6
    # A padded pass took 0.1 s, 1.25 times what a pass of one position takes.
    assert pass_seconds(ALONE, MEASURED) == pytest.approx(0.08)
    lane = rescaled(timeline(ALONE, classroom(600, 60)), 0.6)
    assert lane.delivered == pytest.approx(list(range(1, 22)))
    assert [c.end for c in lane.calls] == pytest.approx(list(range(1, 22)))
    together = timeline(TOGETHER, classroom(600, 60))
    assert rescaled(together, 0.6).rounds[0] == pytest.approx(together.rounds[0] / 0.6)


GAPS = st.lists(st.just(0.0) | st.floats(1e-6, 1e4), max_size=60)


@given(GAPS, GAPS)
def test_every_gap_falls_into_one_bin(one: list[float], other: list[float]) -> None:
    edges = bins(one, other)
    assert 2 <= len(edges) <= BINS + 2
    assert sum(counts(one, edges)) == len(one) and sum(counts(other, edges)) == len(other)


def test_a_gap_on_an_edge_belongs_to_the_bin_that_begins_there() -> None:
    edges = bins([2.4])
    assert edges[:3] == pytest.approx([0.0, 0.1, 0.2]) and len(edges) == 26
    # 0.1 × 3 by subtraction: a hair below 0.3.
    assert counts([0.4 - 0.1, 0.0, 2.4], edges) == [1, 0, 0, 1, *[0] * 20, 1]
    assert bins([], []) == bins([0.0]) == [0.0, 1.0]


EVEN = Rhythm(first=0.05, draft_prompt=0.0, gaps=(0.02,) * 10, bursts=(1,) * 10, total=0.25)
QUICK = Rhythm(first=0.06, draft_prompt=0.01, gaps=(0.03, 0.0, 0.0, 0.0, 0.0) * 2, bursts=(5, 5), total=0.12)
SLOW = Rhythm(first=0.06, draft_prompt=0.01, gaps=(0.03,) * 10, bursts=(1,) * 10, total=0.36)
PLAN = MemoryPlan(100, "float32", 200_000_000, 0, 20_000_000, 2_000_000)


@pytest.mark.parametrize(
    ("value", "unit", "words"),
    [(0, "seconds", "0"), (0.022, "seconds", "22 ms"), (1.0, "passes", "1 pass"), (1.404, "passes", "1.4 passes"),
     (31.17, "passes", "31.17 passes"), (0, "passes", "0")],
)  # fmt: skip
def test_times_in_words(value: float, unit: str, words: str) -> None:
    assert amount(value, unit) == words  # type: ignore[arg-type]


def test_what_stays_is_the_text_and_the_wait_for_its_first_token() -> None:
    card = stays(EVEN, QUICK, 11, None, "seconds")
    assert card.figure == "All 11 tokens" and "no sooner" in card.words
    assert "50 ms alone, 60 ms with the draft" in card.words and "chance" not in card.words
    # A draft cannot make the prompt's pass quicker: a shorter time is noise, and is called so.
    assert "chance" in stays(QUICK, EVEN, 11, None, "seconds").words
    parted = stays(EVEN, QUICK, 11, 4, "seconds")
    assert parted.figure == "The first 4 tokens" and "rounding" in parted.words


def test_what_gets_faster_may_be_nothing() -> None:
    faster, slower = gets_faster(EVEN, QUICK, "seconds"), gets_faster(EVEN, SLOW, "seconds")
    assert faster.figure == "2.08×" and "120 ms instead of 250 ms" in faster.words
    assert "every 6.0 ms instead of every 20 ms" in faster.words and "Nothing" not in faster.words
    assert slower.figure == "0.69×" and slower.words.startswith("Nothing, this time")


def test_what_it_costs() -> None:
    card = costs(EVEN, QUICK, Waste(8, 1, 1), PLAN, "seconds")
    assert card.figure == "2 of 10 guesses"
    assert "22 MB more, 11 % on top" in card.words
    assert "95 of 100 gaps stay within 30 ms, with standard decoding within 20 ms" in card.words
    assert costs(EVEN, QUICK, Waste(1, 0, 0), PLAN, "seconds").figure == "0 of 1 guess"


def test_the_picture_of_the_schedules_holds_the_text_at_the_moments_of_its_coming() -> None:
    lanes = [timeline(ALONE, classroom(), "A"), timeline(TOGETHER, classroom(), "B")]
    data = json.loads(json.dumps(schedule_data(lanes, ["one", "two"], "seconds", lambda t: f"{t:.2f} s")))
    alone, together = data["lanes"]
    assert [lane["title"] + lane["note"] for lane in data["lanes"]] == ["Aone", "Btwo"]
    assert [t["text"] for t in alone["tokens"]] == [t["text"] for t in together["tokens"]] == CAT
    assert len({t["time"] for t in together["tokens"][1:6]}) == 1
    assert together["tokens"][1]["tip"][0] == ["reaches the reader at", "1.50 s"]
    assert {call["model"] for call in together["calls"]} == {"target", "draft"}
    assert data["end"] == lanes[0].end > lanes[1].end


def test_the_picture_of_the_gaps_counts_each_gap_once_and_marks_median_and_p95() -> None:
    figure = go.Figure(gap_bars([("Standard", EVEN), ("Draft and verify", QUICK)], "seconds"))
    assert [sum(bar.y) for bar in figure.data] == [10, 10]
    assert list(figure.data[0].x) == list(figure.data[1].x) and figure.data[1].y[0] == 8
    assert [shape.x0 for shape in figure.layout.shapes] == pytest.approx([0.02, 0.02, 0.0, 0.03])
    notes = [note.text for note in figure.layout.annotations]
    assert notes[0] == "<b>Standard</b>: 10 gaps" and notes[1:3] == ["median 0.02", "p95 0.02"]
    assert figure.layout.xaxis.title.text == "seconds"
    # No gap but 0: both lines and all bars at the left end.
    assert sum(go.Figure(gap_bars([("A", Rhythm(1, 0, (0.0,), (1,), 1))] * 2, "s")).data[0].y) == 1


def test_the_picture_of_the_memory_adds_up() -> None:
    full = MemoryPlan(1000, "float32", 200_000_000, 50_000_000, 20_000_000, 5_000_000)
    figure = go.Figure(memory_bars([("now", PLAN), ("full", full)]))
    bars, totals = figure.data[:-1], figure.data[-1]
    assert [sum(bar.x[i] for bar in bars) for i in (0, 1)] == list(totals.x) == [222, 275]
    assert [text.strip() for text in totals.text] == ["222 MB", "275 MB"]
    assert len({(bar.marker.color, bar.marker.pattern.shape) for bar in bars}) == 4
