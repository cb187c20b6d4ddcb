"""How long people wait for a pair, by how often they ask and how many pairs there are.

Arrivals are independent of each other (Poisson), whoever comes first is served first, and nobody leaves the line.
With service times that are exponential this is the queue M/M/k, whose formulas are Erlang's: "Solution of some
problems in the theory of probabilities of significance in automatic telephone exchanges", 1917; in today's form in
Kleinrock, "Queueing Systems" I, 1975, section 3.5. Service times as they were measured are played through instead.

An engine here lets a few runs take turns, where this lets one run after the other go. That changes who waits for
what, not how much work there is: the mean time from asking to the end is the same (Kleinrock II, 1976, section 4.4,
for exponential service times).
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, log

import numpy as np
from numpy.typing import NDArray

MOST_WORKERS = 10_000
MOST_JOBS = 1_000_000


@dataclass(frozen=True)
class Wait:
    """Seconds from asking until the work begins. Both are infinite where more is asked for than can be done.

    `load` is the share of the time that a worker works, above 1 where it cannot keep up.
    """

    load: float
    mean: float
    p95: float


def erlang_c(workers: int, offered: float) -> float:
    """The share of those who have to wait in M/M/k.

    Args:
        workers: k, at least 1.
        offered: arrivals a second times mean seconds of service.

    Raises:
        ValueError: for figures that make no sense.
    """
    if not 1 <= workers <= MOST_WORKERS or not 0 <= offered < inf:
        raise ValueError(f"There must be 1 to {MOST_WORKERS} workers, and work that is not negative.")
    if offered >= workers:
        return 1.0
    # Erlang's loss formula by its recursion in k: no factorials, so nothing overflows.
    lost = 1.0
    for k in range(1, workers + 1):
        lost = offered * lost / (k + offered * lost)
    return lost / (1 - offered / workers * (1 - lost))


def wait(rate: float, service: float, workers: int, share: float = 0.95) -> Wait:
    """The wait in M/M/k.

    Args:
        rate: arrivals a second.
        service: mean seconds of service.
        workers: k.
        share: of the people, those who wait at most `p95`.

    Raises:
        ValueError: for figures that make no sense.
    """
    waiting = erlang_c(workers, rate * service)
    load = rate * service / workers
    if load >= 1:
        return Wait(load, inf, inf)
    if rate == 0 or service == 0:
        return Wait(load, 0.0, 0.0)
    # Whoever has to wait waits an exponential time with this rate.
    spare = workers / service - rate
    return Wait(load, waiting / spare, max(0.0, log(waiting / (1 - share)) / spare))


def played(rate: float, services: Sequence[float], workers: int, jobs: int = 20_000, seed: int = 0) -> Wait:
    """The wait with service times drawn from measured ones, played through for so many jobs.

    Raises:
        ValueError: for figures that make no sense.
    """
    times = np.asarray(services, float)
    if not times.size or not np.all(times >= 0) or rate <= 0 or not 1 <= workers <= MOST_WORKERS:
        raise ValueError("There must be arrivals, workers and service times, none of them negative.")
    if not 1 <= jobs <= MOST_JOBS:
        raise ValueError(f"There must be 1 to {MOST_JOBS} jobs.")
    load = rate * float(times.mean()) / workers
    if load >= 1:
        return Wait(load, inf, inf)
    waits = _waits(rate, times, workers, jobs, np.random.default_rng(seed))
    # The line was empty at first, as it seldom is later.
    settled = waits[jobs // 10 :]
    return Wait(load, float(settled.mean()), float(np.quantile(settled, 0.95)))


def workers_needed(rate: float, service: float, seconds: float) -> int:
    """The fewest workers with which 95 % of the people wait at most so many seconds in M/M/k.

    Raises:
        ValueError: for figures that make no sense, or where `MOST_WORKERS` are too few.
    """
    for workers in range(max(1, int(rate * service)), MOST_WORKERS + 1):
        if wait(rate, service, workers).p95 <= seconds:
            return workers
    raise ValueError(f"More than {MOST_WORKERS} workers would be needed.")


def _waits(
    rate: float, times: NDArray[np.float64], workers: int, jobs: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Seconds each job waits, in the order of their arrival, [jobs]."""
    arrivals = np.cumsum(rng.exponential(1 / rate, jobs))
    services = rng.choice(times, jobs)
    free = [0.0] * workers
    waits = np.empty(jobs)
    for i, (came, takes) in enumerate(zip(arrivals, services, strict=True)):
        begins = max(came, free[0])
        heapq.heapreplace(free, begins + takes)
        waits[i] = begins - came
    return waits
