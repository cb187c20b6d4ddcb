from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from core.decoding.events import Event
from core.decoding.request import DecodeRequest, RequestError
from core.serving import EngineBusy, LocalEngine, Ticket
from core.serving.limits import Limits
from core.serving.opening import Opened
from tests.ui.staged import FACTS, Stage, page_with_a_run, settled, started, words
from ui import engine as door_module
from ui.engine import Door


def done(stage: Stage, prompt: str) -> None:
    ticket = stage.engine.submit(DecodeRequest(prompt, method="standard", max_new_tokens=4))
    assert ticket.wait(10).finished


def test_a_short_run_is_there_in_the_same_script_run(stage: Stage) -> None:
    at = started(page_with_a_run)
    assert words(at) == "text of a"


def test_a_finished_run_is_not_run_again(stage: Stage) -> None:
    at = started(page_with_a_run).run()
    assert words(at) == "text of a" and stage.runs.started == ["a"]


def page_that_repeats() -> None:
    import streamlit as st

    from core.decoding.request import DecodeRequest
    from ui import engine

    number = st.number_input("Number", 0)
    trace = engine.run(DecodeRequest("a", method="standard", max_new_tokens=4), key="stage", repeat=number)
    st.markdown("no trace" if trace is None else trace.text)


def test_a_repeat_is_run_anew_once_for_each_number(stage: Stage) -> None:
    at = started(page_that_repeats).run()
    assert stage.runs.started == ["a"]
    at.number_input[0].set_value(1).run()
    assert words(at.run()) == "text of a" and stage.runs.started == ["a", "a"]
    at.number_input[0].set_value(2).run()
    assert stage.runs.started == ["a"] * 3


def test_a_long_run_shows_its_tokens_and_then_its_trace(stage: Stage) -> None:
    stage.runs.hold("a")
    at = started(page_with_a_run)
    assert "no trace" in words(at)
    assert at.get("progress")[0].proto.text == "Writing: 0 of 4 …"
    stage.runs.let_go("a")
    done(stage, "a")
    assert words(at.run()) == "text of a"


def test_who_waits_sees_the_place_in_the_queue(stage: Stage) -> None:
    stage.runs.hold("other")
    other = stage.engine.submit(DecodeRequest("other"))
    at = started(page_with_a_run)
    assert "Others are using the models. You are next." in words(at)
    stage.runs.let_go("other")
    assert other.wait(10).trace
    done(stage, "a")
    assert words(at.run()) == "text of a"


def test_another_request_gives_the_old_one_up(stage: Stage) -> None:
    stage.runs.hold("a")
    at = started(page_with_a_run)
    stage.runs.reached("a")
    at.text_input[0].set_value("b").run()
    stage.runs.let_go("a")
    done(stage, "b")
    assert words(at.run()) == "text of b" and stage.runs.closed == ["a", "b"]
    assert stage.runs.log.count("a") == 1


def test_a_run_given_up_in_absence_starts_again(stage: Stage) -> None:
    stage.runs.hold("a")
    at = started(page_with_a_run)
    stage.runs.reached("a")
    at.session_state["engine-held"]["stage"].ticket.cancel()
    stage.runs.let_go("a")
    done(stage, "b")
    at.run()
    done(stage, "a")
    assert words(at.run()) == "text of a" and stage.runs.started == ["a", "b", "a"]


def test_another_page_gives_unfinished_work_up(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    def two_places() -> None:
        import streamlit as st

        from core.decoding.request import DecodeRequest
        from ui import engine

        name = st.text_input("Page", "one")
        engine.run(DecodeRequest("run of " + name, method="standard", max_new_tokens=4), key=name)

    page = "one"
    monkeypatch.setattr(door_module, "_page", lambda: page)
    stage.runs.hold("run of one")
    at = started(two_places)
    stage.runs.reached("run of one")
    page = "two"
    at.text_input[0].set_value("two").run()
    stage.runs.let_go("run of one")
    done(stage, "later")
    assert stage.runs.log.count("run of one") == 1 and stage.runs.log.count("run of two") == 4


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (RequestError("Too <b>long</b>: *cut* it."), "Too <b>long</b>: *cut* it."),
        (KeyError("x"), "a fault in the program"),
    ],
)
def test_a_failed_run_is_one_sentence_and_can_be_tried_again(stage: Stage, error: Exception, said: str) -> None:
    stage.runs.errors["a"] = error
    at = started(page_with_a_run)
    assert said in at.text[0].value and "no trace" in words(at)
    assert said in at.run().text[0].value and stage.runs.started == ["a"]
    del stage.runs.errors["a"]
    at.button[0].click().run()
    assert words(at) == "text of a"


class Full:
    def submit(self, request: DecodeRequest, fresh: bool = False) -> Ticket:
        raise EngineBusy("Too many people.")

    def call(self, work: str, *arguments: object) -> Ticket:
        raise OSError("a secret")

    def run(self, request: DecodeRequest) -> Iterator[Event]:
        raise EngineBusy("Too many people.")

    def warm(self, requests: object, calls: object = ()) -> None: ...

    def close(self) -> None: ...


