"""PostgreSQL goes away in mid-vote and comes back: nothing is lost, nothing is counted twice, and one is told."""

from __future__ import annotations

import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine

from core.classroom import Classroom, ClassroomDown, Database, Desk, open_database
from core.classroom.store import DOWN, QUIET
from tests.classroom.conftest import own_postgres, phone
from tests.classroom.test_votes import begun

PHONES = 60
AWAY = 3.0
"""Seconds for which the server is gone."""


@pytest.mark.slow
def test_votes_that_are_sent_until_they_are_heard_are_each_counted_once() -> None:
    gone, back = threading.Event(), threading.Event()
    told: list[str] = []
    with own_postgres() as server, ThreadPoolExecutor(PHONES) as threads:
        database = open_database(server.address)
        room = Classroom(database)
        code, question = begun(database)

        def insist(i: int) -> tuple[int, int]:
            """Press the button until it is heard: what was counted for the phone, and how often one pressed in vain."""
            if i < 2 * PHONES // 3:
                time.sleep(i * AWAY / PHONES)
            else:
                gone.wait(60)
            for press in range(600):
                came_back = back.is_set()
                try:
                    return room.vote(code, phone(i), question, 1, i % 4).said, press
                except ClassroomDown as error:
                    assert not came_back, "a click after it came back was not heard"
                    told.append(str(error))
                    time.sleep(0.1)
            raise AssertionError("the votes have not come back")

        votes = [threads.submit(insist, i) for i in range(PHONES)]
        assert votes[0].result() == (0, 0)
        time.sleep(AWAY / 3)
        server.stop()
        gone.set()
        with pytest.raises(ClassroomDown, match=DOWN[:30]):
            Desk(database, "ada").board(code)
        with pytest.raises(ClassroomDown):
            room.join(code, phone(99))
        time.sleep(AWAY)
        server.start()
        back.set()
        heard = [vote.result(timeout=60) for vote in votes]

        assert [said for said, _ in heard] == [i % 4 for i in range(PHONES)]
        assert all(presses > 0 for _, presses in heard[2 * PHONES // 3 :]) and set(told) == {DOWN}
        # By the very server that went through it, and by one that starts after it.
        for now in (database, open_database(server.address)):
            board = Classroom(now).board(code)
            assert board and (board.counts, board.joined) == ({1: PHONES}, PHONES)
            assert Counter(row.said for row in Desk(now, "ada").rows(code)) == dict.fromkeys(range(4), PHONES // 4)
            now.close()


@pytest.mark.slow
def test_a_lab_that_starts_before_its_database_finds_it_later() -> None:
    with own_postgres() as server:
        server.stop()
        with pytest.raises(ClassroomDown, match="cannot be opened"):
            open_database(server.address)
        server.start()
        database = open_database(server.address)
        assert Desk(database, "ada").open_class()
        database.close()


def test_a_hundred_pages_write_one_line_to_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    database = Database(create_engine(f"sqlite:///{tmp_path}/none/classroom.db"))
    for _ in range(100):
        with pytest.raises(ClassroomDown, match=DOWN[:30]), database.reading():
            pass
    assert len(caplog.records) == 1 and "unable to open" in caplog.text
    database._quiet_until -= QUIET
    with pytest.raises(ClassroomDown), database.writing():
        pass
    assert len(caplog.records) == 2


def test_a_machine_that_is_cut_off_is_given_up_in_seconds(postgres: str) -> None:
    database = open_database(postgres)
    with database.reading() as connection:
        driver: Any = connection.connection.driver_connection
        set_to = driver.info.get_parameters()
    database.close()
    assert 0 < int(set_to["tcp_user_timeout"]) <= 10_000 and int(set_to["connect_timeout"]) <= 10
    assert sum(int(set_to[f"keepalives_{x}"]) for x in ("idle", "interval")) <= 10
