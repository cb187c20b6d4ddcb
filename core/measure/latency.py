"""How long one target pass over n positions takes, next to n passes over one: is reading one look?"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Generator, Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from core.cached_file import keep

LENGTHS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
KNEE_COST = 1.25
"""A pass still counts as one look while it costs at most this many times a pass over one position."""
STEADY = 1.15
"""Largest spread of a curve that is worth keeping for the next start."""
BUDGET = 20.0
"""Seconds of passes after which no further repeat begins: a busy machine is not measured for minutes."""
LEAST_REPEATS = 2

T = TypeVar("T")
Measuring = Generator[float, None, "LatencyCurve"]
"""A measurement under way: yields the fraction done, returns the curve."""


@dataclass(frozen=True)
class LatencyCurve:
    """Medians in seconds, one entry a length in `n`.

    `one_pass[i]` is one pass over n[i] positions, `n_passes[i]` n[i] passes over one position, one after another.
    `spread` is the upper quartile of the single passes over the lower one: near 1 on a quiet machine.
    """

    n: tuple[int, ...]
    one_pass: tuple[float, ...]
    n_passes: tuple[float, ...]
    context: int
    repeats: int
    spread: float = 1.0

    @property
    def knee(self) -> int:
        """The largest n whose pass costs at most `KNEE_COST` times a pass over one position."""
        return max(
            n for n, seconds in zip(self.n, self.one_pass, strict=True) if seconds <= KNEE_COST * self.one_pass[0]
        )

    @property
    def steady(self) -> bool:
        """Whether the machine was quiet: passes over one position took about the same time throughout."""
        return self.spread <= STEADY


def measure(
    step: Callable[[int], object],
    lengths: Sequence[int] = LENGTHS,
    repeats: int = 5,
    context: int = 0,
    clock: Callable[[], float] = perf_counter,
) -> Measuring:
    """Time `step(n)`, a pass over n positions after a fixed context; see `drain` for a plain call.

    Each repeat goes through all lengths, up and down in turn, and then through as many passes of one as the
    longest length has, so that a slow moment of the machine falls on all alike. One pass of each goes before, untimed.
    At most `repeats` are made, fewer once `BUDGET` is spent.
    Yields the fraction done after each pass: what happens between two passes is in no figure.
    """
    lengths = (1, *sorted(set(lengths) - {1}))
    longest = lengths[-1]
    seconds: dict[int, list[float]] = {n: [] for n in lengths}
    chains: list[list[float]] = []
    for n in lengths:
        step(n)
        yield 0.0
    while len(chains) < repeats and (len(chains) < LEAST_REPEATS or sum(map(sum, seconds.values())) < BUDGET):
        order = lengths[:0:-1] if len(chains) % 2 else lengths[1:]
        for i, n in enumerate((*order, *(1,) * longest), start=1):
            began = clock()
            step(n)
            seconds[n].append(clock() - began)
            yield (len(chains) + i / (len(order) + longest)) / repeats
        chains.append(list(accumulate(seconds[1][-longest:])))
    low, one, high = quantiles(seconds[1], n=4)
    return LatencyCurve(
        n=lengths,
        one_pass=(one, *(median(seconds[n]) for n in lengths[1:])),
        n_passes=(one, *(median(chain[n - 1] for chain in chains) for n in lengths[1:])),
        context=context,
        repeats=len(chains),
        spread=high / low,
    )


def drain(steps: Generator[object, None, T]) -> T:
    """Run a generator to its end and give what it returns."""
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            result: T = stop.value
            return result


def cached(path: Path, measuring: Callable[[], Generator[float, None, LatencyCurve]]) -> Measuring:
    """The curve in the file, or else a new one, which is written there if the machine was quiet enough.

    A file that is not a curve is replaced.
    """
    curve = _read(path)
    if curve is None:
        curve = yield from measuring()
        if curve.steady:
            keep(path, json.dumps(asdict(curve)), "The measured curve")
    return curve


def curve_path(folder: Path, key: str) -> Path:
    """Where the curve of a machine and pair belongs, named by a key such as `core.models.machine.machine_key` gives."""
    digest = hashlib.sha256(f"{key}|{LENGTHS}".encode()).hexdigest()
    return folder / f"latency-{digest[:16]}.json"


def _read(path: Path) -> LatencyCurve | None:
    try:
        curve = TypeAdapter(LatencyCurve).validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None
    figures = (*curve.one_pass, *curve.n_passes)
    whole = bool(curve.n) and curve.n[0] == 1 and len(curve.n) == len(curve.one_pass) == len(curve.n_passes)
    return curve if whole and all(0 < seconds < float("inf") for seconds in figures) else None
