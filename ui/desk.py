"""What the host's desk shows: one look at everything that tells whether the lab is well."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime

from core.classroom import ClassroomDown
from core.classroom.figures import Figures, figures
from core.logs import RECENT, Line
from core.serving.memory import Memory, memory, started
from core.serving.metrics import METRICS
from core.serving.opening import PairFacts
from core.serving.schedule import Load
from core.settings import read_settings
from ui import classroom, engine, start, who
from ui.door import EngineStatus
from ui.words import count, megabytes

PAGE = "desk.py"
POLL = 3.0
"""Seconds between two looks."""


@dataclass(frozen=True)
class Sight:
    """One moment of the server. None where something is not known, or not there.

    `votes_fault` says why the votes cannot be reached; `since` is when the server began, in seconds since 1970.
    """

    sessions: int | None
    load: Load | None
    status: EngineStatus
    facts: PairFacts | None
    memory: Memory
    apart: bool
    votes: Figures | None
    votes_fault: str
    errors: list[Line]
    since: float


def look() -> Sight:
    """Look at everything now."""
    status = engine.status()
    votes, fault = _votes()
    return Sight(
        sessions=start.visits(),
        load=METRICS.load() if METRICS.load else None,
        status=status,
        facts=engine.door().opened.facts if status.state == "ready" else None,
        memory=memory(),
        apart=read_settings().worker == "process",
        votes=votes,
        votes_fault=fault,
        errors=RECENT.lines,
        since=started(),
    )


def offered() -> bool:
    """Whether the sidebar should lead here. The page itself asks for more: a sign-in that holds."""
    if who.accounts():
        return who.lecturer() is not None
    return bool(who.SIGN_IN.held().get("key"))


def figures_of(sight: Sight) -> list[tuple[str, str]]:
    """The figures at the top, each with its name."""
    load = sight.load or Load(0, 0, 0, 0)
    return [
        ("Visits open", "–" if sight.sessions is None else str(sight.sessions)),
        ("Runs taking turns", str(load.active)),
        ("Runs waiting", str(load.queued)),
        ("Turned away", str(load.turned_away)),
        ("Running for", since(time.time() - sight.since)),
    ]


def pair_words(sight: Sight) -> str:
    """The pair in a sentence or two."""
    facts = sight.facts
    if facts is None:
        doing = f"Loading, {sight.status.progress:.0%}: " if sight.status.state == "loading" else "Not loaded: "
        return doing + sight.status.text
    where = "in a process of their own" if sight.apart else "in the server's own process"
    same = {
        True: "Logits are the same to the last bit, however passes are grouped.",
        False: "Logits differ by rounding when passes are grouped otherwise.",
        None: "Whether passes may be regrouped has not been checked.",
    }[facts.identical]
    return f"{facts.target}, drafted by {facts.draft}, {where}. {facts.reason} {same}"


def memory_words(sight: Sight) -> list[tuple[str, str]]:
    """Who takes how much memory."""
    found = sight.memory
    rows = [("The server", megabytes(found.server))]
    if sight.apart:
        # Between a fault and the next run there is none.
        rows.append(("The models", "not running" if found.models is None else megabytes(found.models)))
    return [*rows, ("Free on this machine", f"{megabytes(found.free)} of {megabytes(found.machine)}")]


def votes_words(sight: Sight) -> str:
    """The votes' database in a sentence."""
    if sight.votes is None:
        return sight.votes_fault
    found = sight.votes
    held = f"{count(found.classes, 'class', 'classes')} ({found.running} on now)"
    return f"{found.kind}, reachable: {held}, {count(found.votes, 'vote')}."


def error_words(line: Line) -> str:
    """A line of the log as it is shown: plain text, cut where it is long."""
    message = line.message.splitlines()[0] if line.message else ""
    shown = message if len(message) <= 300 else f"{message[:300]} …"
    return f"{datetime.fromtimestamp(line.time, UTC):%d %b %H:%M:%S}  {line.level:<8}  {line.logger}  {shown}"


def since(seconds: float) -> str:
    """A stretch of time in its two largest units: `3 d 4 h`, `12 min`."""
    minutes = int(seconds // 60)
    days, hours, minutes = minutes // 1440, minutes // 60 % 24, minutes % 60
    if days:
        return f"{days} d {hours} h"
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def _votes() -> tuple[Figures | None, str]:
    try:
        return figures(classroom.database()), ""
    except ClassroomDown as error:
        return None, str(error)
