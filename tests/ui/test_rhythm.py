from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ui.hand_made import CAT, CAT_ROUNDS, draft_alone, speculative, standard
from ui.clocks import MEASURED, classroom, timeline
from ui.rhythm import BINS, Waste, bins, counts, pass_seconds, percentile, rescaled, rhythm, waste

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
