"""The tables of classes and votes, made and brought up to date when a server opens them.

SQLite keeps them in a file; PostgreSQL is another address. Nothing else differs for whoever uses them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Column,
    Connection,
    Engine,
    Float,
    ForeignKey,
    Integer,
    MetaData,
    String,
    Table,
    UniqueConstraint,
    create_engine,
    event,
    inspect,
    text,
)
from sqlalchemy.engine import make_url
from sqlalchemy.pool import ConnectionPoolEntry

WAIT = 8
"""Seconds to wait for a lock or for a server before giving up."""
READS = {"reads": True}
"""Execution options of a connection that changes nothing: it waits for nobody."""

_METADATA = MetaData()

version = Table("schema_version", _METADATA, Column("version", Integer, primary_key=True, autoincrement=False))
"""One row: how many of `MIGRATIONS` the tables have been through."""

# Times are seconds since 1970. No `id` is given twice (SQLite would otherwise use a deleted row's again), so a vote
# that comes after a reset finds nothing to be counted under.
classes = Table(
    "class",
    _METADATA,
    Column("id", Integer, primary_key=True),
    Column("code", String(16), nullable=False, unique=True),
    Column("owner", String(320), nullable=False, index=True),
    Column("opened", Float, nullable=False),
    Column("until", Float, nullable=False),
    Column("current", Integer, nullable=True),
    sqlite_autoincrement=True,
)
"""A class in session: its code, who holds it, and the question that it is at."""

questions = Table(
    "question",
    _METADATA,
    Column("id", Integer, primary_key=True),
    Column("class_id", ForeignKey("class.id", ondelete="CASCADE"), nullable=False),
    Column("chapter", Integer, nullable=False),
    Column("low", Integer, nullable=False),
    Column("high", Integer, nullable=False),
    Column("near", Integer, nullable=False),
    Column("answer", Integer, nullable=True),
    Column("state", String(16), nullable=False),
    Column("round", Integer, nullable=False),
    UniqueConstraint("class_id", "chapter"),
    sqlite_autoincrement=True,
)
"""A question put to a class: what may be said to it, what is right, and whether votes are taken."""

devices = Table(
    "device",
    _METADATA,
    Column("id", Integer, primary_key=True),
    Column("class_id", ForeignKey("class.id", ondelete="CASCADE"), nullable=False),
    Column("device", String(64), nullable=False),
    Column("joined", Float, nullable=False),
    UniqueConstraint("class_id", "device"),
    sqlite_autoincrement=True,
)
"""A phone that has joined a class. `device` is a digest that means nothing outside this class."""

votes = Table(
    "vote",
    _METADATA,
    Column("id", Integer, primary_key=True),
    Column("question_id", ForeignKey("question.id", ondelete="CASCADE"), nullable=False),
    Column("round", Integer, nullable=False),
    Column("device_id", ForeignKey("device.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("said", Integer, nullable=False),
    Column("at", Float, nullable=False),
    UniqueConstraint("question_id", "round", "device_id"),
    sqlite_autoincrement=True,
)
"""A vote. The last constraint is why none is counted twice, whatever is sent twice."""

keys = Table(
    "lecturer_key",
    _METADATA,
    Column("digest", String(64), primary_key=True),
    Column("kind", String(16), nullable=False),
    Column("owner", String(320), nullable=False),
    Column("until", Float, nullable=False),
)
"""What lecturers show to be let in: links, which work once, and sign-ins. Only digests are kept."""


def _first(connection: Connection) -> None:
    _METADATA.create_all(connection)


MIGRATIONS: Sequence[Callable[[Connection], None]] = (_first,)
"""Each brings the tables from one version to the next. Add to the end, never change one that has been released."""


class SchemaError(RuntimeError):
    """Tables that this program cannot use; the message says why."""


def connect(address: str) -> Engine:
    """Connect to a database and bring its tables up to date.

    Args:
        address: as `core.settings.Settings.database` gives it.

    Raises:
        SchemaError: for tables made by a newer program.
        sqlalchemy.exc.SQLAlchemyError, OSError: where the database cannot be reached or written.
    """
    url = make_url(address)
    if url.get_backend_name() == "sqlite":
        if url.database:
            Path(url.database).expanduser().parent.mkdir(parents=True, exist_ok=True)
            url = url.set(database=str(Path(url.database).expanduser()))
        engine = create_engine(url, hide_parameters=True, connect_args={"timeout": WAIT})
        event.listen(engine, "connect", _sqlite_connection)
        event.listen(engine, "begin", _sqlite_begin)
    else:
        limits = {
            "connect_timeout": WAIT,
            "options": f"-c lock_timeout={WAIT}s -c statement_timeout={2 * WAIT}s",
            # A machine that is cut off says nothing: without these, what was sent to it is waited for a quarter hour.
            "tcp_user_timeout": 1000 * WAIT,
            "keepalives_idle": WAIT,
            "keepalives_interval": 2,
            "keepalives_count": 3,
        }
        engine = create_engine(url, hide_parameters=True, pool_pre_ping=True, pool_timeout=WAIT, connect_args=limits)
    migrate(engine)
    return engine


_migrating = threading.Lock()


def migrate(engine: Engine, migrations: Sequence[Callable[[Connection], None]] = MIGRATIONS) -> int:
    """Bring the tables up to date and give their version. Several servers may do so at the same moment."""
    with _migrating, engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            # Tables that do not exist yet cannot be locked: one server at a time, by a number of our own.
            connection.execute(text("SELECT pg_advisory_xact_lock(7021995)"))
        done = _version(connection)
        if done > len(migrations):
            raise SchemaError("The classroom's tables were made by a newer version of this program: update it.")
        for step in migrations[done:]:
            step(connection)
        connection.execute(version.delete())
        connection.execute(version.insert().values(version=len(migrations)))
    return len(migrations)


def _version(connection: Connection) -> int:
    if not inspect(connection).has_table(version.name):
        return 0
    return connection.execute(version.select()).scalar_one_or_none() or 0


def _sqlite_connection(connection: Any, record: ConnectionPoolEntry) -> None:
    # Python's module begins transactions too late, so `_sqlite_begin` does.
    connection.isolation_level = None
    for line in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {line}")


def _sqlite_begin(connection: Connection) -> None:
    # A writer takes the lock at once, where waiting for it works. A reader sees the state of its first look.
    reads = connection.get_execution_options().get("reads", False)
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")
