"""From what happened in a load test to figures, goals that were met or not, and a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, isinf

from core.theory.queueing import played, wait, workers_needed
from tools.load_test_visitor import Log

LEFT = 1 / 3
"""Of the memory that sessions took, at most this share may be left after they went."""
STEADY = 0.03
"""A soak's memory may gain this share of itself in the second half, not more: so much moves to and fro anyway."""
STUDENTS = (100, 300, 1000)
PRACTICE = 180.0
"""Seconds from one new run of a student to the next where a class tries out requests of its own."""
SOON = 10.0
"""Seconds that 95 % of the new runs should wait at most."""


@dataclass(frozen=True)
class Spread:
    """A number of times in seconds, in brief."""

    n: int
    p50: float
    p95: float
    most: float


@dataclass(frozen=True)
class Memory:
    """MB of the server: before the sessions came, at most, after they went, and gained in a soak's second half."""

    before: float
    peak: float
    after: float
    gained: float | None = None


@dataclass(frozen=True)
class Figures:
    """All that a load test found.

    `services` are seconds of the new runs that did not wait in line; `own` is the share of one core that the load test
    itself took, beside the server.
    """

    sessions: int
    at_once: int
    minutes: float
    took: dict[str, Spread]
    first_token: Spread | None
    place: Spread | None
    services: tuple[float, ...]
    not_ready: int
    votes: int
    new_runs: int
    polls: int
    failures: dict[str, int]
    memory: Memory
    own: float

    @property
    def growth(self) -> float:
        """MB a session."""
        return (self.memory.peak - self.memory.before) / self.at_once

    @property
    def left(self) -> float:
        """Share of the growth that is left after the sessions went."""
        grown = self.memory.peak - self.memory.before
        return max(0.0, self.memory.after - self.memory.before) / grown if grown > 0 else 0.0


@dataclass(frozen=True)
class Goal:
    """What was wanted and what was found; `met` is None where nothing was measured."""

    name: str
    found: str
    wanted: str
    met: bool | None


@dataclass(frozen=True)
class Queue:
    """The wait that so many students would have for so many pairs, in seconds: by M/M/k, and played through.

    `every` are the seconds from one new run of a student to the next.
    """

    every: float
    students: int
    pairs: int
    load: float
    mean: float
    p95: float
    played_p95: float


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least `share` of the values do not exceed.

    Raises:
        ValueError: where there are none.
    """
    if not values or not 0 < share <= 1:
        raise ValueError("A percentile needs values, and a share above 0.")
    return sorted(values)[ceil(share * len(values)) - 1]


def spread(values: Sequence[float]) -> Spread | None:
    """Times in brief; None for none."""
    return Spread(len(values), percentile(values, 0.5), percentile(values, 0.95), max(values)) if values else None


def figures(log: Log, at_once: int, minutes: float, memory: Memory, own: float) -> Figures:
    """A log in brief."""
    return Figures(
        sessions=log.sessions,
        at_once=at_once,
        minutes=minutes,
        took={kind: found for kind, values in log.took.items() if (found := spread(values))},
        first_token=spread(log.first_tokens),
        place=spread(log.places),
        services=tuple(log.services),
        not_ready=log.not_ready,
        votes=log.votes,
        new_runs=log.new_runs,
        polls=log.polls,
        failures=dict(log.failures),
        memory=memory,
        own=own,
    )


def goals(found: Figures) -> list[Goal]:
    """What a hundred students need, held against what was found."""
    failed = sum(found.failures.values())
    goals = [
        _second("analytic page, p95", found.took.get("analytic page")),
        _second("vote, p95", found.took.get("vote")),
        _second("first token of a run that was made before, p95", found.first_token),
        _second("place in line or first words of a new run, p95", found.place),
        Goal("failed sessions", str(failed), "0", failed == 0 if found.sessions else None),
        Goal("memory a session", f"{found.growth:.2f} MB", "under 3 MB", found.growth < 3),
        Goal("memory left after they went", f"{found.left:.0%}", f"at most {LEFT:.0%} of it", found.left <= LEFT),
    ]
    gained = found.memory.gained
    if gained is not None:
        most, name = STEADY * found.memory.peak, "memory gained in the soak's second half"
        goals.append(Goal(name, f"{gained:.1f} MB", f"under {most:.1f} MB", gained < most))
    return goals


def queues(found: Figures) -> list[Queue]:
    """The wait for more students, for one and two pairs and for as many as they need; empty where no run was timed.

    They start new runs as often as these did, and as often as a class that tries out its own.
    """
    if not found.services or not found.new_runs:
        return []
    service = sum(found.services) / len(found.services)
    rows = []
    for every in (found.minutes * 60 * found.at_once / found.new_runs, PRACTICE):
        for students in STUDENTS:
            rate = students / every
            for pairs in sorted({1, 2, workers_needed(rate, service, SOON)}):
                by_formula, by_play = wait(rate, service, pairs), played(rate, found.services, pairs)
                waits = by_formula.load, by_formula.mean, by_formula.p95, by_play.p95
                rows.append(Queue(every, students, pairs, *waits))
    return rows


def report(found: Figures) -> str:
    """The figures, the goals and the queues as text."""
    lines = [
        f"{found.sessions} sessions, {found.at_once} at once, {found.minutes:g} min; {found.votes} votes, "
        f"{found.new_runs} new runs, {found.polls} polls; the load test itself took {found.own:.0%} of a core",
        "",
        f"{'seconds':48} {'n':>6} {'p50':>7} {'p95':>7} {'most':>7}",
    ]
    lines += [_row(kind, times) for kind, times in sorted(found.took.items())]
    lines += [_row(name, times) for name, times in _named(found) if times]
    lines.append(f"pages whose default run was not there yet: {found.not_ready}")
    memory = found.memory
    lines += ["", f"memory in MB: {memory.before:.0f} before, {memory.peak:.0f} at most, {memory.after:.0f} after", ""]
    lines += [f"{_verdict(g.met):13} {g.name}: {g.found} (wanted: {g.wanted})" for g in goals(found)]
    lines += [f"  {number} × {sentence}" for sentence, number in sorted(found.failures.items())]
    if rows := queues(found):
        lines += ["", "If more students start new runs, each run as long as these and one at a time on a pair:"]
        head = f"{'a run every':>12} {'students':>8} {'pairs':>5} {'load':>6} {'mean wait':>10} {'p95':>10}"
        lines.append(f"{head} {'p95 played':>10}")
        lines += [
            f"{q.every / 60:8.1f} min {q.students:8} {q.pairs:5} {q.load:6.0%} "
            f"{_s(q.mean):>10} {_s(q.p95):>10} {_s(q.played_p95):>10}"
            for q in rows
        ]
    return "\n".join(lines)


def _named(found: Figures) -> list[tuple[str, Spread | None]]:
    return [
        ("first token of a run that was made before", found.first_token),
        ("place in line or first words of a new run", found.place),
        ("a new run that did not wait in line", spread(found.services)),
    ]


def _second(name: str, times: Spread | None) -> Goal:
    if times is None:
        return Goal(name, "nothing measured", "under 1 s", None)
    return Goal(name, f"{times.p95:.2f} s", "under 1 s", times.p95 < 1)


def _row(name: str, times: Spread) -> str:
    return f"{name:48} {times.n:6} {times.p50:7.2f} {times.p95:7.2f} {times.most:7.2f}"


def _verdict(met: bool | None) -> str:
    return "not measured" if met is None else "met" if met else "NOT met"


def _s(seconds: float) -> str:
    return "for ever" if isinf(seconds) else f"{seconds:.1f} s"
