"""How a lecturer gets in, from the server's own command line.

    python -m core.classroom link [--address localhost] [--port 8501] [--url https://lab.example/speclab]
    python -m core.classroom passphrase

The first prints an address that signs one person in, once. The second asks for a passphrase and prints what to put into
`.streamlit/secrets.toml`.
"""

from __future__ import annotations

import argparse
import getpass
import socket
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

from core.classroom.keys import Keys, hash_passphrase
from core.classroom.opening import open_database
from core.classroom.views import ClassroomError
from core.settings import SettingsError, read_settings

SECRETS = Path(__file__).parents[2] / ".streamlit" / "secrets.toml"
EVERYWHERE = ("0.0.0.0", "::", "")
"""Addresses by which a server listens to every network it is in; nobody can open a page there."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry the command out and give the process's exit status."""
    parser = argparse.ArgumentParser(prog="python -m core.classroom", description=(__doc__ or "").split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    link = commands.add_parser("link", help="print an address that signs a lecturer in, once")
    link.add_argument("--address", default="localhost")
    link.add_argument("--port", type=int, default=8501)
    link.add_argument("--url", help="the address of the lab's front page, where a proxy stands before it")
    commands.add_parser("passphrase", help="print what to put into the secrets for a passphrase")
    given = parser.parse_args(arguments)
    try:
        return _passphrase() if given.command == "passphrase" else _link(given.url or front(given.address, given.port))
    except (ClassroomError, SettingsError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1


def front(address: str, port: int) -> str:
    """The front page's address as a lecturer opens it, so that phones can open what is beside it."""
    return f"http://{_own_address() if address in EVERYWHERE else address}:{port}"


def _link(front_page: str) -> int:
    if _accounts():
        print(f"Lecturers sign in with their account: {front_page}/classroom")
        return 0
    key = Keys(open_database(read_settings().database)).make_link()
    print(f"To open a class (works once, within a day): {front_page}/classroom?key={key}")
    return 0


def _passphrase() -> int:
    typed = getpass.getpass("Passphrase: ")
    if getpass.getpass("Once more: ") != typed:
        raise ValueError("These were two different passphrases.")
    print(f'[lecturer]\npassphrase_hash = "{hash_passphrase(typed)}"')
    return 0


def _accounts() -> bool:
    """Whether the secrets name a place where lecturers have accounts."""
    return SECRETS.is_file() and "auth" in tomllib.loads(SECRETS.read_text(encoding="utf-8"))


def _own_address() -> str:
    """This machine's address in its network; `localhost` where it is in none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # Nothing is sent: the system only picks the card by which it would leave.
            probe.connect(("192.0.2.1", 9))
            return str(probe.getsockname()[0])
        except OSError:
            return "localhost"


if __name__ == "__main__":
    sys.exit(main())
