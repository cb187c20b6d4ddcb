"""A server that is told to stop in mid-run stops, and leaves no process of the models behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

import psutil

from core.serving.worker import WorkerProcess
from tests.serving.test_worker import open_desk
from tools.local_server import ROOT, await_health, free_port

SECONDS = 10
"""A container's host waits so long before it kills; on a free machine it takes one or two."""


def until(true: Callable[[], bool], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_told_to_stop_in_mid_run_it_ends_with_all_its_processes(tmp_path: Path) -> None:
    pid_file, port, counters = tmp_path / "worker", free_port(), free_port()
    environment = {
        **os.environ,
        "SLOW_WORKER": str(pid_file),
        "SPECLAB_WORKER": "process",
        "SPECLAB_METRICS": str(counters),
        "SPECLAB_DATABASE": f"sqlite:///{tmp_path}/votes.db",
    }
    command = [sys.executable, "tests/serving/slow_server.py", f"--server.port={port}", "--server.address=127.0.0.1"]
    with (tmp_path / "log").open("w") as log:
        server = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)
    try:
        await_health(f"http://127.0.0.1:{port}", server)

        def ready() -> bool:
            with urllib.request.urlopen(f"http://127.0.0.1:{counters}/metrics", timeout=5) as answer:
                return "speclab_pair_ready 1.0" in answer.read().decode()

        until(ready, 60)
        worker = psutil.Process(int(pid_file.read_text()))
        time.sleep(0.3)
        server.send_signal(signal.SIGTERM)
        server.wait(timeout=SECONDS)
        until(lambda: not worker.is_running() or worker.status() == psutil.STATUS_ZOMBIE, 2)
    finally:
        server.kill()
    said = (tmp_path / "log").read_text()
    assert "The models are ready." in said and "outcome=cancelled" in said and "Traceback" not in said


def test_a_setting_that_makes_no_sense_ends_it_with_one_sentence() -> None:
    environment = {**os.environ, "SPECLAB_QUEUE": "many"}
    ended = subprocess.run(
        [sys.executable, "-m", "ui.serve"], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert ended.returncode == 2 and ended.stderr.count("\n") == 1 and "SPECLAB_QUEUE" in ended.stderr


def test_ctrl_c_in_the_servers_window_is_the_servers_affair() -> None:
    worker = WorkerProcess(open_desk)
    process = worker._process
    os.kill(process.pid, signal.SIGINT)
    assert len(list(worker.work("count")(3))) == 3 and worker._process is process
    worker.close()
    assert not worker.alive


def test_a_server_that_is_killed_leaves_no_worker_behind() -> None:
    """Nobody can clean up after a kill: the worker sees that the other end of its pipe is gone."""
    code = (
        "import sys, time; from tests.serving.test_worker import open_desk;"
        "from core.serving.worker import WorkerProcess; w = WorkerProcess(open_desk);"
        "print(w._process.pid, flush=True); time.sleep(60)"
    )
    server = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout
        worker = psutil.Process(int(server.stdout.readline()))
        server.kill()
        server.wait(timeout=5)
        until(lambda: not worker.is_running() or worker.status() == psutil.STATUS_ZOMBIE, 5)
    finally:
        server.kill()
