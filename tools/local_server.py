"""A server of the pages on a free port of this machine, for screenshots and for browser tests."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OPTIONS = {"server.address": "127.0.0.1", "server.headless": "true"}


def free_port() -> int:
    """A port that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def serving(command: Sequence[str] = ("-m", "streamlit", "run", "Home.py")) -> Iterator[str]:
    """Serve while the block runs, and give the address. `command` is what Python is called with."""
    port = free_port()
    options = [f"--{name}={value}" for name, value in {**OPTIONS, "server.port": port}.items()]
    process = subprocess.Popen([sys.executable, *command, *options], cwd=ROOT, stdout=subprocess.DEVNULL)
    try:
        _await_health(f"http://127.0.0.1:{port}", process)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(timeout=20)


def _await_health(url: str, process: subprocess.Popen[bytes], seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"The server ended with code {process.returncode}.")
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=1):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    raise TimeoutError(f"{url} did not answer within {seconds:g} s.")
