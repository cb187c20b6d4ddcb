from __future__ import annotations

import json

import pytest

from core.decoding import DecodeRequest, Trace, TraceError, decode, fold, stream
from tests.tiny import tiny_pair

PAIR = tiny_pair()
ASK = DecodeRequest("1 2 3", temperature=1.0, max_new_tokens=12, gamma=3)
TRACE = decode(PAIR, ASK)


def test_a_trace_goes_into_a_file_and_back_unchanged():
    assert Trace.from_json(TRACE.to_json()) == TRACE
    assert Trace.from_json(TRACE.to_json().encode()) == TRACE


@pytest.mark.parametrize(
    "text",
    ["", "null", "[]", "{}", "not json", '{"schema": 1}', "[" * 100_000, b"\xff\xfe", TRACE.to_json()[:-20]],
    ids=["empty", "null", "list", "object", "words", "bare", "deep", "bytes", "cut"],
)
def test_what_is_no_trace_is_refused_in_one_sentence(text):
    with pytest.raises(TraceError, match="not a trace"):
        Trace.from_json(text)


def test_a_trace_of_another_schema_is_named_as_such():
    with pytest.raises(TraceError, match="version 99"):
        Trace.from_json(json.dumps({**json.loads(TRACE.to_json()), "schema": 99}))


def test_a_trace_with_a_request_that_cannot_be_run_is_refused():
    raw = json.loads(TRACE.to_json())
    raw["request"]["gamma"] = 10**9
    with pytest.raises(TraceError):
        Trace.from_json(json.dumps(raw))


def test_the_frame_has_a_row_for_each_token_seen():
    frame = TRACE.to_frame()
    assert len(frame) == 1 + sum(len(r.positions) + (r.final is not None) for r in TRACE.rounds)
    assert frame[frame.committed].token.tolist() == TRACE.tokens
    assert set(frame.status) <= {"target", "kept", "rejected", "discarded", "correction", "bonus"}


def test_top_candidates_are_ranked_and_hold_the_mass_they_claim():
    for x in TRACE.positions():
        p = [c.p for c in x.top_p]
        assert p == sorted(p, reverse=True) and sum(p) == pytest.approx(1, abs=1e-5)
        assert next(c.q for c in x.top if c.token == x.token) == pytest.approx(x.q)


def test_folding_needs_the_whole_run():
    with pytest.raises(ValueError, match="all events"):
        fold(ASK, list(stream(PAIR, ASK))[:-1])


def test_a_plain_run_has_rounds_of_one_token():
    trace = decode(PAIR, DecodeRequest("1 2", method="standard", max_new_tokens=5))
    assert [len(r.committed) for r in trace.rounds] == [1] * 4
    assert (trace.alpha_hat, trace.beta_bar, trace.c_hat, trace.tau) == (None, None, None, 1.0)
    assert (trace.target_calls, trace.draft_calls) == (5, 0)
