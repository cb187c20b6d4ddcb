"""The workbench over the pair without models."""

from __future__ import annotations

import importlib
import json
from dataclasses import replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.decoding import DecodeRequest, fold
from core.decoding.trace import Trace
from tests.pages.conftest import Open, charts, components, sentences, strip_of
from tests.pages.stand_in import stream
from ui import engine, workbench
from ui.engine import Door

PAGE = "lab_workbench.py"


def trace_of(**changes: Any) -> Trace:
    asked = DecodeRequest("What a <b>trace</b>!", **{"temperature": 1.0, "max_new_tokens": 12, **changes})
    return fold(asked, stream(asked))


def press(at: AppTest, label: str) -> AppTest:
    return next(b for b in at.button if b.label == label).click().run()


def test_a_run_is_there_before_anything_is_touched_and_can_be_made_anew(open_page: Open) -> None:
    at = open_page(PAGE)
    assert not at.exception and not at.warning
    labels = [m.label for m in at.metric]
    assert labels[:2] == ["Tokens", "Acceptance rate α̂"] and labels[-1] == "Speed-up, measured"
    assert {t["state"] for t in strip_of(at)} == {"plain", "kept", "correction", "bonus", "discarded"}
    assert any("Guesses kept" in c["label"] for c in charts(at))
    assert len(at.session_state["workbench.kept"]) == 1

    press(at, "Run it again")
    assert not at.exception and "**The same again.**" in at.success[0].value and "numbers drawn" in at.success[0].value

    at.number_input("workbench:bench-gamma").set_value(2).run()
    assert "controls have changed" in sentences(at) and at.query_params["bench-gamma"] == "2"
    assert len(at.session_state["workbench.kept"]) == 1
    press(at, "Run")
    assert "controls have changed" not in sentences(at) and len(at.session_state["workbench.kept"]) == 2
    assert "The same again" not in sentences(at)

    at.toggle("workbench:bench-dropped").set_value(False).run()
    assert not at.exception and "discarded" not in {t["state"] for t in strip_of(at)}

    at.segmented_control("workbench:bench").set_value("compare").run()
    assert not at.exception and any("texts are equal" in s.value for s in at.success)
    asked, came = (table.value for table in at.dataframe)
    assert list(asked.index) == ["γ"] and list(asked.iloc[0]) == ["4", "2"]
    assert "Speed-up" in came.index and all(cell.endswith("×") for cell in came.loc["Speed-up"])


