"""A streamlit server of its own for the components' harness, and a browser to look at it."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


def await_health(url: str, process: subprocess.Popen[bytes], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"the server ended with code {process.returncode}")
        try:
            urllib.request.urlopen(f"{url}/_stcore/health", timeout=1).close()
            return
        except OSError:
            time.sleep(0.1)
    raise TimeoutError(f"{url} did not answer within {seconds} s")


@pytest.fixture(scope="session")
def harness() -> Iterator[str]:
    """The address of a running harness."""
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", "tests/browser/harness/app.py"]
    command += ["--server.port", str(port), "--server.address", "127.0.0.1", "--server.headless", "true"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    try:
        await_health(url, process)
        yield url
    finally:
        process.terminate()
        process.wait(timeout=20)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=QUIET)
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page that fails its test when anything is logged as an error or sent to another host."""
    context = browser.new_context(viewport={"width": 1280, "height": 720})
    page = context.new_page()
    faults: list[str] = []
    page.on("console", lambda m: faults.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda e: faults.append(str(e)))
    page.on(
        "request", lambda r: faults.append(r.url) if "//127.0.0.1" not in r.url and r.url.startswith("http") else None
    )
    yield page
    context.close()
    assert faults == []
