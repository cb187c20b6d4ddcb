"""How a lecturer without an account is let in: links that work once, a passphrase, and what a browser shows afterwards.

Links and sign-ins are random numbers of 256 bits, of which the database keeps digests only. They are looked up by their
digest, so how long a look takes tells nothing about the number.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable

from sqlalchemy import ColumnElement, Connection, delete, select

from core.classroom.schema import keys
from core.classroom.store import Database, insert_once

HOST = "host"
"""Who comes by a link or by the passphrase: whoever runs the server, or was let in by them."""
LINK_HOURS, SIGN_IN_HOURS = 24, 24
SHORTEST = 12
"""Characters of a passphrase."""

_SCRYPT = {"n": 2**15, "r": 8, "p": 1, "maxmem": 2**26}
_LONGEST = 1000


class Keys:
    """Links and sign-ins, in the database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def make_link(self) -> str:
        """A key that lets one person in, once, within a day."""
        with self._database.writing() as connection:
            return self._add(connection, "link", HOST, LINK_HOURS)

    def use_link(self, key: str) -> str | None:
        """A sign-in for a link's key, which is then used up; None for one that is not good (any more)."""
        with self._database.writing() as connection:
            used = delete(keys).where(*self._good(key, "link"))
            # Whoever deletes the row has used it: of two at the same moment, one.
            return self._add(connection, "sign-in", HOST, SIGN_IN_HOURS) if connection.execute(used).rowcount else None

    def sign_in(self, owner: str = HOST) -> str:
        """A sign-in for somebody whose word has been checked."""
        with self._database.writing() as connection:
            return self._add(connection, "sign-in", owner, SIGN_IN_HOURS)

    def owner(self, sign_in: str) -> str | None:
        """Who holds this sign-in; None for one that is not good (any more)."""
        with self._database.reading() as connection:
            found: str | None = connection.scalar(select(keys.c.owner).where(*self._good(sign_in, "sign-in")))
            return found

    def sign_out(self, sign_in: str) -> None:
        """End a sign-in."""
        with self._database.writing() as connection:
            connection.execute(delete(keys).where(keys.c.digest == _digest(sign_in)))

    def _good(self, key: str, kind: str) -> tuple[ColumnElement[bool], ...]:
        return keys.c.digest == _digest(key), keys.c.kind == kind, keys.c.until > self._database.now()

    def _add(self, connection: Connection, kind: str, owner: str, hours: float) -> str:
        now = self._database.now()
        connection.execute(delete(keys).where(keys.c.until <= now))
        key = secrets.token_urlsafe(32)
        insert_once(connection, keys, digest=_digest(key), kind=kind, owner=owner, until=now + hours * 3600)
        return key


class Limiter:
    """Counts what went wrong, by who did it: after `most` within `seconds`, no more is heard for a while.

    It is kept in memory, so nothing about anybody's address is written down. Safe to use from any thread.
    """

    def __init__(self, most: int, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._seconds = seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._failed: defaultdict[str, deque[float]] = defaultdict(deque)

    def wait(self, who: str) -> float:
        """Seconds until another try is heard; 0 if it is now."""
        with self._lock:
            recent = self._recent(who)
            return 0.0 if len(recent) < self._most else recent[0] + self._seconds - self._clock()

    def failed(self, who: str) -> None:
        """Count a try that went wrong."""
        with self._lock:
            for name in list(self._failed):
                self._recent(name)
            self._failed[who].append(self._clock())

    def _recent(self, who: str) -> deque[float]:
        times = self._failed.get(who, deque())
        while times and times[0] <= self._clock() - self._seconds:
            times.popleft()
        if not times:
            self._failed.pop(who, None)
        return times


def hash_passphrase(passphrase: str) -> str:
    """What to put into the secrets for a passphrase: a salt and a slow digest.

    Raises:
        ValueError: for a passphrase that is too short to withstand guessing.
    """
    if not SHORTEST <= len(passphrase) <= _LONGEST:
        raise ValueError(f"A passphrase has at least {SHORTEST} characters: four or five words, say.")
    salt = secrets.token_bytes(16)
    return f"scrypt:{salt.hex()}:{_slow(passphrase, salt).hex()}"


def check_passphrase(passphrase: str, kept: str) -> bool:
    """Whether a passphrase is the one whose hash is kept. Takes as long whatever is wrong with it."""
    try:
        kind, salt, digest = kept.split(":")
        wanted = bytes.fromhex(digest)
        found = _slow(passphrase[:_LONGEST], bytes.fromhex(salt))
    except ValueError:
        return False
    return kind == "scrypt" and hmac.compare_digest(found, wanted)


def _slow(passphrase: str, salt: bytes) -> bytes:
    return hashlib.scrypt(passphrase.encode(), salt=salt, **_SCRYPT)


def _digest(key: str) -> str:
    return hashlib.sha256(key[:_LONGEST].encode(errors="replace")).hexdigest()
