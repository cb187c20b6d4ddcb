"""What chapter 7 shows of many draws at one position: where they come from, and how far they are from the target."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from core.decoding.rounds import Position
from core.decoding.trace import Trace
from core.measure.exactness import Array, Band, tv, tv_band
from core.measure.toy import MOST, Rounds

CHECKPOINTS = (10, 32, 100, 316, 1000, 3162, 10_000, 31_623, 100_000, 316_228, MOST)
"""Numbers of draws at which the distance is looked at: evenly apart on a logarithmic axis."""


@dataclass(frozen=True)
class Place:
    """A drafted position of a run, and the answer's text before it."""

    before: str
    position: Position


def places(trace: Trace) -> list[Place]:
    """Every position at which the draft guessed, in the order of the run."""
    found, written = [], trace.pieces[0]
    at = 1
    for r in trace.rounds:
        guessed = written
        for x in r.positions:
            found.append(Place(guessed, x))
            guessed += x.text
        written += "".join(trace.pieces[at : at + len(r.committed)])
        at += len(r.committed)
    return found


@lru_cache(maxsize=16)
def noise_bands(p: tuple[float, ...], ns: tuple[int, ...] = CHECKPOINTS) -> tuple[Band, ...]:
    """The band of sampling noise at each number of draws."""
    return tuple(tv_band(np.array(p), n) for n in ns)


def seen_distances(rounds: Rounds, p: Array) -> list[tuple[int, float]]:
    """(draws, distance from p) at each checkpoint that was reached, and after the last draw."""
    ns = [n for n in CHECKPOINTS if n < len(rounds)] + [len(rounds)] * (len(rounds) >= CHECKPOINTS[0])
    return [(n, tv(rounds.output(n) / n, p)) for n in ns]
