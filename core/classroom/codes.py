"""A class's code, as it is made, typed, shown and kept."""

from __future__ import annotations

import hashlib
import re
import secrets

LETTERS = "bcdfghjkmnpqrstvwxyz23456789"
"""None is easily taken for another, and without vowels they spell no word."""
LENGTH = 6
"""28 to the power of 6 are 480 million codes, of which a few are in use for a few hours."""

_DEVICE = re.compile(r"[0-9a-f]{32}")


def new_code() -> str:
    """A code that nobody can guess from another."""
    return "".join(secrets.choice(LETTERS) for _ in range(LENGTH))


def tidy(typed: str) -> str | None:
    """A code as it is kept, from what somebody typed or an address says; None for what cannot be one."""
    letters = re.sub(r"[\s\-–]", "", typed[:40]).lower()
    return letters if len(letters) == LENGTH and set(letters) <= set(LETTERS) else None


def spoken(code: str) -> str:
    """A code in the form in which it is read out and typed: `BCD FGH`."""
    return f"{code[:3]} {code[3:]}".upper()


def is_device(token: object) -> bool:
    """Whether this can be the random number by which a browser knows itself."""
    return isinstance(token, str) and _DEVICE.fullmatch(token) is not None


def device_digest(class_id: int, token: str) -> str:
    """A browser's number as one class keeps it: it cannot be found again in another class, nor led back."""
    return hashlib.sha256(f"{class_id}:{token}".encode()).hexdigest()
