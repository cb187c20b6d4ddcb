"""Never counted twice: many threads at once, and any order of sending, repeating and restarting."""

from __future__ import annotations

import random
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.classroom import Ask, Classroom, ClassroomError, Database, Desk, open_database
from tests.classroom.conftest import Restart, phone

ASK = Ask(1, 0, 3)
PHONES = 24
Sent = st.tuples(st.integers(0, 4), st.integers(0, 3), st.sampled_from([1, 2]))
Step = st.one_of(Sent, st.sampled_from(["talk", "again", "restart", "reveal"]))


def begun(database: Database) -> tuple[str, int]:
    """A class with a question, and the question's id."""
    desk = Desk(database, "ada")
    code = desk.open_class()
    desk.ask(code, ASK)
    seen = Classroom(database).look(code)
    assert seen and seen.question
    return code, seen.question.id


def test_votes_of_many_threads_are_each_counted_once(restart: Restart) -> None:
    database = restart()
    code, question = begun(database)
    # Two servers on one database, as behind a proxy, and every phone sends its vote four times, to either.
    rooms = [Classroom(database), Classroom(restart())]
    sent = [(i, i % 4) for i in range(PHONES)] * 4
    random.Random(3).shuffle(sent)
    together = threading.Barrier(8)

    def send(part: int) -> int:
        together.wait()
        votes = [rooms[n % 2].vote(code, phone(i), question, 1, said) for n, (i, said) in enumerate(sent[part::8])]
        return sum(receipt.new for receipt in votes)

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(send, range(8))) == PHONES
    board = rooms[0].board(code)
    assert board and board.counts == {1: PHONES} and board.joined == PHONES
    Desk(database, "ada").reveal(code, question, 1)
    board = rooms[1].board(code)
    assert board and board.tallies == {1: dict.fromkeys(range(4), PHONES // 4)}


def test_no_vote_comes_in_after_the_reveal(restart: Restart) -> None:
    database = restart()
    desk, room = Desk(database, "ada"), Classroom(database)
    code, question = begun(database)
    together = threading.Barrier(5)
    seen: list[int] = []

    def vote(part: int) -> int:
        together.wait()
        counted = 0
        for i in range(part, 80, 4):
            try:
                counted += room.vote(code, phone(i), question, 1, 1).new
            except ClassroomError:
                break
        return counted

    def reveal() -> None:
        together.wait()
        while (board := room.board(code)) and board.counts.get(1, 0) < 8:
            pass
        desk.reveal(code, question, 1)
        shown = room.board(code)
        seen.append(shown.counts[1] if shown else 0)

    with ThreadPoolExecutor(5) as threads:
        votes = [threads.submit(vote, part) for part in range(4)]
        threads.submit(reveal).result()
        counted = sum(v.result() for v in votes)
    board = room.board(code)
    assert board and seen == [counted] == [board.counts[1]]


def test_servers_that_start_at_once_make_the_tables_once(address: str) -> None:
    together = threading.Barrier(6)

    def start(_: int) -> Database:
        together.wait()
        return open_database(address)

    with ThreadPoolExecutor(6) as threads:
        opened = list(threads.map(start, range(6)))
    code, _ = begun(opened[0])
    assert all(Classroom(database).look(code) for database in opened)
    for database in opened:
        database.close()


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(Step, max_size=25))
def test_whatever_is_sent_in_whatever_order_a_phone_has_one_vote_a_round(steps: list[object]) -> None:
    with TemporaryDirectory() as folder:
        address = f"sqlite:///{Path(folder)}/classroom.db"
        database = open_database(address)
        code, question = begun(database)
        state, round_, expected = "open", 1, dict[tuple[int, int], int]()
        for step in steps:
            desk, room = Desk(database, "ada"), Classroom(database)
            if isinstance(step, tuple):
                who, said, in_round = step
                takes = state == "open" and in_round == round_
                try:
                    receipt = room.vote(code, phone(who), question, in_round, said)
                    assert receipt.new == (takes and (who, in_round) not in expected)
                    assert receipt.said == expected.setdefault((who, in_round), said)
                except ClassroomError:
                    assert not takes and (who, in_round) not in expected
            elif step == "restart":
                database.close()
                database = open_database(address)
            elif step == "talk":
                desk.talk(code, question)
                state = "talk" if (state, round_) == ("open", 1) else state
            elif step == "again":
                desk.again(code, question)
                state, round_ = ("open", 2) if state == "talk" else (state, round_)
            else:
                desk.reveal(code, question, 1)
                state = "revealed"
        rows = Desk(database, "ada").rows(code)
        assert len(rows) == len(expected)
        assert Counter((r.round, r.said) for r in rows) == Counter((r, said) for (_, r), said in expected.items())
        database.close()
