"""A visit's runs in figures, how they pair up, and how they come back after a reload."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.decoding.trace import Trace
from tests.ui.hand_made import CAT, CAT_ROUNDS, draft_alone, speculative, standard
from ui import content, memory, runs
from ui.runs import RUNS, Run, both_ways, compared, summary

ALONE, TOGETHER = standard(CAT), speculative("The", CAT_ROUNDS)


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> dict[str, Run]:
    """The visit's runs, without a session."""
    held: dict[str, Run] = {}
    monkeypatch.setattr(runs.Store, "held", lambda self: held)
    return held


def asking(trace: Trace, **changes: Any) -> Trace:
    return replace(trace, request=replace(trace.request, **changes))


def test_a_standard_run_is_timed_on_the_fastest_clock() -> None:
    run = summary(ALONE)
    assert (run.tokens, run.rounds, run.tau, run.drafted, run.alpha_hat) == (20, 20, 1, 0, None)
    assert run.seconds_per_token == pytest.approx((0.1 + 0.005) / 1.25)
    assert run.overhead == pytest.approx(0.005 / 0.105)


def test_a_speculative_runs_figures_are_the_traces() -> None:
    run = summary(TOGETHER)
    assert run.alpha_hat == TOGETHER.alpha_hat and run.survival == TOGETHER.survival
    assert run.tau == pytest.approx(TOGETHER.tau) and run.c_hat == TOGETHER.c_hat
    assert run.seconds == pytest.approx(TOGETHER.seconds)
    assert run.drafted == 26 and run.draft_seconds == pytest.approx(0.26)
    assert run.prompt == "" and run.width == 5


def test_a_curated_prompt_is_named_by_its_id() -> None:
    first = content.prompts()[0]
    assert summary(asking(ALONE, prompt=first.text, chat=first.chat)).prompt == first.id
    assert summary(asking(ALONE, prompt=first.text, chat=not first.chat)).prompt == ""


def test_the_kind_of_text_the_drafter_and_the_policy_are_told() -> None:
    run = summary(TOGETHER)
    assert (run.kind, run.drafter, run.policy, run.plain) == ("Own", "draft", "fixed", True)
    poem = next(p for p in content.prompts() if p.kind == "Poem")
    told = summary(asking(TOGETHER, prompt=poem.text, chat=poem.chat, drafter="lookup", policy="heuristic"))
    assert (told.kind, told.drafter, told.policy, told.plain) == ("Poem", "lookup", "heuristic", False)
    assert not summary(asking(TOGETHER, policy="goodput")).plain


def test_every_drafted_run_is_measured_against_its_own_text_or_the_usual_pace(held: dict[str, Run]) -> None:
    name = runs.pair_name(TOGETHER.pair)
    runs.record(TOGETHER)
    assert runs.usual(name) is None and runs.measured(name) == []
    slow = replace(ALONE, rounds=tuple(replace(r, target_time=0.3) for r in ALONE.rounds))
    for trace in (ALONE, asking(slow, seed=1), asking(ALONE, seed=2), asking(TOGETHER, seed=1)):
        runs.record(trace)
    runs.record(asking(TOGETHER, seed=3))
    own, slower, other = runs.measured(name)
    assert own.speed_up == other.speed_up == compared(ALONE, TOGETHER).speed_up  # type: ignore[union-attr]
    assert slower.speed_up > 2 * own.speed_up
    assert runs.measured("another pair") == []


def test_a_run_is_found_by_its_request(held: dict[str, Run]) -> None:
    runs.record(TOGETHER)
    assert runs.found(TOGETHER.pair, TOGETHER.request) == summary(TOGETHER)
    assert runs.found(TOGETHER.pair, replace(TOGETHER.request, policy="goodput")) is None
    assert runs.found(replace(TOGETHER.pair, dtype="float16"), TOGETHER.request) is None


def test_both_ways_of_the_same_text_give_the_measured_speed_up(held: dict[str, Run]) -> None:
    for trace in (ALONE, TOGETHER, draft_alone(CAT)):
        runs.record(trace)
    (pair,) = both_ways()
    assert pair.standard.method == "standard" and pair.speculative.method == "speculative"
    assert pair.speed_up == pytest.approx(ALONE.seconds / 1.25 / TOGETHER.seconds)
    assert compared(ALONE, TOGETHER) == pair
    other = replace(TOGETHER, pair=replace(TOGETHER.pair, target="bigger"))
    held.clear()
    runs.record(ALONE)
    runs.record(other)
    assert both_ways() == []


