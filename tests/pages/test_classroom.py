"""The class: who gets in, what the lecturer's pages and the phones show, and what they never show."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.classroom import Classroom, ClassroomDown, Database, Desk, Keys, Limiter, open_database
from core.classroom.codes import spoken
from core.classroom.keys import HOST, hash_passphrase
from tests.pages.conftest import Open, charts, sentences, skip
from ui import classroom, content, who

PHONE = "0123456789abcdef" * 2
OTHERS = [f"{i:032x}" for i in range(1, 9)]
QUESTION = next(c.predict for c in content.chapters() if c.predict)
RIGHT = next(i for i in range(4) if i == QUESTION.answer)


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    opened = open_database(f"sqlite:///{tmp_path}/classroom.db")
    monkeypatch.setattr(classroom, "database", lambda: opened)
    limits = Limiter(who.TRIES, who.WITHIN), Limiter(who.EVERYBODY_TRIES, who.WITHIN)
    monkeypatch.setattr(who, "limiters", lambda: limits)
    few = Limiter(3, 600.0)
    monkeypatch.setattr(classroom, "wrong_codes", lambda: few)
    monkeypatch.setattr(who, "address", lambda: "192.0.2.7")
    yield opened
    opened.close()


@pytest.fixture
def secrets(monkeypatch: pytest.MonkeyPatch) -> dict[str, dict[str, object]]:
    """What the server's secrets say."""
    said: dict[str, dict[str, object]] = {}
    monkeypatch.setattr(who, "_secrets", lambda part: said.get(part, {}))
    return said


def holding(at: AppTest, database: Database, code: str) -> AppTest:
    """Make this visit the lecturer's, with a class in session."""
    at.session_state["visit.lecturer"] = {"key": Keys(database).sign_in()}
    at.session_state["visit.class"] = {"code": code}
    return at.run()


def on_phone(open_page: Open, code: str, token: str = PHONE) -> AppTest:
    at = open_page("join.py", code=code)
    at.session_state["device.token"] = token
    return at.run()


def test_a_link_lets_one_in_once_and_leaves_the_address(open_page: Open, database: Database) -> None:
    key = Keys(database).make_link()
    at = open_page("classroom.py", key=key)
    assert not at.exception and "key" not in at.query_params
    next(b for b in at.button if b.label == "Open a class").click().run()
    code = at.session_state["visit.class"]["code"]
    assert spoken(code) in sentences(at) and key not in sentences(at)
    at = open_page("classroom.py", key=key)
    assert not at.exception and "has been used" in sentences(at) and code not in sentences(at)
    assert not any(b.label == "Open a class" for b in at.button)


def test_a_passphrase_lets_in_and_few_wrong_ones_are_heard(
    open_page: Open, database: Database, secrets: dict[str, dict[str, object]]
) -> None:
    secrets["lecturer"] = {"passphrase_hash": hash_passphrase("correct horse battery")}
    at = open_page("classroom.py")
    for _ in range(who.TRIES):
        at.text_input("passphrase-typed").set_value("<script>alert(1)</script>")
        signs_in(at)
        assert "not the passphrase" in sentences(at) and "script" not in sentences(at)
    at.text_input("passphrase-typed").set_value("correct horse battery")
    signs_in(at)
    assert "Too many" in sentences(at) and not any(b.label == "Open a class" for b in at.button)
    who.limiters()[0]._failed.clear()
    at.text_input("passphrase-typed").set_value("correct horse battery")
    signs_in(at)
    assert not at.exception and any(b.label == "Open a class" for b in at.button)


