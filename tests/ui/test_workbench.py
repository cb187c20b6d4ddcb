"""The workbench: tokens live and afterwards, what a repeat and a comparison say, the runs it remembers."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import plotly.graph_objects as go
import pytest
import streamlit as st

from core.decoding import DecodeRequest
from core.decoding.events import Committed, Drafted, Event, Prefilled, Verified
from core.decoding.rounds import Choice, Position
from core.decoding.trace import Trace
from tests.ui.hand_made import CAT, CAT_ROUNDS, choice, draft_alone, guess, guess_round, speculative, standard
from ui import runs, workbench, workbench_strip, workbench_words
from ui.token_panel import subjects
from ui.workbench_figures import rounds_figure
from ui.workbench_token import remark, rows, weighed

ALONE, TOGETHER = standard(CAT), speculative("The", CAT_ROUNDS)
WARM = replace(TOGETHER, request=replace(TOGETHER.request, temperature=1.0))


@pytest.fixture(autouse=True)
def session(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A session's state, without a session."""
    state: dict[str, Any] = {}
    monkeypatch.setattr(st, "session_state", state)
    return state


def events(trace: Trace) -> list[Event]:
    """What a run of the trace reports, up to its last round."""
    found: list[Event] = [Prefilled(trace.prefill, trace.pieces[0])]
    for r in trace.rounds:
        found += [Drafted(r.index, i, x.token, x.text, 0.01) for i, x in enumerate(r.positions)]
        found += [Verified(r.index, tuple(x.accepted for x in r.positions)), Committed(r, ())]
    return found


def states(tokens: list[Any]) -> str:
    return "".join(
        {"kept": "k", "discarded": "d", "pending": "?", "correction": "c", "bonus": "b", "plain": "."}[t.state]
        for t in tokens
    )


def test_tokens_stand_in_the_order_of_the_traces_subjects() -> None:
    tokens, places = workbench_strip.tokens(TOGETHER)
    assert [t.text for t in tokens] == [x.text for _, x in subjects(TOGETHER)] and places == list(range(len(tokens)))
    assert states(tokens).startswith(".kkkkbddddckkkdc")
    kept, places = workbench_strip.tokens(TOGETHER, dropped=False)
    assert [t.text for t in kept] == CAT and "d" not in states(kept)
    assert [subjects(TOGETHER)[i][1].text for i in places] == CAT
    assert {"p", "q", "u", "verdict"} == {label for label, _ in tokens[1].tip}


def test_live_a_round_is_first_guesses_and_then_verdicts() -> None:
    told = events(TOGETHER)
    first_round = next(i for i, e in enumerate(told) if isinstance(e, Committed)) + 1
    shown = lambda n, hold: states(workbench_strip.live_tokens(told[:n], hold))  # noqa: E731
    assert shown(0, True) == "" and shown(1, True) == "." and shown(3, True) == ".??"
    assert shown(first_round, True) == ".????" and shown(first_round, False) == ".kkkkb"
    assert shown(first_round + 2, True) == ".kkkkb??"
    # At the end it is what the finished trace shows.
    assert workbench_strip.live_tokens(told, False) == [replace(t, tip=s.tip) for t, s in zip(
        workbench_strip.tokens(TOGETHER)[0], workbench_strip.live_tokens(told, False), strict=True)]  # fmt: skip
    assert states(workbench_strip.live_tokens(told, False, dropped=False)).count("d") == 0
    assert states(workbench_strip.live_tokens(events(ALONE), True)) == "." * len(CAT)
    assert workbench_strip.so_far(told[:first_round], 32) == "Writing: 6 of 32 tokens in 1 round. 4 of 4 guesses kept."
    assert workbench_strip.so_far([], 1) == "Writing: 0 of 1 token in 0 rounds."


def test_a_repeat_is_the_same_in_everything_but_the_clock() -> None:
    slower = replace(WARM, rounds=tuple(replace(r, target_time=1.0) for r in WARM.rounds))
    said = workbench_words.repeat_words(WARM, slower)
    assert "All 21 tokens are equal, all 26 numbers drawn, all verdicts, and p and q to the last digit" in said
    assert "7.29 s now" in said
    alone = workbench_words.repeat_words(ALONE, ALONE)
    assert "**The same again.** All 21 tokens are equal, all verdicts. Only" in alone


