"""PostgreSQL goes away in the midst of a class: what each page says, and that the next click works."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.classroom import Classroom, Desk
from core.classroom.keys import HOST
from core.classroom.store import DOWN
from tests.classroom.conftest import Postgres, own_postgres
from tests.pages.conftest import Open, sentences
from tests.pages.test_classroom import OTHERS, QUESTION, RIGHT, holding, on_phone
from ui import classroom


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Postgres]:
    with own_postgres() as running:
        monkeypatch.setenv("SPECLAB_DATABASE", running.address)
        classroom.database.clear()
        yield running
        classroom.database().close()
        classroom.database.clear()


@pytest.mark.slow
def test_a_class_goes_through_an_outage(open_page: Open, server: Postgres) -> None:
    database = classroom.database()
    desk, room = Desk(database, HOST), Classroom(database)
    code = desk.open_class()
    desk.ask(code, classroom.ask_of(1, QUESTION))
    # One who has chosen, one who has voted, one who comes late; the projector; the lecturer on two pages.
    chosen, counted = on_phone(open_page, code), on_phone(open_page, code, OTHERS[0])
    chosen.radio[0].set_value(RIGHT)
    counted.radio[0].set_value(0)
    counted.button("vote-now").click().run()
    board = open_page("classroom.py", show=code)
    chapter = holding(open_page("01_careful.py"), database, code)
    class_page = holding(open_page("classroom.py"), database, code)

    server.stop()
    chosen.button("vote-now").click().run()
    late = on_phone(open_page, code, OTHERS[1])
    for at in (chosen, counted.run(), board.run(), late, class_page.run()):
        assert not at.exception and DOWN in sentences(at)
    assert "keep this page open" in sentences(chosen) and "keep this page open" not in sentences(late)
    assert not chapter.run().exception and QUESTION.question in sentences(chapter)

    server.start()
    for at in (chosen, counted, board, late, class_page, chapter):
        at.run()
        assert not at.exception
    # The click that was not heard was sent by the phone itself.
    assert "Your vote is in" in sentences(chosen) and DOWN not in sentences(chosen)
    late.radio[0].set_value(0)
    late.button("vote-now").click().run()
    assert "Your vote is in" in sentences(late) and "Your vote is in" in sentences(counted)
    chapter.button("vote-1-visibility").click().run()
    seen = room.board(code)
    assert seen and seen.joined == 3 and seen.tallies == {1: {RIGHT: 1, 0: 2}}


@pytest.mark.slow
def test_a_lab_that_starts_without_its_database_says_so_on_every_page(open_page: Open, server: Postgres) -> None:
    code = Desk(classroom.database(), HOST).open_class()
    classroom.database().close()
    classroom.database.clear()
    server.stop()
    phone, board = on_phone(open_page, code), open_page("classroom.py", show=code)
    for at in (phone, board, open_page("classroom.py", key="x")):
        assert not at.exception and "cannot be opened" in sentences(at)
    server.start()
    assert "You are in" in sentences(phone.run()) and "Join with your phone" in sentences(board.run())