def test_a_full_queue_is_one_sentence(stage: Stage) -> None:
    stage.engine = Full()
    at = started(page_with_a_run)
    assert at.text[0].value == "Too many people." and at.button[0].label == "Try again"


def test_the_unexpected_is_one_sentence(stage: Stage) -> None:
    def page() -> None:
        from ui import engine

        engine.latency("curve")

    stage.engine = Full()
    at = started(page)
    assert at.text[0].value == door_module.FAULT and not at.exception


def test_scores_and_latency_come_the_same_way(stage: Stage) -> None:
    def page() -> None:
        import streamlit as st

        from ui import engine

        st.markdown(f"{engine.scored('prompt', [1, 2], True, 'score')} {engine.latency('curve')}")

    assert words(started(page)) == "scores curve"
    assert words(started(page)) == "scores curve"
    assert stage.scores == [("prompt", (1, 2), True)]


def test_vitals_come_from_both_runs_of_the_default_prompt(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    def page() -> None:
        import streamlit as st

        from ui import engine

        vitals = engine.vitals("vitals")
        assert vitals
        st.markdown(f"{vitals.facts.target} {vitals.standard.request.method} {vitals.speculative.request.method}")
        st.markdown(f"{vitals.alpha_hat} {vitals.c_hat} {vitals.speed_up}")

    asked = DecodeRequest("a", max_new_tokens=3)
    monkeypatch.setattr(door_module, "_default_requests", lambda: [replace(asked, method="draft"), asked])
    assert words(started(page)) == "big standard speculative\nNone None 1.0"


def test_the_default_runs_of_the_chapters_are_warmed(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    from core.serving import opening
    from ui.content import default_requests
    from ui.exactness import first_test

    warmed: list[object] = []
    monkeypatch.setattr(stage.engine, "warm", lambda requests, calls: warmed.extend([*requests, *calls]))
    monkeypatch.setattr(opening, "open_engine", lambda settings, say: Opened(stage.engine, FACTS))
    assert settled(Door(door_module._open)).state == "ready"
    standard, speculative = door_module._default_pair()
    assert (standard.method, speculative.method) == ("standard", "speculative")
    assert set(warmed) == {*default_requests(), standard, speculative, ("latency",), ("exactness", *first_test())}


def test_a_visit_keeps_only_the_newest_results(stage: Stage) -> None:
    def page() -> None:
        import streamlit as st

        from core.decoding.request import DecodeRequest
        from ui import engine

        for i in range(20):
            engine.run(DecodeRequest(str(i), method="standard", max_new_tokens=2), key=str(i))
        st.markdown(str(list(st.session_state["engine-held"])))

    assert words(started(page)) == str([str(i) for i in range(4, 20)])


def test_what_is_too_much_for_one_is_said_on_the_page(stage: Stage) -> None:
    stage.engine.close()
    stage.engine = LocalEngine(stage.runs, limits=Limits(tokens=4, prompt=5))
    at = started(page_with_a_run)
    assert words(at) == "text of a"
    at.text_input[0].set_value("<b>six").run()
    assert at.text[0].value == "A prompt may have 5 characters here, and this one has 6: shorten it."
    assert stage.runs.started == ["a"] and not at.exception


def page_with_three_runs() -> None:
    import streamlit as st

    from core.decoding.request import DecodeRequest
    from ui import engine

    engine.prepare([DecodeRequest("prepared", method="standard", max_new_tokens=4)])
    for prompt in st.text_input("Prompts", "a b c").split():
        trace = engine.run(DecodeRequest(prompt, method="standard", max_new_tokens=4), key=prompt)
        st.markdown(f"{prompt}: {'no trace' if trace is None else trace.text}")


def test_one_visit_has_only_so_many_runs_under_way(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPECLAB_SESSION_RUNS", "2")
    done(stage, "known")
    for prompt in ("prepared", "a", "b"):
        stage.runs.hold(prompt)
    at = started(page_with_three_runs)
    # What was prepared made room; the third has to wait, and what is there already costs nothing.
    at.text_input[0].set_value("a b c known").run()
    said = [text.value for text in at.text if "One visit" in text.value]
    assert said == ["One visit may have 2 runs under way at once here: wait for one to end, then try again."]
    assert "known: text of known" in words(at) and not any(key.startswith("prepared") for key in held(at))
    for prompt in ("prepared", "a", "b"):
        stage.runs.let_go(prompt)
    for prompt in ("a", "b"):
        done(stage, prompt)
    at.run()
    done(stage, "c")
    assert [line.split(": ")[1] for line in words(at.run()).splitlines()[:3]] == ["text of a", "text of b", "text of c"]


def held(at: AppTest) -> list[str]:
    return list(at.session_state["engine-held"])
