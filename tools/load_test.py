"""A class of students, played to a server on this machine: how fast it answers, and what memory it takes.

    python -m tools.load_test                        100 students for 5 minutes, against a server of its own
    python -m tools.load_test --soak 20              20 minutes; every student stays 5 and is followed by another
    python -m tools.load_test --url http://127.0.0.1:8501 [--no-class]     a server that runs already

Each student is one session that speaks the browser's own protocol (`tools.load_test_tab`). It comes within the first
fifth of the time, a minute at most, and then does one thing every 5 seconds: opens a chapter, goes past its question,
moves a slider, or votes while a question of the class is open. Chapters show their default runs; over all students one
run a minute is a new one.

Before anything is timed, one session opens every page and waits for its runs. A server that runs already must have the
same settings as this command, or its votes lie in another database: leave the class out then.

Prints a table (`--json`: the figures) and ends with 1 if a goal was not met.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import sys
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from urllib.parse import urlsplit

from tools.load_test_class import teach
from tools.load_test_memory import Watch, gained, megabytes, server_process
from tools.load_test_report import Figures, Memory, figures, goals, queues, report
from tools.load_test_tab import BrokenTab, open_tab, stream_address
from tools.load_test_visitor import RUN_PATIENCE, SKIP, Lesson, Student, waiting
from tools.local_server import serving
from ui import content

MOST_SESSIONS, MOST_MINUTES = 300, 30.0
STAND_IN = ("tests/browser/app_server.py",)
GONE = 330.0
"""Seconds after which the server has given up a session that left: its `disconnectedSessionTTL`, and some more."""


@dataclass(frozen=True)
class Plan:
    """A load.

    Attributes:
        sessions: students at once.
        minutes: for how long.
        ramp: seconds within which they come.
        stay: minutes after which a student leaves and another comes; None for all of the time.
        every: seconds from one action of a student to the next.
        gone: seconds from the last student's leaving to the last look at the memory.
        lecturer: whether there is a class, in the database of the settings.
        pages: what students open, by address; None for every part and chapter.
        seed: of the students' dice.
    """

    sessions: int = 100
    minutes: float = 5.0
    ramp: float = 60.0
    stay: float | None = None
    every: float = 5.0
    gone: float = GONE
    lecturer: bool = True
    pages: tuple[str, ...] | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.sessions <= MOST_SESSIONS or not 0 < self.minutes <= MOST_MINUTES:
            raise ValueError(f"A load is 1 to {MOST_SESSIONS} sessions for at most {MOST_MINUTES:g} minutes.")


def addresses() -> tuple[str, ...]:
    """The addresses of all parts and chapters."""
    files = [*(part.page for part in content.parts()), *(chapter.page for chapter in content.chapters())]
    return tuple(file.removesuffix(".py").lstrip("0123456789_") for file in files)


async def load(url: str, plan: Plan) -> Figures:
    """Play a load to a server.

    Raises:
        ValueError: for a server that is not on this machine.
        BrokenTab: when not even one session can open every page.
        ClassroomError: when the class's database cannot be used.
    """
    stream_address(url)
    pages = plan.pages or addresses()
    await rehearse(url, pages)
    process = server_process(urlsplit(url).port or 0)
    watch, before = Watch(process), megabytes(process)
    lesson = Lesson(url, pages, perf_counter() + plan.minutes * 60, plan.every)
    dice = random.Random(plan.seed)
    looking, began, own = asyncio.create_task(watch.look()), perf_counter(), process_time()
    seats = [seat(lesson, plan, i, random.Random(dice.random())) for i in range(plan.sessions)]
    try:
        await asyncio.gather(*seats, *([teach(lesson)] if plan.lecturer else []))
    finally:
        looking.cancel()
    own_share = (process_time() - own) / (perf_counter() - began)
    peak = max(watch.levels)
    await asyncio.sleep(plan.gone)
    with suppress(BrokenTab):
        # The server sweeps out what is too old when the next session leaves.
        async with open_tab(url) as tab:
            await tab.visit("")
    await asyncio.sleep(min(5.0, plan.gone))
    grown = gained(watch.times, watch.levels) if plan.stay else None
    memory = Memory(before, peak, megabytes(process), grown)
    return figures(lesson.log, plan.sessions, plan.minutes, memory, own_share)


async def seat(lesson: Lesson, plan: Plan, number: int, dice: random.Random) -> None:
    """One student from the first minute to the end, or one after the other."""
    await asyncio.sleep(plan.ramp * number / plan.sessions)
    while perf_counter() < lesson.ends:
        leaves = lesson.ends if plan.stay is None else perf_counter() + plan.stay * 60 * dice.uniform(0.5, 1.5)
        await Student(lesson, dice).attend(leaves)
        if plan.stay is None:
            return
        await asyncio.sleep(plan.every)


async def rehearse(url: str, pages: tuple[str, ...]) -> None:
    """Open every page once and wait for its runs, so that nothing that is timed later happens for the first time."""
    async with open_tab(url) as tab:
        for page in ("", *pages):
            await tab.visit(page)
            if not await tab.until(lambda: not waiting(tab), RUN_PATIENCE):
                raise BrokenTab(f"The page {page!r} still waited for its runs after {RUN_PATIENCE:g} s.")
            if skip := next((w for w in tab.page.widgets() if SKIP.match(w.key)), None):
                await tab.press(skip)
                await tab.until(lambda: not waiting(tab), RUN_PATIENCE)


def main() -> int:
    """Read the command line, play the load, print what came of it."""
    given = arguments()
    minutes = given.soak or given.minutes
    plan = Plan(
        sessions=given.sessions,
        minutes=minutes,
        ramp=min(60.0, minutes * 12),
        stay=5.0 if given.soak else None,
        lecturer=not given.no_class,
        gone=given.gone,
        seed=given.seed,
    )
    with ExitStack() as stack:
        url = given.url or own_server(stack, given.stand_in)
        found = asyncio.run(load(url, plan))
    shown = {**asdict(found), "growth": found.growth, "left": found.left, "goals": [asdict(g) for g in goals(found)]}
    shown["queues"] = [asdict(q) for q in queues(found)]
    print(json.dumps(shown, indent=2) if given.json else report(found))
    return int(any(goal.met is False for goal in goals(found)))


def own_server(stack: ExitStack, stand_in: bool) -> str:
    """Start a server as a host would, its votes in a file of their own, and give its address."""
    folder = stack.enter_context(TemporaryDirectory())
    os.environ["SPECLAB_DATABASE"] = f"sqlite:///{folder}/classroom.db"
    os.environ.setdefault("SPECLAB_THREADS", "hosted")
    return stack.enter_context(serving(STAND_IN) if stand_in else serving())


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, default=100, help=f"students at once, at most {MOST_SESSIONS}")
    parser.add_argument("--minutes", type=float, default=5.0, help=f"at most {MOST_MINUTES:g}")
    parser.add_argument("--soak", type=float, metavar="MINUTES", help="long, with students who come and go")
    parser.add_argument("--url", help="a server of this machine that runs already (default: start one)")
    parser.add_argument("--stand-in", action="store_true", help="start a server without models")
    parser.add_argument("--no-class", action="store_true", help="nobody votes")
    parser.add_argument("--gone", type=float, default=GONE, help="seconds until the last look at the memory")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