def test_a_clicked_token_tells_its_figures(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    at = open_page(PAGE)
    strip = next(c for c in components(at) if "tokens" in c)
    missed = [i for i, t in enumerate(strip["tokens"]) if t["state"] == "discarded"][0]
    strips = importlib.import_module("ui.components.token_strip.token_strip")
    for index, said in ((missed, "Missed"), (missed - 1, "Kept"), (0, "Written by the target")):
        monkeypatch.setattr(strips, "selected_index", lambda *_, here=index: here)
        at.run()
        assert not at.exception and said in sentences(at) and "What the rule had in hand" in sentences(at)
        if index:
            names = [trace["name"] for c in charts(at) for trace in c["data"] if "name" in trace]
            assert {"target p", "draft q", "residual"} <= set(names)
            assert any("u_" in formula.value for formula in at.latex)


def test_the_controls_come_from_the_address_and_nonsense_is_told(open_page: Open) -> None:
    at = open_page(PAGE, **{
        "bench-method": "standard", "bench-length": "9", "bench-top-k": "1", "bench-template": "off",
        "temperature": "0", "bench-gamma": "77", "bench-rule": "<b>", "bench-top-p": "nan", "sweep-to": "x",
    })  # fmt: skip
    assert not at.exception
    assert sum("makes no sense" in w.value for w in at.warning) == 3
    assert [m.label for m in at.metric] == ["Tokens", "Time a token"] and at.metric[0].value == "9"
    request = at.session_state["workbench.asked"].request
    assert (request.method, request.top_k, request.chat, request.gamma) == ("standard", 1, False, 4)


@pytest.mark.parametrize(
    ("prompt", "said"),
    [("", "prompt is empty"), ("a\x07b", "control characters"), ("long " * 20_000, "longer than the context")],
)
def test_a_prompt_that_cannot_be_run_is_one_sentence(open_page: Open, prompt: str, said: str) -> None:
    at = open_page(PAGE, prompt="own")
    at.text_area("workbench:text").set_value(prompt).run()
    assert not at.exception
    run = next(b for b in at.button if b.label == "Run")
    assert said in sentences(at) and run.disabled == (len(prompt) < 9)


def test_edges_of_every_knob(open_page: Open) -> None:
    at = open_page(PAGE, **{"prompt": "own", "text": "**שלום** 😀 <script>", "bench-length": "1", "bench-gamma": "32"})
    assert not at.exception and [m.label for m in at.metric] == ["Tokens"]
    at.number_input("workbench:bench-length").set_value(30).run()
    at.selectbox("workbench:bench-drafter").set_value("tree").run()
    at.number_input("workbench:bench-branches").set_value(4).run()
    at.selectbox("workbench:bench-policy").set_value("goodput").run()
    at.segmented_control("workbench:bench-rule").set_value("coupled").run()
    press(at, "Run")
    request = at.session_state["workbench.asked"].request
    assert not at.exception
    assert (request.drafter, request.branches, request.policy, request.rule) == ("tree", 4, "goodput", "coupled")
    assert any("texts are equal" in s.value for s in at.success)


def test_a_sweep_measures_every_gamma_and_can_be_stopped(open_page: Open) -> None:
    at = open_page(PAGE, **{"bench": "sweep", "sweep-to": "3", "temperature": "0"})
    assert not at.exception and "Which γ is best" in sentences(at)
    press(at, "Start 5 runs")
    assert not at.exception and "Measured best: γ = " in sentences(at)
    table = at.dataframe[0].value
    assert list(table["γ"]) == ["1", "2", "3", "4"] and all(cell.endswith("×") for cell in table["Forecast"])
    assert any("Speed-up over γ" in c["label"] for c in charts(at))
    at.number_input("workbench:sweep-to").set_value(5).run()
    assert "controls have changed" in sentences(at)
    held = at.session_state["workbench.sweep"]
    held.found = dict(list(held.found.items())[:3])
    at.run()
    assert not at.exception and "Stopped" in sentences(at) and len(at.dataframe[0].value) == 2


def test_a_file_opens_without_any_model_and_a_broken_one_is_refused(
    open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_models(say: object) -> object:
        raise AssertionError("no model may be asked for")

    monkeypatch.setattr(engine, "door", lambda: Door(no_models))  # type: ignore[arg-type]
    at = open_page(PAGE, bench="file")
    assert not at.exception and "no model is asked" in sentences(at)
    hostile = trace_of()
    hostile = replace(hostile, pair=replace(hostile.pair, target="<img src=x onerror=alert(1)>"))
    at.file_uploader(workbench.PLACE + "-file").set_value(("run.json", hostile.to_json().encode(), "application/json"))
    at.run()
    assert not at.exception and [m.label for m in at.metric][0] == "Tokens"
    assert any("<img src=x" in t.value for t in at.text) and not any("<img" in m.value for m in at.markdown)
    asked = at.dataframe[0].value
    assert asked.loc["Prompt"].iloc[0] == "What a <b>trace</b>!"
    press(at, "Set the controls like this")
    assert not at.exception and at.segmented_control("workbench:bench").value == "run"
    assert at.text_area("workbench:text").value == hostile.request.prompt
    assert (at.slider("workbench:temperature").value, at.number_input("workbench:bench-length").value) == (1.0, 12)
    at.segmented_control("workbench:bench").set_value("file").run()
    broken = json.dumps({**json.loads(hostile.to_json()), "rounds": [1]}).encode()
    at.file_uploader(workbench.PLACE + "-file").set_value(("bad.json", broken, "application/json"))
    at.run()
    assert not at.exception and "not a trace" in sentences(at)
    press(at, "Put it away")
    assert not at.exception and not at.metric and "not a trace" not in sentences(at)


def test_while_models_cannot_be_loaded_the_page_says_what_still_works(
    open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    from core.models.errors import ModelError

    def fails(say: object) -> object:
        raise ModelError("There is not enough memory.")

    door = Door(fails)  # type: ignore[arg-type]
    monkeypatch.setattr(engine, "door", lambda: door)
    at = open_page(PAGE)
    assert not at.exception and "not enough memory" in sentences(at) and "opens without them" in sentences(at)
    at.segmented_control("workbench:bench").set_value("compare").run()
    assert not at.exception and "two runs to compare" in sentences(at)
