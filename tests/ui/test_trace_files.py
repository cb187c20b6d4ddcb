"""Traces that go into a file and come back, and files that must not be opened."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.decoding import DecodeRequest, decode
from core.decoding.rounds import Candidate, Node
from core.decoding.trace import Trace, TraceError
from tests.tiny import tiny_pair
from tests.ui.hand_made import CAT, CAT_ROUNDS, speculative, standard
from ui import trace_files

TRACE = speculative(CAT[0], CAT_ROUNDS)
TEXT = TRACE.to_json()
PAIR = tiny_pair()

Change = Callable[[dict[str, Any]], object]


def changed(change: Change) -> bytes:
    raw = json.loads(TEXT)
    change(raw)
    return json.dumps(raw).encode()


def test_what_was_saved_opens_again_unchanged() -> None:
    for trace in (TRACE, standard(CAT), _with_a_tree()):
        assert trace_files.read(10, trace.to_json().encode()) == trace


@pytest.mark.parametrize(
    ("drafter", "policy", "rule"),
    [
        ("draft", "goodput", "coupled"),
        ("lookup", "heuristic", "rejection"),
        ("early_exit", "confidence", "rejection"),
        ("tree", "fixed", "rejection"),
        ("tree", "fixed", "coupled"),
    ],
)
def test_what_any_drafter_and_policy_gives_opens_again(drafter: Any, policy: Any, rule: Any) -> None:
    asked = DecodeRequest("1 2 1 2", drafter=drafter, policy=policy, rule=rule, max_new_tokens=12, gamma=3)
    for temperature in (0.0, 1.0):
        trace = decode(PAIR, replace(asked, temperature=temperature))
        assert trace_files.read(10, trace.to_json().encode()) == trace


def _with_a_tree() -> Trace:
    nodes = (Node(1, "a", None, 0.5, 0.5, 0.2, True), Node(2, "b", 0, 0.1, 0.2, None, None))
    first = replace(TRACE.rounds[0], tree=nodes, behind=(Candidate(3, "c", 0.1, 0.2, 0.1, 0.2, 0.0),))
    return replace(TRACE, rounds=(first, *TRACE.rounds[1:]))


def test_the_csv_has_a_row_for_each_token_and_its_text_unharmed() -> None:
    odd = replace(TRACE, prefill=replace(TRACE.prefill, choice=replace(TRACE.prefill.choice, text='"<b>,\n😀')))
    rows = list(csv.DictReader(io.StringIO(trace_files.as_csv(odd))))
    assert len(rows) == 1 + sum(len(r.positions) + (r.final is not None) for r in TRACE.rounds)
    assert rows[0]["text"] == '"<b>,\n😀' and rows[0]["u"] == "" and rows[1]["status"] == "kept"
    assert trace_files.file_name(TRACE, "csv") == "trace-draft-gamma4-t0-seed0.csv"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is empty"),
        (b" \n", "is empty"),
        (b"GIF89a\xff\xfe", "not a trace"),
        (b"[" * 50_000, "not a trace"),
        (b'{"schema":' * 50_000, "not a trace"),
        (b'{"schema": 7}', "schema version 7"),
        (b'{"schema": 1' + b"0" * 300 + b"}", "version unknown"),
        (TEXT.encode()[:-30], "not a trace"),
        (b"\xef\xbb\xbf" + TEXT.encode()[3:], "not a trace"),
        (TEXT.replace('"text":"The"', '"text":"\\ud800"').encode(), "not a trace"),
    ],
    ids=["nothing", "blank", "picture", "deep", "deeper", "version", "long-version", "cut", "mark", "surrogate"],
)
def test_what_is_no_trace_is_refused_in_one_sentence(data: bytes, said: str) -> None:
    with pytest.raises(TraceError, match=said) as refusal:
        trace_files.read(len(data), data)
    assert str(refusal.value).count(".") == 1 and len(str(refusal.value)) < 160


def test_a_file_that_is_too_large_is_not_even_read() -> None:
    with pytest.raises(TraceError, match="at most"):
        trace_files.read(trace_files.LARGEST + 1, b"")


def put(path: str, value: object) -> Change:
    """A change that sets the value at a path such as `rounds.0.positions.0.p`."""

    def change(raw: Any) -> None:
        *way, last = path.split(".")
        for step in way:
            raw = raw[int(step)] if isinstance(raw, list) else raw[step]
        raw[int(last) if isinstance(raw, list) else last] = value

    return change


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("rounds.0.positions.0.p", 7.0),
        ("rounds.0.positions.0.q", -0.1),
        ("rounds.0.positions.0.u", 1.5),
        ("rounds.0.positions.0.ratio", float("inf")),
        ("rounds.0.positions.0.beta", float("nan")),
        ("rounds.0.positions.0.entropy_p", 1e9),
        ("rounds.0.positions.0.accepted", False),
        ("rounds.0.positions.0.token", -3),
        ("rounds.0.positions.0.text", "x" * 5000),
        ("rounds.0.target_time", 1e12),
        ("rounds.0.target_time", -1.0),
        ("rounds.0.overhead_time", float("nan")),
        ("rounds.0.draft_times", [float("inf")]),
        ("rounds.0.committed", []),
        ("rounds.0.committed", [999]),
        ("rounds.0.index", 5),
        ("rounds.0.gamma", 10**30),
        ("rounds.0.target_cache", [0, -1]),
        ("rounds.0.tree", [{"token": 1, "text": "", "parent": 0, "p": 0, "q": 0, "u": None, "accepted": None}]),
        ("rounds.1.final.p", 2.0),
        ("pieces", ["only one"]),
        ("pieces.0", "y" * 5000),
        ("text", "z" * 300_000),
        ("prefill.prompt_tokens", [10**9]),
        ("prefill.draft_time", -5.0),
        ("pair.padding_cost", 0.0),
        ("pair.width", -2),
        ("pair.target", "w" * 2000),
    ],
)
def test_figures_that_no_run_can_give_are_refused(path: str, value: object) -> None:
    with pytest.raises(TraceError, match="no run can give"):
        trace_files.read(10, changed(put(path, value)))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("rounds.0.positions.0.accepted", "yes"),
        ("rounds.0.positions.0.p", "0.5"),
        ("rounds.0.positions.0", None),
        ("rounds", {"0": 1}),
        ("request.gamma", 10**9),
        ("request.temperature", float("nan")),
        ("request.prompt", "\x00"),
        ("request.method", "__import__"),
        ("stop", "never"),
    ],
)
def test_what_is_of_another_kind_is_refused(path: str, value: object) -> None:
    with pytest.raises(TraceError, match="not a trace"):
        trace_files.read(10, changed(put(path, value)))


def test_markup_in_a_text_is_only_text() -> None:
    trace = trace_files.read(10, changed(put("rounds.0.positions.0.text", "<script>alert(1)</script>")))
    assert trace.rounds[0].positions[0].text == "<script>alert(1)</script>"


ANYTHING = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.lists(st.integers(), max_size=3)
)


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_bytes_are_a_trace_or_refused(data: bytes) -> None:
    with pytest.raises(TraceError):
        trace_files.read(len(data), data)


@given(st.data())
def test_a_trace_with_anything_put_anywhere_opens_or_is_refused(data: st.DataObject) -> None:
    raw = json.loads(TEXT)
    node: Any = raw
    while True:
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        key = data.draw(st.sampled_from(keys))
        if not isinstance(node[key], dict | list) or not node[key] or data.draw(st.booleans()):
            break
        node = node[key]
    node[key] = data.draw(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats()
        | st.text(max_size=20)
        | st.lists(st.integers(), max_size=3)
    )
    try:
        trace = trace_files.read(10, json.dumps(raw).encode())
    except TraceError:
        return
    # Whatever opens can be drawn and saved.
    assert len(trace.pieces) == len(trace.tokens) and Trace.from_json(trace.to_json()) == trace
    assert trace.seconds == trace.seconds and len(trace.to_frame()) >= 1
