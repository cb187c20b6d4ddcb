"""The check before drafting is switched on: forms, promises, waits, a round's time, memory."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.decoding import decode
from core.decoding.events import fold
from core.decoding.request import DecodeRequest
from core.measure.readiness import Answer, Check, Result, answer, fault, first_object, promises, repetition
from core.measure.readiness_memory import BITS, fit, higher, machine_memory, plan, rows, tokens_instead
from core.measure.readiness_times import Line, Lines, lines, split, unsteady
from core.theory.memory import ModelSize, memory_plan
from tests.pages import stand_in
from tests.tiny import tiny_pair

ONE = Answer((1, 2, 3, 4, 5), "Paris is it.", "eos", 0.1, 0.0, 0.0, 0.08, 0.0, 4)
TWO = replace(ONE, set_up=0.05, draft=0.01, verify=0.028, overhead=0.002, rounds=2, drafted=3, accepted=2, rejected=1)
JSON = Check("book", "A book", "…", "json", fields={"title": "text", "year": "whole"})
TOOL = Check("call", "A call", "…", "tool", tool="get_weather", fields={"city": "text"})
KNOWN = Check("week", "A week", "…", "known", answers=("seven", "7"))


def result(check: Check, before: str, after: str) -> Result:
    return Result(check, replace(ONE, text=before), replace(TWO, text=after))


def kept(*results: Result) -> dict[str, bool | None]:
    return {p.name: p.kept for p in promises(results)}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('Sure! ```json\n{"title": "A", "year": 1851, "more": [1]}\n``` Enjoy {it}.', None),
        ('{"title": "A", "year": "1851"}', "field year is of another type"),
        ('{"title": "A", "year": true}', "field year is of another type"),
        ('{"title": "A"}', "field year is missing"),
        ('{"title": "A", "year": 18', "malformed"),
        ('{"title": "A", "year": NaN}', "malformed"),
        ("{'title': 'A'}", "malformed"),
        ("no braces here", "no JSON"),
        ("{" * 3000, "malformed"),
        ('{"a":' * 3000, "malformed"),
    ],
)
def test_json_is_read_by_a_parser_and_held_to_its_fields(text: str, says: str | None) -> None:
    found = fault(JSON, text)
    assert found is None if says is None else found is not None and says in found


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"name": "get_weather", "arguments": {"city": "Rome"}}', None),
        ('{"name": "get_time", "arguments": {"city": "Rome"}}', "another tool"),
        ('{"name": "get_weather", "arguments": {"town": "Rome"}}', "city is missing"),
        ('{"name": "get_weather", "arguments": "Rome"}', "no arguments"),
        ('{"arguments": {"city": "Rome"}}', "name is missing"),
    ],
)
def test_a_tool_call_names_its_tool_and_arguments(text: str, says: str | None) -> None:
    found = fault(TOOL, text)
    assert found is None if says is None else found is not None and says in found


def test_known_answers_are_whole_words() -> None:
    assert fault(KNOWN, "There are Seven days.") is None and fault(KNOWN, "It has 7.") is None
    assert fault(KNOWN, "There are 17 days, seventy weeks.") is not None
    assert isinstance(first_object("[1, 2]"), str)


def test_repetition_counts_sequences_that_stood_there_before() -> None:
    assert repetition([1, 2, 3, 4, 1, 2, 3, 4]) == pytest.approx(0.2)
    assert repetition([7] * 13) == pytest.approx(0.9) and repetition([1, 2, 3]) == 0


@given(st.lists(st.integers(0, 3), max_size=40))
def test_repetition_is_a_share_and_saying_all_twice_shows(tokens: list[int]) -> None:
    n = len(tokens)
    assert 0 <= repetition(tokens) < 1
    if n >= 4:
        # Of 2n − 3 sequences, the second saying can only add the three that go over the seam.
        assert repetition(tokens * 2) >= (n - 3) / (2 * n - 3) - 1e-12


def test_equal_answers_keep_every_promise_that_was_tested() -> None:
    right = '{"title": "A", "year": 1}'
    found = kept(result(JSON, right, right), result(KNOWN, "seven", "seven"))
    assert found == {
        "Same answers (greedy)": True, "Same draws (sampled)": None, "No new repetition": True, "Valid JSON": True,
        "Valid tool calls": None, "Known answers": True, "Complete answers": True,
    }  # fmt: skip


def test_what_the_target_gets_wrong_by_itself_breaks_no_promise() -> None:
    same = [p for p in promises([result(KNOWN, "eight", "eight")]) if p.name == "Known answers"]
    assert same[0].kept and "not right either way: the target's own doing" in same[0].words


def test_what_drafting_changes_breaks_its_promise() -> None:
    wrong = result(KNOWN, "seven", "eight")
    assert kept(wrong)["Known answers"] is False
    # An answer that gets better by drafting is another answer all the same.
    assert kept(result(KNOWN, "eight", "seven"))["Known answers"] is False
    other = Result(KNOWN, ONE, replace(TWO, tokens=(1, 2, 9, 4, 5), stop="length"))
    assert other.parts_at == 2
    found = kept(other, replace(other, check=replace(KNOWN, temperature=1.0)))
    assert found["Same answers (greedy)"] is found["Same draws (sampled)"] is found["Complete answers"] is False
    shorter = Result(KNOWN, ONE, replace(TWO, tokens=(1, 2)))
    assert shorter.parts_at == 2
    looping = Result(KNOWN, replace(ONE, tokens=tuple(range(40))), replace(TWO, tokens=(1, 2) * 20))
    assert kept(looping)["No new repetition"] is False


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_a_real_pair_answers_the_same_both_ways(temperature: float) -> None:
    pair = tiny_pair()
    for seed in range(4):
        check = Check("x", "x", "1 2 3", length=12, temperature=temperature, seed=seed)
        found = Result(check, answer(decode(pair, check.request())), answer(decode(pair, check.request(3))))
        assert found.parts_at is None and found.drafted.drafted > 0 and found.reference.drafted == 0


def test_a_run_in_figures_is_on_the_fastest_clock() -> None:
    def run(method: str) -> Answer:
        asked = DecodeRequest("x", method, gamma=3, max_new_tokens=20)  # type: ignore[arg-type]
        return answer(fold(asked, stand_in.stream(asked)))

    alone, drafted = run("standard"), run("speculative")
    assert alone.writing == pytest.approx(19 * (0.024 + 0.0005) / 1.1)
    assert alone.set_up == 0 and drafted.set_up == 0 and alone.total == pytest.approx(0.024 + alone.writing)
    assert drafted.verify == pytest.approx(drafted.rounds * 0.024)
    assert drafted.draft == pytest.approx(drafted.drafted * 0.002)


def test_break_even_by_hand() -> None:
    both = Lines(Line(0.1, 0.02), Line(0.1505, 0.01))
    assert both.break_even == 7 and both.speed_up(7) > 1 > both.speed_up(6)
    assert Lines(Line(0.1, 0.02), Line(0.2, 0.02)).break_even is None
    assert Lines(Line(0.1, 0.02), Line(0.1, 0.01)).break_even == 2


@given(
    st.floats(0.001, 1), st.floats(0.001, 0.1), st.floats(0, 2), st.floats(0.001, 0.1)
)  # fmt: skip
def test_break_even_is_the_first_length_that_gains(first: float, token: float, more: float, drafted: float) -> None:
    both = Lines(Line(first, token), Line(first + more, drafted))
    even = both.break_even
    if even is None:
        assert drafted >= token
    elif even < 10**6:
        assert both.gains(even) and not (even > 1 and both.gains(even - 1))


def test_lines_count_set_up_and_loading() -> None:
    both = lines([Result(KNOWN, ONE, TWO)])
    assert both is not None
    assert (both.standard.first, both.standard.token) == pytest.approx((0.1, 0.02))
    assert (both.drafted.first, both.drafted.token) == pytest.approx((0.15, 0.01))
    loaded = lines([Result(KNOWN, ONE, TWO)], loading=1.0)
    assert loaded is not None and both.break_even is not None and loaded.break_even is not None
    assert loaded.break_even == both.break_even + 100
    one_token = replace(ONE, tokens=(1,))
    assert lines([Result(KNOWN, one_token, TWO)]) is None and split([Result(KNOWN, one_token, TWO)]) is None


def test_a_rounds_time_explains_the_speed_up() -> None:
    found = split([Result(KNOWN, ONE, TWO)])
    assert found is not None
    assert (found.tau, found.gamma, found.alpha_hat) == (2.0, 1.5, pytest.approx(2 / 3))
    # The ratio of both runs' writing times, put together again from the parts of a round.
    assert found.speed_up == pytest.approx(ONE.writing / TWO.writing) == pytest.approx(2.0)
    assert found.ceiling == pytest.approx(2.5)
    assert found.dearer(1) == pytest.approx(2.0) and found.dearer(5) == pytest.approx(1.0)
    assert split([Result(KNOWN, ONE, replace(TWO, drafted=0))]) is None


def test_a_busy_machine_is_noticed() -> None:
    ten = tuple(range(10))
    steady = [Result(KNOWN, replace(ONE, tokens=ten, verify=0.09 * f), TWO) for f in (1.0, 1.4)]
    assert unsteady(steady) is None and unsteady([]) is None
    busy = [*steady, Result(KNOWN, replace(ONE, tokens=ten, verify=0.18), TWO)]
    assert unsteady(busy) == pytest.approx((0.01, 0.02))
    # A very short answer's pace says nothing.
    assert unsteady([*steady, Result(KNOWN, replace(ONE, verify=0.9), TWO)]) is None


BIG, SMALL = ModelSize(1_000_000_000, 10, 4, 50), ModelSize(100_000_000, 2, 4, 50)


def test_memory_in_sixteen_bits_is_the_theory_s() -> None:
    assert plan(BIG, SMALL, context=1000, precision="16 bits") == memory_plan(
        BIG, SMALL, context=1000, dtype="bfloat16"
    )
    assert plan(BIG, None, context=1000, precision="32 bits") == memory_plan(BIG, context=1000, dtype="float32")
    # A quantised model's caches keep 16 bits.
    small = plan(BIG, SMALL, context=1000, precision="4 bits")
    assert (small.target_weights, small.target_cache) == (562_500_000, 8_000_000)


def test_what_fits_and_what_else_the_memory_would_buy() -> None:
    found = rows(BIG, SMALL, context=1000, longest=1500, precision="16 bits", there=2_500_000_000)
    assert [(r.plan.context, r.fit) for r in found] == [
        (1000, "barely"),
        (1000, "barely"),
        (1500, "barely"),
        (1000, "not"),
    ]
    assert fit(1000, 1300) == "fits" and fit(1000, 1299) == "barely" and fit(1000, 999) == "not"
    assert tokens_instead(BIG, found[1].plan) == (200_000_000 + 1_600_000) // 8000
    whole = rows(BIG, SMALL, context=1500, longest=1500, precision="32 bits", there=1)
    assert len(whole) == 2 and higher("32 bits") is None and list(BITS) == sorted(BITS, key=lambda b: BITS[b])


def test_a_container_s_limit_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "read_text", lambda self, **_: "123456789\n")
    assert machine_memory() == 123_456_789
    monkeypatch.setattr(Path, "read_text", lambda self, **_: "max\n")
    assert machine_memory() > 123_456_789
