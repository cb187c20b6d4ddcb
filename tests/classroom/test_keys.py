"""Links, sign-ins, the passphrase, the limits, the command line, and the file of votes."""

from __future__ import annotations

import csv
import io
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from core.classroom import Ask, Classroom, ClassroomDown, Database, Desk, Keys, Limiter, open_database
from core.classroom import __main__ as command
from core.classroom.keys import HOST, check_passphrase, hash_passphrase
from core.classroom.schema import MIGRATIONS, SchemaError, keys, migrate, version
from core.classroom.views import Row, as_csv, share_right, torn
from tests.classroom.conftest import Clock, Restart, phone


def test_a_link_works_once_even_for_many_at_the_same_moment(restart: Restart) -> None:
    database = restart()
    key = Keys(database).make_link()
    together = threading.Barrier(6)

    def use(_: int) -> str | None:
        together.wait()
        return Keys(database).use_link(key)

    with ThreadPoolExecutor(6) as threads:
        signed_in = [one for one in threads.map(use, range(6)) if one]
    assert len(signed_in) == 1
    assert Keys(restart()).owner(signed_in[0]) == HOST
    assert Keys(database).use_link(key) is None


def test_keys_end_and_serve_for_one_thing_only(database: Database, clock: Clock) -> None:
    door = Keys(database)
    link, old = door.make_link(), door.make_link()
    signed_in = door.sign_in("ada")
    assert door.owner(link) is None and door.use_link(signed_in) is None
    assert door.owner(signed_in) == "ada" and door.owner("") is None and door.owner("x" * 10_000) is None
    door.sign_out(signed_in)
    assert door.owner(signed_in) is None
    kept = door.use_link(link)
    clock.now += 24 * 3600 + 1
    assert kept and door.owner(kept) is None and door.use_link(old) is None
    door.make_link()
    with database.reading() as connection:
        assert len(connection.execute(keys.select()).all()) == 1


def test_the_database_holds_no_key_that_would_let_anybody_in(database: Database) -> None:
    door = Keys(database)
    given = [door.make_link(), door.sign_in("ada")]
    assert all(len(key) >= 43 for key in given)
    with database.reading() as connection:
        held = {cell for row in connection.execute(keys.select()) for cell in row}
    assert not held & set(given)
    assert all(door.owner(str(cell)) is None and door.use_link(str(cell)) is None for cell in held)


def test_a_passphrase_is_known_by_its_hash_alone() -> None:
    kept = hash_passphrase("correct horse battery")
    assert check_passphrase("correct horse battery", kept)
    assert kept != hash_passphrase("correct horse battery") and "correct" not in kept
    assert not any(check_passphrase(p, kept) for p in ("", "correct horse batterY", "x" * 100_000))
    assert not any(check_passphrase("correct horse battery", k) for k in ("", "a:b", "scrypt:zz:00", kept[:-2]))
    with pytest.raises(ValueError, match="12"):
        hash_passphrase("too short")


def test_a_limit_holds_for_one_and_for_a_time() -> None:
    clock = Clock()
    limiter = Limiter(2, 60.0, clock)
    for _ in range(2):
        assert limiter.wait("here") == 0
        limiter.failed("here")
    assert limiter.wait("here") == 60 and limiter.wait("there") == 0
    clock.now += 59
    assert limiter.wait("here") == 1
    clock.now += 1
    assert limiter.wait("here") == 0
    limiter.failed("there")
    assert set(limiter._failed) == {"there"}, "what is long ago is still held"


def test_the_command_line_gives_a_link_that_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    address = f"sqlite:///{tmp_path}/deep/er/classroom.db"
    monkeypatch.setenv("SPECLAB_DATABASE", address)
    monkeypatch.setattr(command, "SECRETS", tmp_path / "secrets.toml")
    assert command.main(["link", "--url", "https://lab.example/speclab"]) == 0
    said = capsys.readouterr().out
    front, _, key = said.strip().partition("?key=")
    assert front.endswith(" https://lab.example/speclab/classroom")
    database = open_database(address)
    assert Keys(database).use_link(key)
    database.close()

    (tmp_path / "secrets.toml").write_text('[auth]\nclient_id = "x"\n')
    assert command.main(["link", "--port", "80"]) == 0 and "key" not in capsys.readouterr().out
    answers = iter(["correct horse battery"] * 2 + ["one passphrase", "another passphrase"])
    monkeypatch.setattr(command.getpass, "getpass", lambda _: next(answers))
    assert command.main(["passphrase"]) == 0
    kept = capsys.readouterr().out.split('"')[1]
    assert check_passphrase("correct horse battery", kept)
    assert command.main(["passphrase"]) == 1
    (tmp_path / "secrets.toml").unlink()
    monkeypatch.setenv("SPECLAB_DATABASE", "mysql://root:secret@db/lab")
    assert command.main(["link"]) == 1 and "secret" not in "".join(capsys.readouterr())


