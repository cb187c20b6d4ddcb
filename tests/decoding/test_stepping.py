from __future__ import annotations

import inspect
import sys
from collections.abc import Generator

import pytest

from core.decoding import DecodeRequest, RequestError, Trace, decode
from core.decoding.rule import ROUNDS
from core.decoding.stepping import Recording, Step, record, shown_source
from core.models import ModelPair
from tests.tiny import tiny_pair

MOST_LINES = 17
"""What fits on a projected screen."""


@pytest.fixture(scope="module")
def tiny() -> ModelPair:
    return tiny_pair()


def asked(rule: str = "rejection", temperature: float = 1.0) -> DecodeRequest:
    return DecodeRequest("1 2 3", gamma=3, temperature=temperature, max_new_tokens=16, seed=7, chat=False, rule=rule)  # type: ignore[arg-type]


def finished(recording: Generator[float, None, Recording]) -> tuple[list[float], Recording]:
    told = []
    while True:
        try:
            told.append(next(recording))
        except StopIteration as stop:
            return told, stop.value


def value(step: Step, expression: str) -> str:
    return dict(step.values)[expression]


def of_line(recording: Recording, text: str) -> list[Step]:
    return [s for s in recording.steps if text in recording.lines[s.line]]


def rounds(trace: Trace, missed: bool) -> list[int]:
    return [r.index for r in trace.rounds if r.positions and bool(r.rejected) == missed]


@pytest.mark.parametrize("rule", list(ROUNDS))
def test_the_code_shown_is_the_functions_own_and_fits_on_a_screen(rule: str) -> None:
    function = ROUNDS[rule]
    shown = shown_source(function)
    whole = inspect.getsource(function).splitlines()
    assert len(shown) <= MOST_LINES
    assert [whole[number - function.__code__.co_firstlineno] for number in shown] == list(shown.values())
    assert '"""' not in "".join(shown.values()) and "return" in list(shown.values())[-1]


@pytest.mark.parametrize("temperature", [0.0, 1.0])
@pytest.mark.parametrize("rule", list(ROUNDS))
def test_every_round_watched_is_the_round_of_the_trace(tiny: ModelPair, rule: str, temperature: float) -> None:
    request = asked(rule, temperature)
    trace = decode(tiny, request)
    for r in trace.rounds[::3]:
        recording = finished(record(tiny, request, r.index))[1]
        assert recording.shows(r)
        assert not any(recording.shows(other) for other in trace.rounds if other.committed != r.committed)
        assert len([s for s in recording.steps if s.kind == "test"]) == r.accepted + r.rejected


def test_a_miss_is_seen_line_by_line_with_the_traces_numbers(tiny: ModelPair) -> None:
    trace = decode(tiny, asked())
    index = next(i for i in rounds(trace, missed=True) if trace.rounds[i].accepted)
    r = trace.rounds[index]
    recording = finished(record(tiny, asked(), index))[1]
    assert [s.kind for s in recording.steps] == [
        "call", "assign", "assign", "assign", *["loop", "test"] * (r.accepted + 1), "assign", "return",
    ]  # fmt: skip
    for x, step in zip(r.positions, of_line(recording, "if not"), strict=False):
        assert x.u is not None
        assert float(value(step, "u[i]")) == pytest.approx(x.u, abs=6e-4)
        assert float(value(step, "p[i][x]")) == pytest.approx(x.p, abs=6e-4)
        assert float(value(step, "q[i][x]")) == pytest.approx(x.q, abs=6e-4)
        assert value(step, "u[i] * q[i][x] < p[i][x]") == str(x.accepted)
        assert step.entered is not x.accepted
    assert r.final is not None
    assert value(of_line(recording, "correction =")[0], "correction") == repr(r.final.text)
    assert value(of_line(recording, "guesses, q")[0], "guesses") == str([x.text for x in r.positions])
    assert value(recording.steps[0], "gamma") == "3"
    assert value(recording.steps[-1], "guesses[:i]") == str([x.text for x in r.positions[: r.accepted]])


def test_a_round_without_a_miss_leaves_the_loop_and_draws_the_bonus(tiny: ModelPair) -> None:
    trace = decode(tiny, asked())
    index = rounds(trace, missed=False)[0]
    recording = finished(record(tiny, asked(), index))[1]
    assert [s.entered for s in recording.steps if s.kind == "loop"][-1] is False
    final = trace.rounds[index].final
    assert final and value(of_line(recording, "bonus =")[0], "bonus") == repr(final.text)
    assert not of_line(recording, "correction =")


def test_others_have_their_turn_between_rounds_and_the_tracer_is_gone(tiny: ModelPair) -> None:
    before = sys.gettrace()
    recording = record(tiny, asked(), 3)
    told = []
    for share in recording:
        told.append(share)
        assert sys.gettrace() is before
    assert told == sorted(told) and len(told) == 4 and told[-1] < 1
    assert sys.gettrace() is before


def test_a_round_that_is_not_there_and_a_run_without_rounds_give_one_sentence(tiny: ModelPair) -> None:
    with pytest.raises(RequestError, match="ends before that round"):
        finished(record(tiny, asked(), 99))
    with pytest.raises(RequestError, match="has rounds to watch"):
        finished(record(tiny, DecodeRequest("1 2", method="standard", chat=False), 0))
    with pytest.raises(RequestError, match="choose another drafter"):
        finished(record(tiny, DecodeRequest("1 2", drafter="tree", chat=False), 0))
