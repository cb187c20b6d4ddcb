"""A server of the pages on a free port of this machine, for screenshots and for browser tests."""

from __future__ import annotations

import os
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
def serving(command: Sequence[str] = ("-m", "streamlit", "run", "Home.py"), under: str = "") -> Iterator[str]:
    """Serve while the block runs, and give the address.

    Args:
        command: what Python is called with.
        under: a path that the whole address lies under, as behind a proxy.
    """
    port = free_port()
    values = {**OPTIONS, "server.port": port, **({"server.baseUrlPath": under} if under else {})}
    options = [f"--{name}={value}" for name, value in values.items()]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        [sys.executable, *command, *options], cwd=ROOT, env=environment, stdout=subprocess.DEVNULL
    )
    url = f"http://127.0.0.1:{port}{f'/{under}' if under else ''}"
    try:
        await_health(url, process)
        yield url
    finally:
        process.terminate()
        process.wait(timeout=20)


def await_health(url: str, process: subprocess.Popen[bytes], seconds: float = 120) -> None:
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
