"""Memory that the lab takes: the server's process, and that of the models where they have one."""

from __future__ import annotations

from dataclasses import dataclass

import psutil

WORKER = "core.serving.worker"
"""The module that a process of the models runs."""


@dataclass(frozen=True)
class Memory:
    """Bytes in use by the server and by the models' process (None where they live in the server's), and those that
    the machine has in all and has free."""

    server: int
    models: int | None
    machine: int
    free: int


def memory() -> Memory:
    """What is in use now."""
    here, machine = psutil.Process(), psutil.virtual_memory()
    sizes = [size for size in map(_worker_size, here.children()) if size is not None]
    return Memory(here.memory_info().rss, sum(sizes) if sizes else None, machine.total, machine.available)


def started() -> float:
    """When this process began, in seconds since 1970."""
    return float(psutil.Process().create_time())


def _worker_size(process: psutil.Process) -> int | None:
    try:
        return int(process.memory_info().rss) if WORKER in process.cmdline() else None
    except psutil.Error:
        # It has ended since it was listed.
        return None
