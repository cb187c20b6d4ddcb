"""The store on SQLite, and on a PostgreSQL of its own where the machine has one."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from core.classroom import Classroom, Database, Desk, open_database

OWNER = "ada@example.edu"
Restart = Callable[[], Database]


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 1_900_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


class Postgres:
    """A private PostgreSQL: its own folder, its own socket, no network. It can be stopped and started again."""

    def __init__(self, tools: Path, folder: Path) -> None:
        self.address = f"postgresql+psycopg://lab@/postgres?host={folder}"
        as_user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        if as_user:
            shutil.chown(folder, "postgres")
        data = str(folder / "data")
        _call([*as_user, str(tools / "initdb"), "-D", data, "-U", "lab", "-A", "trust", "-N", "-E", "UTF8"])
        self._control = [*as_user, str(tools / "pg_ctl"), "-D", data, "-w"]
        self._start = ["-l", str(folder / "log"), "-o", f"-c listen_addresses='' -c fsync=off -k {folder}", "start"]

    def start(self) -> None:
        _call([*self._control, *self._start])
        self.runs = True

    def stop(self) -> None:
        """End it in the midst of whatever it does, as a crash would."""
        self.runs = False
        _call([*self._control, "-m", "immediate", "stop"])


@contextmanager
def own_postgres() -> Iterator[Postgres]:
    """A PostgreSQL for the block, started."""
    tools = _tools()
    if tools is None:
        pytest.skip("PostgreSQL is not installed here (on Debian: apt-get install postgresql).")
    # Its socket's path must be short, and the folder its server's own.
    folder = Path(tempfile.mkdtemp(prefix="speclab-pg-", dir="/tmp"))
    try:
        server = Postgres(tools, folder)
        server.start()
        try:
            yield server
        finally:
            if server.runs:
                server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a PostgreSQL that runs all the time."""
    with own_postgres() as server:
        yield server.address


def _tools() -> Path | None:
    """The folder of PostgreSQL's programs; Debian does not put them on the path."""
    found = shutil.which("initdb")
    if found:
        return Path(found).resolve().parent
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return installed[-1].parent if installed else None


def _call(command: list[str]) -> None:
    # Not captured: the server would keep the pipe open.
    with tempfile.TemporaryFile("w+") as said:
        done = subprocess.run(command, stdout=said, stderr=subprocess.STDOUT, cwd="/", timeout=60)
        said.seek(0)
        assert done.returncode == 0, said.read()


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Where an empty classroom can be kept."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/classroom.db"
        return
    url = str(request.getfixturevalue("postgres"))
    emptied(url)
    yield url


def emptied(url: str) -> None:
    """Drop everything that a PostgreSQL holds."""
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(text("DROP SCHEMA public CASCADE"))
        connection.execute(text("CREATE SCHEMA public"))
    engine.dispose()


@pytest.fixture
def restart(address: str, clock: Clock) -> Iterator[Restart]:
    """Opens the same votes as a server does that has just started."""
    opened: list[Database] = []

    def start() -> Database:
        opened.append(open_database(address))
        opened[-1].now = clock
        return opened[-1]

    yield start
    for database in opened:
        database.close()


@pytest.fixture
def database(restart: Restart) -> Database:
    return restart()


@pytest.fixture
def desk(database: Database) -> Desk:
    return Desk(database, OWNER)


@pytest.fixture
def room(database: Database) -> Classroom:
    return Classroom(database)


def phone(number: int) -> str:
    """The random number of one phone."""
    return f"{number:032x}"