def test_a_repeat_that_differs_is_told_from_one_that_follows_the_clock() -> None:
    shorter = replace(WARM, rounds=WARM.rounds[:-1])
    assert "**Not the same.** The texts part at token 20." in workbench_words.repeat_words(WARM, shorter)
    x = WARM.rounds[0].positions[0]
    drawn = replace(WARM.rounds[0], positions=(replace(x, u=0.1), *WARM.rounds[0].positions[1:]))
    other = replace(WARM, rounds=(drawn, *WARM.rounds[1:]))
    assert not workbench_words.repeated(WARM, other).same_draws
    assert "**Not the same.** The texts are equal all the same." in workbench_words.repeat_words(WARM, other)
    by_clock = replace(WARM, request=replace(WARM.request, policy="goodput"))
    assert "**Other rounds this time.**" in workbench_words.repeat_words(
        by_clock, replace(shorter, request=by_clock.request)
    )


def test_the_rule_with_a_tokens_numbers() -> None:
    places = {x.text: (where, x) for where, x in subjects(WARM)}
    where, kept = places[" cat"]
    assert r"\frac{0.800}{0.600}" in weighed(WARM, where, kept)[0] and "keep" in weighed(WARM, where, kept)[0]
    where, missed = places[" mat"]
    assert "miss" in weighed(WARM, where, missed)[0]
    where, correction = places[" windowsill"]
    assert "r(y)" in weighed(WARM, where, correction)[0]
    where, dropped = places[" looked"]
    assert weighed(WARM, where, dropped) == [] and "Nobody looked" in remark(WARM, where, dropped)
    coupled = replace(WARM, request=replace(WARM.request, rule="coupled"))
    assert weighed(coupled, *places[" cat"]) == [] and "Coupled draws" in remark(coupled, *places[" cat"])
    assert weighed(WARM, None, WARM.prefill.choice) == []


def test_the_bars_at_a_token_add_up_to_one() -> None:
    from tests.pages.stand_in import stream

    asked = DecodeRequest("x", temperature=1.0, max_new_tokens=12, gamma=3)
    found = [event.round for event in stream(asked) if isinstance(event, Committed)]
    for r in found:
        seen: list[Position | Choice] = [*r.positions, *([r.final] if r.final else [])]
        for x in seen:
            bars = rows(r, x)
            for name in ("p", "q", "residual"):
                values = [getattr(b, name) for b in bars if getattr(b, name) is not None]
                assert not values or sum(values) == pytest.approx(1, abs=1e-3), (name, bars)
    missed = next(x for x in found[0].positions if x.accepted is False)
    assert {"✕", "✎"} <= {b.mark for b in rows(found[0], missed)}
    lone = choice("draft", "word")
    assert rows(None, lone)[-1].q == 1 and rows(None, lone)[-1].p is None


def test_the_rounds_figure_stacks_what_was_kept_over_what_was_dropped() -> None:
    figure = go.Figure(rounds_figure(TOGETHER))
    by_name = {bar.name: list(bar.y) for bar in figure.data}
    assert by_name["✓ guess kept"] == [4, 0, 3, 0, 4, 1, 2]
    assert by_name["✕ guess dropped"] == [0, -4, -1, -4, 0, -3, 0]
    assert by_name["+ bonus"] == [1, 0, 0, 0, 1, 0, 0] and by_name["✎ correction"] == [0, 1, 1, 1, 0, 1, 0]
    assert list(go.Figure(rounds_figure(ALONE)).data[0].y) == [1] * 20


def test_figures_and_times_in_words() -> None:
    said = dict(workbench_words.figures(TOGETHER, ALONE))
    assert said["Acceptance rate α̂"] == f"{TOGETHER.alpha_hat:.2f}" and said["Tokens"] == "21"
    assert said["Speed-up, measured"] == f"{ALONE.seconds / 1.25 / TOGETHER.seconds:.2f}×"
    assert "Speed-up, measured" not in dict(workbench_words.figures(TOGETHER, None))
    # The target alone is told on its fastest clock, without the padding of its passes.
    assert workbench_words.figures(ALONE, None) == [("Tokens", "21"), ("Time a token", "84.0 ms")]
    assert set(dict(workbench_words.figures(standard(["The"]), None))) == {"Tokens"}
    assert "74 % target passes" in workbench_words.time_split(TOGETHER)
    assert workbench_words.time_split(standard(["The"])) == ""


