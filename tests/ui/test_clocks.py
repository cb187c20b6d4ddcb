"""Timelines of hand-made traces, worked out on paper."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.ui.hand_made import CAT, CAT_ROUNDS, draft_alone, speculative, standard
from ui.clocks import MEASURED, Lane, classroom, flag, probability, raw_tip, restate, rule_tip, speed_up, timeline

CLASS = classroom()
TEXTS = ["The", " cat", " sat", "."]
ROUNDS = [([" cat", " sat"], [" up", " and"], "correction", " on"), ([" the", " mat"], [], "bonus", ".")]


def test_standard_on_the_classroom_clock_is_one_even_call_a_token() -> None:
    lane = timeline(standard(TEXTS), CLASS, "Standard")
    assert [(c.model, c.round) for c in lane.calls] == [("target", None), *(("target", i) for i in range(3))]
    assert lane.delivered == pytest.approx([0.6, 1.2, 1.8, 2.4])
    assert all(t.shown == t.settled and t.state == "plain" and t.group is None for t in lane.tokens)
    assert lane.rounds == ()
    assert (lane.title, lane.finish, lane.end) == ("Standard", pytest.approx(2.4), pytest.approx(2.4))


def test_a_padded_standard_run_is_measured_as_without_padding() -> None:
    trace = standard(TEXTS)
    lane = timeline(trace, MEASURED)
    step = (0.1 + 0.005) / trace.pair.padding_cost
    assert lane.delivered == pytest.approx([0.2, 0.2 + step, 0.2 + 2 * step, 0.2 + 3 * step])
    assert lane.finish - lane.delivered[0] == pytest.approx(trace.seconds / trace.pair.padding_cost)


@pytest.mark.parametrize("trace", [draft_alone(TEXTS), speculative("The", ROUNDS)], ids=["draft", "speculative"])
def test_other_runs_take_their_own_measured_time(trace) -> None:
    lane = timeline(trace, MEASURED)
    assert lane.delivered[-1] - lane.delivered[0] == pytest.approx(trace.seconds)
    assert lane.delivered[0] == pytest.approx(trace.prefill.target_time + trace.prefill.draft_time)


def test_draft_alone_makes_draft_steps_only() -> None:
    lane = timeline(draft_alone(TEXTS), CLASS)
    assert {c.model for c in lane.calls} == {"draft"}
    assert lane.delivered == pytest.approx([0.06, 0.12, 0.18, 0.24])
    assert (lane.target_calls, lane.draft_calls) == (0, 3)


def test_guesses_are_pending_until_the_target_pass_ends() -> None:
    lane = timeline(speculative("The", ROUNDS), CLASS)
    over = 0.66 + 4 * 0.06 + 0.6
    assert [(t.text, t.state, t.group) for t in lane.tokens[1:6]] == [
        (" cat", "kept", 0),
        (" sat", "kept", 0),
        (" up", "discarded", 0),
        (" and", "discarded", 0),
        (" on", "correction", 0),
    ]
    assert [t.shown for t in lane.tokens[1:6]] == pytest.approx([0.72, 0.78, 0.84, 0.90, over])
    assert [t.settled for t in lane.tokens[1:6]] == pytest.approx([over] * 5)
    assert lane.rounds == pytest.approx([over, over + 2 * 0.06 + 0.6])
    assert lane.tokens[-1].state == "bonus"


def test_only_verified_tokens_are_delivered_and_they_come_in_bursts() -> None:
    trace = speculative("The", ROUNDS)
    lane = timeline(trace, CLASS)
    assert len(lane.delivered) == len(trace.tokens) == 7
    assert [lane.delivered.count(t) for t in sorted(set(lane.delivered))] == [1, 3, 3]


def test_text_of_the_lane_is_the_text_of_the_trace() -> None:
    for trace in (standard(CAT), draft_alone(CAT), speculative(CAT[0], CAT_ROUNDS)):
        assert "".join(t.text for t in timeline(trace, CLASS).tokens if t.delivered) == trace.text


def test_pieces_of_the_trace_win_over_a_lone_tokens_text() -> None:
    trace = speculative("The", ROUNDS)
    pieces = ("The", " c\u00e4t", *trace.pieces[2:])
    assert timeline(replace(trace, pieces=pieces), CLASS).tokens[1].text == " c\u00e4t"


def test_calls_agree_with_the_traces_own_counts() -> None:
    for trace in (standard(CAT), draft_alone(CAT), speculative(CAT[0], CAT_ROUNDS)):
        for clock in (CLASS, MEASURED):
            lane = timeline(trace, clock)
            assert (lane.target_calls, lane.draft_calls) == (trace.target_calls, trace.draft_calls)


def test_calls_follow_one_another_and_leave_overhead_free_on_the_measured_clock() -> None:
    trace = speculative("The", ROUNDS)
    for clock, gap in ((CLASS, 0.0), (MEASURED, 0.005)):
        calls = timeline(trace, clock).calls
        for before, after in zip(calls, calls[1:], strict=False):
            new_round = before.round is not None and before.round != after.round
            assert after.start - before.end == pytest.approx(gap if new_round else 0.0, abs=1e-12)


def test_draft_reads_the_prompt_before_the_first_token() -> None:
    calls = timeline(speculative("The", ROUNDS), CLASS).calls
    assert [(c.model, c.round) for c in calls[:2]] == [("draft", None), ("target", None)]


def test_speed_up_compares_first_token_to_last() -> None:
    base = timeline(standard(["a", "b", "c", "d", "e", "f", "g"]), CLASS)
    fast = timeline(speculative("The", ROUNDS), CLASS)
    assert speed_up(base, fast) == pytest.approx(6 * 0.6 / (0.84 + 0.72))
    assert speed_up(base, fast, tokens=4) == pytest.approx(3 * 0.6 / 0.84)
    assert speed_up(base, base) == pytest.approx(1.0)


def test_speed_up_of_too_little_is_nothing() -> None:
    one = timeline(standard(["a"]), CLASS)
    assert speed_up(one, one) is None
    assert speed_up(Lane("", (), ()), Lane("", (), ())) is None


def test_an_accepted_end_leaves_a_round_without_a_token_of_its_own() -> None:
    lane = timeline(speculative("The", [([" end"], [" more"], "bonus", "")]), CLASS)
    assert [t.state for t in lane.tokens] == ["plain", "kept", "discarded"]
    assert lane.rounds == pytest.approx([lane.finish])


def test_tips_are_raw_in_a_greedy_run_and_the_rules_own_otherwise() -> None:
    greedy = speculative("The", ROUNDS)
    one_hot = replace(greedy.rounds[0].positions[0], p=1.0, p_raw=0.37)
    rounds = (replace(greedy.rounds[0], positions=(one_hot, *greedy.rounds[0].positions[1:])), *greedy.rounds[1:])
    greedy = replace(greedy, rounds=rounds)
    warm = replace(greedy, request=replace(greedy.request, temperature=1.0))
    assert dict(timeline(greedy, CLASS).tokens[1].tip)["target p"] == "0.37"
    assert dict(timeline(warm, CLASS).tokens[1].tip)["target p"] == "1.00"
    assert dict(timeline(warm, CLASS, tip=raw_tip(("big", "small"))).tokens[1].tip)["big"] == "0.37"


def test_tips_name_the_verdict_and_the_writing_model() -> None:
    tell = rule_tip()
    trace = speculative("The", ROUNDS)
    verdicts = [dict(tell(p))["verdict"] for p in trace.rounds[0].positions]
    assert verdicts == ["kept", "kept", "rejected", "never examined"]
    assert tell(draft_alone(TEXTS).prefill.choice) == (("draft q", "0.80"),)
    assert tell(standard(TEXTS).prefill.choice) == (("target p", "0.80"),)


def test_probabilities_never_round_to_a_false_zero() -> None:
    assert [probability(x) for x in (0.0, 0.004, 0.01, 0.999, 1.0)] == ["0.00", "under 0.01", "0.01", "1.00", "1.00"]


def test_restate_changes_the_named_tokens_only() -> None:
    lane = timeline(draft_alone(TEXTS), CLASS)
    marked = restate(lane, {2: "marked"}, {2: (("big model", "0.03"),)})
    assert [t.state for t in marked.tokens] == ["plain", "plain", "marked", "plain"]
    assert marked.tokens[2].tip == (("big model", "0.03"),)
    assert marked.tokens[1] == lane.tokens[1]


def test_flag_puts_a_notice_at_the_rounds_end() -> None:
    lane = flag(timeline(speculative("The", ROUNDS), CLASS), {1: "dear", 7: "no such round"})
    assert [(n.text, n.round, n.time) for n in lane.notices] == [("dear", 1, pytest.approx(lane.rounds[1]))]
