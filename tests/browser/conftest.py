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
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

# The machine that runs the tests may be busy with others.
expect.set_options(timeout=15_000)


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


@contextmanager
def serving(script: str, under: str = "", **environment: str) -> Iterator[str]:
    """Serve a streamlit script on a port of its own, `under` a path or at the root; gives the address."""
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", script, "--server.port", str(port)]
    command += ["--server.address", "127.0.0.1", "--server.headless", "true"]
    command += ["--server.baseUrlPath", under]
    variables = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    process = subprocess.Popen(command, cwd=ROOT, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}{under and '/'}{under}"
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


@pytest.fixture(scope="session")
def harness(browser: Browser) -> Iterator[str]:
    """The address of a running harness that has been through its imports."""
    with serving("tests/browser/harness/app.py") as url:
        page = browser.new_page()
        page.goto(url)
        page.locator(".strip").wait_for(timeout=90_000)
        page.close()
        yield url


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