def test_an_account_must_be_a_lecturers_and_links_are_off(
    open_page: Open, database: Database, secrets: dict[str, dict[str, object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets.update(auth={"client_id": "x"}, lecturer={"emails": ["Ada@Example.edu"]})

    class User(dict[str, object]):
        is_logged_in = True

    for user, owner in (
        (User(email="ada@example.EDU"), "ada@example.edu"),
        (User(email="ada@example.edu", email_verified=False), None),
        (User(email="eve@example.edu", email_verified=True), None),
        (User(), None),
    ):
        monkeypatch.setattr("streamlit.user", user)
        assert who.lecturer() == owner
    monkeypatch.setattr("streamlit.user", User(email="eve@example.edu"))
    at = open_page("classroom.py", key=Keys(database).make_link())
    assert not at.exception and "not one of the lecturers" in sentences(at)
    assert "visit.lecturer" not in at.session_state or not at.session_state["visit.lecturer"]
    monkeypatch.setattr("streamlit.user", User(email="ada@example.edu"))
    assert any(b.label == "Open a class" for b in at.run().button)


def test_what_a_browser_keeps_makes_nobody_a_lecturer(open_page: Open, database: Database) -> None:
    code = Desk(database, HOST).open_class()
    at = open_page("01_careful.py")
    at.session_state["visit.lecturer"] = {"key": "guess", "owner": HOST}
    at.session_state["visit.class"] = {"code": code}
    at.run()
    assert not at.exception and at.button("skip-1") and not any("Ask the class" in b.label for b in at.button)


def test_without_a_class_a_question_is_as_it_was_and_nothing_is_polled(
    open_page: Open, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a reader's page looked at the votes")

    monkeypatch.setattr(classroom, "database", refuse)
    at = open_page("01_careful.py")
    assert not at.exception and at.button("commit-1").label == "Commit"
    assert QUESTION.explanation.strip()[:30] in sentences(skip(at, 1))


def test_the_predict_step_carries_the_vote_and_its_reveal(open_page: Open, database: Database) -> None:
    desk, room = Desk(database, HOST), Classroom(database)
    code = desk.open_class()
    at = holding(open_page("tour.py", tour="2"), database, code)
    assert not at.exception and not any(b.key == "commit-1" for b in at.button)
    at.button("vote-1-campaign").click().run()
    seen = room.look(code)
    assert seen and seen.question and seen.question.ask.chapter == 1
    right, wrong = RIGHT, 0
    for i, option in enumerate((right, right, wrong, wrong)):
        room.vote(code, OTHERS[i], seen.question.id, 1, option)
    at.run()
    said = sentences(at)
    assert "divided" in said and "50 %" not in said and QUESTION.explanation.strip()[:30] not in said
    assert not charts_of(at) and "**4** of 4" in progress(at)

    at.button("vote-1-forum").click().run()
    assert "TALK TO YOUR NEIGHBOURS" in sentences(at)
    at.button("vote-1-replay").click().run()
    for i in range(4):
        room.vote(code, OTHERS[i], seen.question.id, 2, right)
    at.button("vote-1-visibility").click().run()
    assert not at.exception and QUESTION.explanation.strip()[:30] in sentences(at)
    first, second = sorted((bar["name"], bar["x"]) for bar in charts_of(at)[0]["data"])
    assert first[0] == "First vote (4)" and sorted(first[1]) == [0, 0, 50, 50]
    assert second[0] == "Second vote (4)" and sorted(second[1]) == [0, 0, 0, 100]

    at.button("vote-1-delete").click().run()
    seen = room.look(code)
    assert seen and seen.question is None and at.button("vote-1-campaign")


def test_a_number_waits_for_its_run_and_is_shown_beside_the_answer(open_page: Open, database: Database) -> None:
    desk, room = Desk(database, HOST), Classroom(database)
    code = desk.open_class()
    question = content.chapter(2).predict  # type: ignore[union-attr]
    assert question
    desk.ask(code, classroom.ask_of(2, question))
    at = holding(open_page("classroom.py"), database, code)
    assert not any(b.key == "vote-2-visibility" for b in at.button) and "The run on this page" in sentences(at)
    at.switch_page("pages/02_easy.py").run()
    seen = room.look(code)
    assert seen and seen.question
    room.vote(code, OTHERS[0], seen.question.id, 1, 20)
    at.button("vote-2-visibility").click().run()
    assert not at.exception
    board = room.board(code)
    assert board and board.question and board.question.answer is not None and board.tallies == {1: {20: 1}}
    # The stage that would have given it away is open now, as after any answer.
    assert any("✓ right" in str(c["layout"]["xaxis"].get("ticktext")) for c in charts(at))


def test_a_phone_votes_once_and_sees_nothing_before_the_reveal(open_page: Open, database: Database) -> None:
    desk, room = Desk(database, HOST), Classroom(database)
    code = desk.open_class()
    at = on_phone(open_page, code)
    assert not at.exception and "You are in" in sentences(at)
    desk.ask(code, classroom.ask_of(1, QUESTION))
    at.run()
    at.button("vote-now").click().run()
    assert "Choose an answer first" in sentences(at)
    at.radio[0].set_value(2)
    at.button("vote-now").click().run()
    assert not at.exception and "Your vote is in" in sentences(at) and not at.radio
    assert QUESTION.options[RIGHT] not in sentences(at)
    board = room.board(code)
    assert board and board.counts == {1: 1} and board.joined == 1
    # The same phone after a reload, in a visit of its own.
    at = on_phone(open_page, code)
    assert "Your vote is in" in sentences(at) and not at.radio
    question = board.question.id if board.question else 0
    desk.reveal(code, question, RIGHT)
    said = sentences(at.run())
    assert f"B · {QUESTION.options[1]}" in said and "You said: C" in said and "C 100 %" in said
    desk.end(code)
    assert "No class has this code" in sentences(at.run())


@pytest.mark.parametrize("code", ["bcdfgh", "<b>no</b>", "x" * 5000])
def test_a_wrong_code_gives_one_sentence_and_is_not_repeated(open_page: Open, database: Database, code: str) -> None:
    at = on_phone(open_page, code)
    assert not at.exception and len(at.warning) == 1 and "No class has this code" in at.warning[0].value
    assert code not in sentences(at)


def test_many_wrong_codes_are_told_nothing_more(open_page: Open, database: Database) -> None:
    at = on_phone(open_page, "bcdfgh")
    for code in ("bcdfgj", "bcdfgk", "bcdfgm"):
        at.text_input("join-code").set_value(code).run()
    assert "Too many wrong codes" in at.warning[0].value
    at.text_input("join-code").set_value("<img src=x>").run()
    assert at.query_params["code"] == "?"


def test_a_projector_needs_no_sign_in_and_tells_no_result_early(open_page: Open, database: Database) -> None:
    desk, room = Desk(database, HOST), Classroom(database)
    code = desk.open_class()
    at = open_page("classroom.py", show=code)
    assert not at.exception and "Join with your phone" in sentences(at) and spoken(code) in sentences(at)
    desk.ask(code, classroom.ask_of(1, QUESTION))
    seen = room.look(code)
    assert seen and seen.question
    room.vote(code, PHONE, seen.question.id, 1, 1)
    at.run()
    assert "**1** of 1 phone" in progress(at) and not charts(at) and not at.button
    desk.reveal(code, seen.question.id, 1)
    assert charts(at.run())[0]["data"][0]["text"][-2] == "1 · 100 %"
    assert "No class is on" in sentences(open_page("classroom.py", show="<b>x</b>"))


def test_votes_that_cannot_be_reached_are_told_and_come_back(
    open_page: Open, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Desk(database, HOST)
    code = desk.open_class()
    desk.ask(code, classroom.ask_of(1, QUESTION))
    phone, board = on_phone(open_page, code), open_page("classroom.py", show=code)
    lecturer = holding(open_page("01_careful.py"), database, code)
    whole = Database.reading

    def gone(self: Database) -> None:
        raise ClassroomDown("The votes cannot be reached just now.")

    monkeypatch.setattr(Database, "reading", gone)
    for at in (phone, board):
        at.run()
        assert not at.exception and "cannot be reached" in sentences(at)
    # The lecture goes on without the class.
    assert not lecturer.run().exception and lecturer.button("commit-1")
    monkeypatch.setattr(Database, "reading", whole)
    phone.run()
    assert not phone.exception and phone.radio and lecturer.run().button("vote-1-visibility")


def signs_in(at: AppTest) -> None:
    next(b for b in at.button if b.label == "Sign in").click().run()


def progress(at: AppTest) -> str:
    return " ".join(str(bar.proto.text) for bar in at.get("progress"))


def charts_of(at: AppTest) -> list[dict[str, Any]]:
    """The figures of votes; the stage has others."""
    return [c for c in charts(at) if any("vote" in str(bar.get("name")) for bar in c["data"])]
