"""The memory of the server under a load test, seen from outside."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from time import perf_counter

import numpy as np
import psutil


def server_process(port: int) -> psutil.Process:
    """The process that listens on a port of this machine.

    Raises:
        ProcessLookupError: where none of this user does.
    """
    for connection in psutil.net_connections("tcp"):
        if connection.laddr.port == port and connection.status == psutil.CONN_LISTEN and connection.pid:
            return psutil.Process(connection.pid)
    raise ProcessLookupError(f"No process of this user listens on port {port}.")


def megabytes(process: psutil.Process) -> float:
    """Resident memory of a process and all that it has started, in MB; 0 once it is gone."""
    total = 0
    with suppress(psutil.NoSuchProcess):
        for one in (process, *process.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):
                total += one.memory_info().rss
    return total / 1e6


@dataclass
class Watch:
    """Looks at a process's memory again and again: `times` in seconds, `levels` in MB."""

    process: psutil.Process
    every: float = 2.0
    times: list[float] = field(default_factory=list)
    levels: list[float] = field(default_factory=list)

    async def look(self) -> None:
        """Look until cancelled."""
        while True:
            self.times.append(perf_counter())
            self.levels.append(megabytes(self.process))
            await asyncio.sleep(self.every)


def gained(times: Sequence[float], levels: Sequence[float]) -> float:
    """MB that a straight line through the second half of the levels gains from its first to its last time.

    Raises:
        ValueError: for fewer than two levels in that half.
    """
    half = len(times) // 2
    t, y = np.asarray(times[half:], float), np.asarray(levels[half:], float)
    if t.size < 2:
        raise ValueError("A line needs two levels.")
    return float(np.polyfit(t - t[0], y, 1)[0] * (t[-1] - t[0]))