def test_a_link_names_an_address_that_phones_can_open() -> None:
    assert command.front("lab.example", 80) == "http://lab.example:80"
    assert command.front("0.0.0.0", 8501) not in ("http://0.0.0.0:8501", "http://:8501")


def test_the_file_of_votes_names_nobody_and_holds_no_formula(room: Classroom, desk: Desk) -> None:
    code = desk.open_class()
    desk.ask(code, Ask(3, 0, 3))
    seen = room.look(code)
    assert seen and seen.question
    # A phone that only looks on comes first: numbers follow the order of joining.
    for i, said in ((9, None), (4, 2), (1, 1)):
        room.join(code, phone(i))
        if said is not None:
            room.vote(code, phone(i), seen.question.id, 1, said)
    assert [(row.device, row.said, row.right) for row in desk.rows(code)] == [(2, 2, None), (3, 1, None)]
    desk.reveal(code, seen.question.id, 2)
    text = as_csv(desk.rows(code), lambda chapter: '=HYPERLINK("x")', lambda chapter, said: f"@{said}, b\nc")
    first, second = csv.DictReader(io.StringIO(text))
    assert (first["chapter"], first["vote"], first["phone"], first["said"], first["right"]) == (
        "3",
        "1",
        "2",
        "2",
        "yes",
    )
    assert second["right"] == "no" and second["time (UTC)"] == "2030-03-17 17:46:40"
    assert first["question"] == '\'=HYPERLINK("x")' and first["said in words"] == "'@2, b\nc"
    assert not any(phone(i) in text for i in (1, 4, 9)) and code not in text
    assert as_csv([], str, lambda *_: "").count("\n") == 1
    assert as_csv([Row(1, 1, 1, -3, None, 0.0)], lambda _: "q", lambda *_: "w").splitlines()[1].split(",")[4] == "-3"


@pytest.mark.parametrize(
    ("right", "votes", "share", "divided"),
    [(0, 2, None, False), (1, 3, 1 / 3, False), (7, 20, 0.35, True), (7, 10, 0.7, True), (3, 4, 0.75, False)],
)
def test_a_class_is_divided_from_35_to_70_percent(right: int, votes: int, share: float | None, divided: bool) -> None:
    assert share_right(Ask(1, 0, 20, near=2), {10: right, 0: votes - right}, 12) == share
    assert torn(share) is divided


def test_tables_are_brought_up_to_date_once_and_newer_ones_are_left_alone(restart: Restart) -> None:
    database = restart()
    code = Desk(database, "ada").open_class()
    steps: list[object] = []
    assert migrate(database.engine, [*MIGRATIONS, steps.append]) == len(MIGRATIONS) + 1
    assert migrate(database.engine, [*MIGRATIONS, steps.append]) == len(MIGRATIONS) + 1 and len(steps) == 1
    with database.writing() as connection:
        assert [row.version for row in connection.execute(version.select())] == [len(MIGRATIONS) + 1]
    with pytest.raises(SchemaError, match="newer"):
        migrate(database.engine)
    with pytest.raises(ClassroomDown, match="newer"):
        restart()
    assert Classroom(database).look(code)


def test_a_database_that_is_not_there_is_told_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no database")
    for address in (f"sqlite:///{tmp_path}/file", f"sqlite:///{tmp_path}/file/under.db",
                    f"postgresql+psycopg://lab:secret@/x?host={tmp_path}"):  # fmt: skip
        with pytest.raises(ClassroomDown) as told:
            open_database(address)
        assert "secret" not in str(told.value) and str(tmp_path) not in str(told.value)


def test_a_database_that_goes_away_is_told_and_comes_back(restart: Restart) -> None:
    database = restart()
    code = Desk(database, "ada").open_class()
    with database.writing() as connection:
        connection.exec_driver_sql("ALTER TABLE device RENAME TO away")
    with pytest.raises(ClassroomDown, match="cannot be reached"):
        Classroom(database).join(code, phone(1))
    with database.writing() as connection:
        connection.exec_driver_sql("ALTER TABLE away RENAME TO device")
    Classroom(database).join(code, phone(1))
    assert Desk(database, "ada").classes()[0].joined == 1
