"""The host's desk: only a lecturer sees it, and it says how the server is, in faults too."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.classroom import Classroom, ClassroomDown, Database, Desk, Keys, open_database
from core.classroom.figures import Figures, figures
from core.classroom.keys import HOST
from core.logs import Line, Recent
from core.serving.memory import Memory
from core.serving.schedule import Load
from tests.pages.conftest import Open, sentences
from tests.pages.stand_in import FACTS
from ui import classroom, desk
from ui.classroom import ask_of
from ui.content import chapters
from ui.door import EngineStatus

SIGHT = desk.Sight(
    sessions=97,
    load=Load(4, 12, 1, 3),
    status=EngineStatus("ready", 1.0, "The models are ready."),
    facts=FACTS,
    memory=Memory(400_000_000, 1_500_000_000, 16_000_000_000, 9_000_000_000),
    apart=True,
    votes=Figures("PostgreSQL", 12, 1, 840),
    votes_fault="",
    errors=[],
    since=0.0,
)


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    opened = open_database(f"sqlite:///{tmp_path}/classroom.db")
    monkeypatch.setattr(classroom, "database", lambda: opened)
    monkeypatch.setattr(desk, "RECENT", Recent())
    yield opened
    opened.close()


def lecturers(at: AppTest, database: Database) -> AppTest:
    at.session_state["visit.lecturer"] = {"key": Keys(database).sign_in()}
    return at.run()


def metrics(at: AppTest) -> dict[str, str]:
    return {str(metric.label): str(metric.value) for metric in at.metric}


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The titles in the sidebar, as the last run of a page asked for them."""
    titles: list[str] = []
    navigation = st.navigation

    def noted(sections: dict[str, list[st.Page]], **options: Any) -> st.Page:
        titles[:] = [page.title for section in sections.values() for page in section if page.visibility == "visible"]
        return navigation(sections, **options)

    monkeypatch.setattr(st, "navigation", noted)
    return titles


def test_nobody_else_sees_it(open_page: Open, database: Database, listed: list[str]) -> None:
    at = open_page("desk.py")
    assert not at.exception and not at.metric and "shown to lecturers only" in sentences(at)
    assert "Class" in listed and "Server" not in listed
    at.session_state["visit.lecturer"] = {"key": "guess"}
    assert not at.run().metric and "shown to lecturers only" in sentences(at)


def test_a_lecturer_sees_how_the_server_is(open_page: Open, database: Database, listed: list[str]) -> None:
    held = Desk(database, HOST)
    code = held.open_class()
    asked = next(c for c in chapters() if c.predict)
    assert asked.predict
    held.ask(code, ask_of(asked.number, asked.predict))
    seen = Classroom(database).look(code)
    assert seen and seen.question
    Classroom(database).vote(code, "0" * 32, seen.question.id, 1, 0)
    noise = logging.Logger("core.test")
    noise.addHandler(desk.RECENT)
    noise.error("It *broke* <b>here</b>.\nThe rest is for the log.")
    at = lecturers(open_page("desk.py"), database)
    assert not at.exception and "Server" in listed
    assert {"Visits open", "Runs taking turns", "Runs waiting", "Turned away", "Running for"} == set(metrics(at))
    said = sentences(at)
    assert "Ready" in said and FACTS.target in said and "The server" in said
    assert "SQLite, reachable: 1 class (1 on now), 1 vote." in said
    assert "It *broke* <b>here</b>." in at.code[0].value and "rest is for the log" not in at.code[0].value


def test_votes_that_cannot_be_reached_are_said_while_the_rest_is_shown(
    open_page: Open, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(database: Database) -> Figures:
        raise ClassroomDown("The votes cannot be reached just now.")

    monkeypatch.setattr(desk, "figures", gone)
    at = lecturers(open_page("desk.py"), database)
    assert not at.exception and metrics(at) and "cannot be reached" in at.error[0].value


def test_it_is_said_in_words() -> None:
    assert [figure for _, figure in desk.figures_of(SIGHT)][:4] == ["97", "4", "12", "3"]
    assert desk.figures_of(replace(SIGHT, sessions=None, load=None))[0][1] == "–"
    assert "process of their own" in desk.pair_words(SIGHT) and "to the last bit" in desk.pair_words(SIGHT)
    loading = EngineStatus("loading", 0.4, "Loading the target")
    assert desk.pair_words(replace(SIGHT, facts=None, status=loading)) == "Loading, 40%: Loading the target"
    broken = EngineStatus("failed", 0.0, "The weights are damaged.")
    assert desk.pair_words(replace(SIGHT, facts=None, status=broken)) == "Not loaded: The weights are damaged."
    assert dict(desk.memory_words(SIGHT)) == {
        "The server": "400 MB",
        "The models": "1.5 GB",
        "Free on this machine": "9.0 GB of 16.0 GB",
    }
    dead = replace(SIGHT, memory=replace(SIGHT.memory, models=None))
    assert dict(desk.memory_words(dead))["The models"] == "not running"
    assert "The models" not in dict(desk.memory_words(replace(SIGHT, apart=False)))
    assert desk.votes_words(SIGHT) == "PostgreSQL, reachable: 12 classes (1 on now), 840 votes."
    long = desk.error_words(Line(0.0, "error", "core.x", "a" * 1000 + "\nb"))
    assert long.startswith("01 Jan 00:00:00  error     core.x  aaa") and len(long) < 350 and "b" not in long
    assert desk.error_words(Line(0.0, "error", "core.x", "")).endswith("core.x  ")


@pytest.mark.parametrize(
    ("seconds", "said"), [(0, "0 min"), (59 * 60, "59 min"), (3600, "1 h 0 min"), (3 * 86400 + 7300, "3 d 2 h")]
)
def test_how_long_it_has_run(seconds: float, said: str) -> None:
    assert desk.since(seconds) == said


def test_a_class_that_is_over_still_counts(database: Database) -> None:
    held = Desk(database, HOST)
    held.end(held.open_class())
    held.open_class()
    assert figures(database) == Figures("SQLite", 2, 1, 0)
