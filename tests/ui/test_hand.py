from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from streamlit.testing.v1 import AppTest

from core.decoding.rounds import Round
from tests.pages.conftest import settled
from tests.pages.stand_in import open_stand_in
from tests.ui.hand_made import choice, guess, guess_round, speculative
from ui import engine
from ui.engine import Door
from ui.hand import Hand, summary, telling


@pytest.fixture(scope="module")
def door() -> Door:
    return settled(Door(open_stand_in))


@pytest.fixture(autouse=True)
def behind_the_door(door: Door, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(engine, "door", lambda: door)
    yield


def page() -> None:
    from dataclasses import replace

    import streamlit as st

    from ui import content
    from ui.hand import hand

    chapter = content.chapter(8)
    assert chapter is not None
    chapter = replace(chapter, length=st.session_state.get("length", chapter.length))
    held = hand(st.session_state.get("page", "a"), chapter, st.session_state.get("greedy", False))
    if held:
        st.session_state["seen"] = held.round.index + 1
        st.session_state["temperature"] = held.trace.request.temperature


def opened(**params: str) -> AppTest:
    at = AppTest.from_function(page, default_timeout=30)
    for name, value in params.items():
        at.query_params[name] = value
    return at.run()


def seen(at: AppTest) -> int:
    assert not at.exception
    return int(at.session_state["seen"])


def elsewhere(at: AppTest) -> AppTest:
    """The same visit on another page, whose link names nothing."""
    at.session_state["page"] = "b"
    at.query_params.clear()
    return at.run()


def test_a_round_chosen_here_is_in_the_address_on_the_next_page_and_after_a_reload() -> None:
    at = opened()
    assert seen(at) == 1 and "round" not in at.query_params
    at.selectbox("a:round").set_value(3).run()
    assert seen(at) == 3 and at.query_params["round"] == "3"
    assert seen(elsewhere(at)) == 3 and at.query_params["round"] == "3"
    assert seen(opened(round="3")) == 3


def test_the_default_round_chosen_by_hand_is_kept_like_any_other() -> None:
    at = opened(round="2")
    at.selectbox("a:round").set_value(1).run()
    assert seen(at) == 1 and at.query_params["round"] == "1"


@pytest.mark.parametrize(
    ("number", "sentence"),
    [("500", "This run has no round 500 with guesses, so round 1 is shown."), ("-1", "makes no sense here"),
     ("x", "makes no sense here")],
)  # fmt: skip
def test_a_round_that_is_not_there_gives_one_sentence(number: str, sentence: str) -> None:
    at = opened(round=number)
    assert seen(at) == 1
    assert len(at.warning) == 1 and sentence in at.warning[0].value


def test_another_run_starts_with_its_own_round_without_a_remark() -> None:
    at = opened(round="3")
    at.number_input("a:seed").set_value(5).run()
    assert seen(at) == 1 and "round" not in at.query_params and not at.warning
    # The browser's Back brings the old run and its round together.
    del at.query_params["seed"]
    at.query_params["round"] = "3"
    assert seen(at.run()) == 3


def test_buttons_step_through_the_rounds_and_find_the_next_miss() -> None:
    at = opened(gamma="1")  # every second round misses
    assert seen(at) == 3 and at.button("a-round-previous").disabled is False
    at.button("a-round-next-with-a-miss").click().run()
    assert seen(at) == 5 and "✕" in at.selectbox("a:round").format_func(5)
    at.button("a-round-next").click().run()
    assert seen(at) == 6
    last = at.selectbox("a:round").options[-1]
    at.selectbox("a:round").select(last).run()
    assert at.button("a-round-next").disabled
    at.button("a-round-next-with-a-miss").click().run()
    assert seen(at) == 3


def test_greedy_has_rounds_of_its_own_and_gives_the_round_in_hand_back() -> None:
    at = opened(round="3")
    at.session_state["greedy"] = True
    at.run()
    assert seen(at) == 1 and at.session_state["temperature"] == 0
    at.selectbox("a:greedy_round").set_value(2).run()
    assert at.query_params["greedy_round"] == "2" and not at.warning
    at.session_state["greedy"] = False
    assert seen(at.run()) == 3 and at.session_state["temperature"] == 1


def test_temperature_0_is_explained_and_an_answer_without_guesses_too() -> None:
    assert any("all its mass on one token" in c.value for c in opened(temperature="0").caption)
    at = AppTest.from_function(page, default_timeout=30)
    at.session_state["length"] = 2
    assert [i.value[:27] for i in at.run().info] == ["This answer is too short fo"]


def rounds(*verdicts: Sequence[bool | None]) -> list[Round]:
    return [guess_round(i, [guess(" x", v) for v in row], choice("bonus", " y")) for i, row in enumerate(verdicts)]


def test_the_telling_round_has_guesses_kept_one_missed_and_others_dropped() -> None:
    plain, at_once, last, whole = [True, True], [False, None], [True, False], [True, False, None]
    assert telling(rounds(plain, at_once, last, whole)).index == 3
    assert telling(rounds(plain, last, at_once)).index == 1
    assert telling(rounds(plain, plain)).index == 0


def test_a_rounds_outcome_is_told_by_signs_and_words() -> None:
    kept, missed, ended = (
        guess_round(0, [guess(" x", v) for v in row], final)
        for row, final in (
            ([True, True], choice("bonus", " y")),
            ([True, False, None], choice("correction", " y")),
            ([True, True], None),
        )
    )
    assert summary(kept) == "✓✓  all kept, then a bonus"
    assert summary(missed) == "✓✕·  1 kept, then a miss"
    assert summary(ended) == "✓✓  all kept, the text ends"


def test_the_text_before_a_round_is_what_was_committed_before_it() -> None:
    trace = speculative("A", [([" b", " c"], [" d"], "correction", " e"), ([" f"], [], "bonus", " g")])
    assert Hand(trace, trace.rounds[0]).before == "A"
    assert Hand(trace, trace.rounds[1]).before == "A b c e"
