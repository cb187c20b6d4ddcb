"""A door whose loading and runs are in the test's hands, and a page behind it."""

from __future__ import annotations

import threading
from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from core.serving import Engine, LocalEngine
from core.serving.opening import Opened, PairFacts
from core.theory.memory import ModelSize
from tests.serving.fake_runs import FakeRuns
from ui.door import Door, EngineStatus

SIZES = (ModelSize(100, 1, 1, 1), ModelSize(10, 1, 1, 1))
FACTS = PairFacts("fake", "big", "small", *SIZES, 5, 440, "cpu", "float32", "because", None, 1.0, 64, True)


class Stage:
    """A door whose loading and runs are in the test's hands."""

    def __init__(self) -> None:
        self.runs = FakeRuns()
        self.engine: Engine = LocalEngine(self.runs, {"latency": lambda: "curve", "score": self._score}, active=1)
        self.loads: list[Callable[[float, str], None]] = []
        self.error: Exception | None = None
        self.scores: list[tuple[object, ...]] = []
        self._gate = threading.Event()
        self._gate.set()
        self._reached = threading.Event()

    def hold_loading(self) -> None:
        self._gate.clear()

    def let_loading_go(self) -> None:
        self._gate.set()

    def opening(self, say: Callable[[float, str], None]) -> Opened:
        self.loads.append(say)
        say(0.5, "Loading the target")
        self._reached.set()
        assert self._gate.wait(10)
        if self.error:
            raise self.error
        return Opened(self.engine, FACTS)

    def door(self) -> Door:
        door = Door(self.opening)
        assert self._reached.wait(10)
        if self._gate.is_set():
            settled(door)
        return door

    def _score(self, *arguments: object) -> str:
        self.scores.append(arguments)
        return "scores"


def settled(door: Door) -> EngineStatus:
    for thread in threading.enumerate():
        if thread.name == "loading":
            thread.join(10)
    return door.status


def page_with_a_run() -> None:
    import streamlit as st

    from core.decoding.request import DecodeRequest
    from ui import engine

    prompt = st.text_input("Prompt", "a")
    trace = engine.run(DecodeRequest(prompt, method="standard", max_new_tokens=4), key="stage")
    st.markdown("no trace" if trace is None else trace.text)


def started(page: Callable[[], None]) -> AppTest:
    return AppTest.from_function(page, default_timeout=15).run()


def words(at: AppTest) -> str:
    assert not at.exception
    return "\n".join(str(each.value) for each in [*at.markdown, *at.text, *at.caption])