def test_runs_are_remembered_once_and_the_oldest_go(monkeypatch: pytest.MonkeyPatch) -> None:
    workbench.keep(ALONE)
    workbench.keep(TOGETHER)
    workbench.keep(ALONE)
    workbench.keep(standard(["The"]), here=False)
    kept = workbench.kept()
    assert [k.number for k in kept] == [1, 2, 3] and kept[2].run is None and not kept[2].here
    assert workbench.figures(kept[2])["Time a token"] == "–" and kept[2].speed_up is None
    runs.record(ALONE)
    assert kept[1].speed_up == pytest.approx(ALONE.seconds / 1.25 / TOGETHER.seconds)
    assert kept[0].speed_up is None and replace(kept[1], here=False).speed_up is None
    assert workbench.label(kept[1]) == "2 · Go on. · Draft model · γ 4 · greedy"
    assert workbench.label(kept[2]).startswith("3 · from a file · Go on. · Target alone")
    for seed in range(100):
        workbench.keep(replace(ALONE, request=replace(ALONE.request, seed=seed)))
    assert len(workbench.kept()) == workbench.MOST_KEPT and workbench.kept()[-1].number == 102


def compared(one: Trace, other: Trace) -> tuple[int | None, str]:
    workbench.keep(one)
    workbench.keep(other)
    a, b = workbench.kept()
    return workbench_words.where_they_part(a, b), workbench_words.compared(a, b)


@pytest.mark.parametrize(
    ("other", "at", "said"),
    [
        (TOGETHER, None, "The texts are equal**, all 21 tokens"),
        (draft_alone([*CAT[:4], " in", *CAT[5:]]), 4, "part at token 5.** The 4 tokens before it are equal"),
        (draft_alone(["A", *CAT[1:]]), 0, "at the very first token"),
        (draft_alone(CAT[:7]), 7, "the first 7 tokens are equal, then one ends"),
    ],
)
def test_where_two_texts_part(other: Trace, at: int | None, said: str) -> None:
    found, words = compared(ALONE, other)
    assert found == at and said in words
    kept = workbench.kept()[0]
    assert [i for i, t in enumerate(workbench_words.marked(kept, at)) if t.state == "different"] == (
        [] if at is None else [at]
    )


def test_texts_of_different_pairs_are_compared_by_their_pieces() -> None:
    other = replace(ALONE, pair=replace(ALONE.pair, target="else"))
    shifted = replace(other, rounds=tuple(replace(r, committed=(r.committed[0] + 1,)) for r in other.rounds))
    assert compared(ALONE, shifted)[0] is None
    workbench._kept().clear()
    assert compared(ALONE, replace(other, pieces=(*CAT[:2], " lay", *CAT[3:])))[0] == 2


def test_requests_side_by_side() -> None:
    assert {f.name for f in fields(DecodeRequest)} == set(workbench.FIELDS)
    one, other = DecodeRequest("x" * 500), DecodeRequest("x" * 500, gamma=6, top_k=5, rule="coupled", chat=False)
    rows = workbench.settings([one, other], only_different=True)
    assert rows == {
        "Chat template": ["on", "off"], "γ": ["4", "6"], "Top-k": ["off", "5"], "Rule": ["Rejection", "Coupled draws"],
    }  # fmt: skip
    assert len(workbench.settings([one])["Prompt"][0]) == 300 and workbench.settings([one, one], True) == {}


def test_a_request_leaves_out_what_means_nothing_to_its_method() -> None:
    odd = DecodeRequest("x", drafter="tree", policy="heuristic", gamma=9, branches=3, temperature=0.5)
    assert workbench.simplest(odd) == odd
    assert workbench.standard(odd) == DecodeRequest("x", method="standard", temperature=0.5)
    assert workbench.simplest(replace(odd, drafter="lookup")).branches == 2


def test_what_was_asked_for_is_at_first_what_the_controls_say() -> None:
    first, second = DecodeRequest("a"), DecodeRequest("b")
    assert workbench.asked(None).request is None
    assert workbench.asked(first).request == first and workbench.asked(second).request == first
    workbench.ask_again(first)
    assert workbench.asked(second) == workbench.Asked(first, 1)
    workbench.ask(None)
    assert workbench.asked(second).request is None
    workbench.ask_again(second)
    assert workbench.asked(None).repeat == 2


def test_a_round_without_guesses_has_a_token_without_a_round_number() -> None:
    step = guess_round(0, [], choice("target", " so"))
    trace = replace(TOGETHER, rounds=(step, guess_round(1, [guess(" on", True)], None)))
    tokens, _ = workbench_strip.tokens(trace)
    assert [(t.state, t.group) for t in tokens] == [("plain", None), ("plain", None), ("kept", 1)]