@pytest.mark.parametrize("changes", [{"seed": 1}, {"temperature": 0.5}, {"prompt": "Go on!"}, {"top_k": 5}])
def test_runs_of_different_texts_do_not_pair_up(held: dict[str, Run], changes: dict[str, Any]) -> None:
    runs.record(ALONE)
    runs.record(asking(TOGETHER, **changes))
    assert both_ways() == []
    runs.record(asking(TOGETHER, gamma=2, max_new_tokens=12, rule="coupled"))
    assert len(both_ways()) == 1


def test_equal_requests_are_one_run_and_the_newest_measurement_counts(held: dict[str, Run]) -> None:
    runs.record(TOGETHER)
    runs.record(asking(TOGETHER, gamma=2))
    runs.record(TOGETHER)
    assert [run.gamma for run in held.values()] == [4, 2]
    slower = replace(TOGETHER, rounds=tuple(replace(r, target_time=0.5) for r in TOGETHER.rounds))
    runs.record(slower)
    assert [(run.gamma, run.target_seconds > 3) for run in held.values()] == [(2, False), (4, True)]


def test_a_run_of_one_token_is_no_measurement(held: dict[str, Run]) -> None:
    short = replace(ALONE, rounds=(), pieces=("The",))
    runs.record(short)
    assert held == {} and compared(short, TOGETHER) is None and compared(ALONE, short) is None


def test_the_oldest_runs_go_first(held: dict[str, Run]) -> None:
    for seed in range(runs.MOST + 3):
        runs.record(asking(TOGETHER, seed=seed))
    assert [run.seed for run in held.values()] == list(range(3, runs.MOST + 3))


def visitor() -> None:
    import streamlit as st

    from tests.ui.hand_made import CAT, CAT_ROUNDS, speculative, standard
    from ui import memory, runs, visit

    if st.session_state.get("runs", False):
        runs.record(standard(CAT))
        runs.record(speculative("The", CAT_ROUNDS))
        visit.predict(2, 14)
    if "kept" in st.session_state:
        memory.take_back(st.session_state["kept"])
    memory.remember()
    st.session_state["measured"] = [round(b.speed_up, 6) for b in runs.both_ways()]
    st.session_state["said"] = visit.prediction(2)


def visit_with(**state: object) -> AppTest:
    at = AppTest.from_function(visitor)
    for name, value in state.items():
        at.session_state[name] = value
    return at.run()


def sent(at: AppTest) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(at.get("bidi_component")[0].proto.json)
    return data


def test_runs_and_predictions_come_back_after_a_reload() -> None:
    before = visit_with(runs=True)
    after = visit_with(kept=sent(before)["stores"])
    assert after.session_state["measured"] == before.session_state["measured"] != []
    assert after.session_state["said"] == before.session_state["said"]
    assert sent(after)["restored"] and not sent(before)["restored"]
    assert sent(after)["session"] != sent(before)["session"]


def test_what_the_browser_kept_stays_small() -> None:
    runs_kept = sent(visit_with(runs=True))["stores"]["runs"]
    assert len(runs_kept) / 2 * runs.MOST < 100_000


def test_runs_kept_before_there_were_drafters_and_policies_still_open() -> None:
    stores = sent(visit_with(runs=True))["stores"]
    kept = json.loads(stores["runs"])
    for run in kept.values():
        del run["drafter"], run["policy"]
    after = visit_with(kept={"runs": json.dumps(kept)})
    assert len(after.session_state["measured"]) == 1


@pytest.mark.parametrize(
    "spoilt",
    [
        {"tokens": 0}, {"rounds": 0}, {"target_seconds": float("nan")}, {"target_seconds": -9.0}, {"method": "magic"},
        {"reached": "x"}, {"gamma": None}, {"policy": "wild"}, {"drafting": 0, "reached": [1]},
    ],
)  # fmt: skip
def test_runs_that_make_no_sense_are_left_alone(spoilt: dict[str, object]) -> None:
    stores = sent(visit_with(runs=True))["stores"]
    kept = json.loads(stores["runs"])
    kept[next(iter(kept))].update(spoilt)
    after = visit_with(kept={"runs": json.dumps(kept), "predictions": stores["predictions"]})
    assert not after.exception and after.session_state["measured"] == []
    assert after.session_state["said"] is not None


@pytest.mark.parametrize("kept", [None, 5, "text", {}, {"runs": None}, {"other": "{}"}])
def test_a_browser_that_kept_nothing_changes_nothing(kept: object) -> None:
    after = visit_with(kept=kept, runs=True)
    assert not after.exception and len(after.session_state["measured"]) == 1


def test_every_store_has_a_name_of_its_own() -> None:
    names = [store.name for store in memory.STORES]
    assert len(set(names)) == len(names)
    assert RUNS in memory.STORES
