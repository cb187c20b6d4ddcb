"""What a student does in a load test, and the log of how long it took."""

from __future__ import annotations

import asyncio
import random
import re
from collections import Counter
from dataclasses import dataclass, field
from time import perf_counter
from typing import Literal
from uuid import uuid4

from core.classroom.codes import is_device
from tools.load_test_tab import BrokenTab, Tab, open_tab
from tools.load_test_widgets import Widget

Kind = Literal["arrival", "analytic page", "run page", "join", "vote"]

QUEUED = "Others are using the models."
WORKING = re.compile(r"…\s*$")
"""How a panel's text ends while the models are at work."""
ASKING = re.compile(r":(seed|gamma|temperature|prompt|text|as|own|policy|drafter|length|rounds|tokens|branches)$")
"""Widgets that ask for another run, by the end of their key: moved only for a run that is to be new."""
SEED, SKIP, RESET = re.compile(r":seed$"), re.compile(r"skip-\d+$"), "reset-page"
NEW_EVERY = 60.0
"""Seconds from one new run to the next, over all students."""
RUN_PATIENCE = 300.0
"""Seconds that a student looks at a run under way."""
VOTED = "Your vote is in"
MOVE = 0.65
"""The share of the actions that move a slider, on pages that have one; the others open another page."""


@dataclass(frozen=True)
class Question:
    """What a class is asked: every vote on the same `number` is one round."""

    number: int
    code: str
    kind: Literal["choice", "number"]


@dataclass
class Log:
    """What happened in a load test. All times are seconds.

    Attributes:
        took: from an action to its end, by kind of action.
        first_tokens: until a page stood there with a run that had been made before.
        places: until a new run's first words or its place in line were shown.
        services: from a new run's first words to its end, of those that did not wait in line.
        not_ready: pages whose default run had not been made before after all.
        failures: what sessions ended by, with their number.
        sessions, votes, new_runs, polls: how many there were.
    """

    took: dict[Kind, list[float]] = field(default_factory=dict)
    first_tokens: list[float] = field(default_factory=list)
    places: list[float] = field(default_factory=list)
    services: list[float] = field(default_factory=list)
    not_ready: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    sessions: int = 0
    votes: int = 0
    new_runs: int = 0
    polls: int = 0

    def note(self, kind: Kind, seconds: float) -> None:
        """An action's time."""
        self.took.setdefault(kind, []).append(seconds)


@dataclass
class Lesson:
    """What all students share.

    Attributes:
        pages: those that a student opens, by their addresses.
        ends: when everybody leaves, by `perf_counter`.
        every: seconds from one action of a student to the next.
        question: what the class is asked now.
        last_new: when the last new run began.
    """

    url: str
    pages: tuple[str, ...]
    ends: float
    every: float = 5.0
    log: Log = field(default_factory=Log)
    question: Question | None = None
    last_new: float = -NEW_EVERY

    def may_start_new(self) -> bool:
        """Whether a new run is due; whoever is told so starts it."""
        due = perf_counter() - self.last_new >= NEW_EVERY
        if due:
            self.last_new = perf_counter()
        return due


@dataclass
class Student:
    """One session: its dice, its device, what it has voted on."""

    lesson: Lesson
    dice: random.Random
    device: str = field(default_factory=lambda: uuid4().hex)
    voted: set[int] = field(default_factory=set)

    async def attend(self, leaves: float) -> None:
        """Come, act every few seconds and go; whatever goes wrong is noted as one failed session."""
        log = self.lesson.log
        log.sessions += 1
        try:
            async with open_tab(self.lesson.url) as tab:
                try:
                    await self._stay(tab, min(leaves, self.lesson.ends))
                finally:
                    log.polls += tab.polls
        except BrokenTab as error:
            log.failures[str(error)] += 1

    async def _stay(self, tab: Tab, leaves: float) -> None:
        self.lesson.log.note("arrival", await tab.visit(""))
        at = perf_counter() + self.dice.uniform(0, self.lesson.every)
        while at < leaves:
            await asyncio.sleep(max(0.0, at - perf_counter()))
            await self.act(tab)
            at = max(at + self.lesson.every, perf_counter())

    async def act(self, tab: Tab) -> None:
        """One action: a vote where one is open, a new run where one is due, else a page, its question or a slider."""
        question, widgets = self.lesson.question, tab.page.widgets()
        skip = next((w for w in widgets if SKIP.match(w.key)), None)
        seed = next((w for w in widgets if SEED.search(w.key)), None)
        movable = [w for w in widgets if w.kind == "slider" and not ASKING.search(w.key)]
        if question and question.number not in self.voted:
            await self.vote(tab, question)
        elif seed and not waiting(tab) and self.lesson.may_start_new():
            await self.run_anew(tab, seed)
        elif skip:
            self.lesson.log.note(kind_of(tab), await tab.press(skip))
        elif movable and self.dice.random() < MOVE:
            await self.move(tab, self.dice.choice(movable))
        else:
            await self.look(tab, self.dice.choice(self.lesson.pages))

    async def look(self, tab: Tab, page: str) -> None:
        """Open a page. Where it needs a run, that is its default one, which the server has made before."""
        log, seconds = self.lesson.log, await tab.visit(page)
        log.note(kind_of(tab), seconds)
        if kind_of(tab) == "run page":
            if waiting(tab):
                log.not_ready += 1
            else:
                log.first_tokens.append(seconds)

    async def move(self, tab: Tab, slider: Widget) -> None:
        """Move a slider to another of its steps."""
        value = another(slider, tab.page.value(slider), self.dice)
        # A slider in a fragment runs that alone, and none of them asks the models for anything.
        kind = "analytic page" if slider.fragment else kind_of(tab)
        self.lesson.log.note(kind, await tab.set(slider, value))

    async def run_anew(self, tab: Tab, seed: Widget) -> None:
        """Ask for a run that nobody has asked for, look at it until it is there, and go back to the default one."""
        log, began = self.lesson.log, perf_counter()
        log.new_runs += 1
        seconds = await tab.set(seed, float(self.dice.randrange(1000, 1_000_000)))
        # What stands there now is the panel with the place in line or the first words, or all of the run already.
        log.places.append(seconds)
        alone = not in_line(tab)
        if not await tab.until(lambda: not waiting(tab), RUN_PATIENCE):
            raise BrokenTab(f"A new run was not there after {RUN_PATIENCE:g} s.")
        if alone:
            log.services.append(perf_counter() - began)
        # A seed comes along to other pages, whose runs would then all be new ones.
        if reset := next((w for w in tab.page.widgets() if w.key == RESET), None):
            log.note(kind_of(tab), await tab.press(reset))

    async def vote(self, tab: Tab, question: Question) -> None:
        """Go to the class's page, say something, and see that it was counted."""
        self.voted.add(question.number)
        log = self.lesson.log
        log.note("join", await join(tab, question.code, self.device))
        button = next((w for w in tab.page.widgets() if w.kind == "button" and w.label == "Vote"), None)
        choice = next((w for w in tab.page.widgets() if w.kind in ("radio", "number_input")), None)
        if not button or not choice:
            if self.lesson.question == question:
                raise BrokenTab("A phone saw no question although one was open.")
            return
        options = choice.element.options if choice.kind == "radio" else [choice.element.min]
        await tab.set(choice, self.dice.choice(list(options)))
        seconds = await tab.press(button)
        if any(VOTED in text for text in tab.page.texts()):
            log.note("vote", seconds)
            log.votes += 1
        elif self.lesson.question == question:
            raise BrokenTab("A vote was not counted.")


async def join(tab: Tab, code: str, device: str) -> float:
    """Open the class's page as a phone does; the seconds until it knew the phone."""
    assert is_device(device)
    seconds = await tab.visit("join", f"code={code}")
    return seconds + await tab.answer("device", {"token": device})


def waiting(tab: Tab) -> bool:
    """Whether the page shows that the models are at work for it, or that it is in line."""
    return in_line(tab) or any(WORKING.search(text) for text in tab.page.texts("progress"))


def in_line(tab: Tab) -> bool:
    """Whether the page shows a place in the line before the models."""
    return any(text.startswith(QUEUED) for text in tab.page.texts("markdown"))


def kind_of(tab: Tab) -> Kind:
    """What kind of page is open: one that shows runs, or one that only reckons."""
    return "run page" if any(SEED.search(w.key) for w in tab.page.widgets()) else "analytic page"


def another(slider: Widget, now: object, dice: random.Random) -> object:
    """Another of a slider's values."""
    element = slider.element
    if element.options:
        return [dice.choice([option for option in element.options if [option] != now])]
    steps = max(1, round((element.max - element.min) / element.step))
    values = [round(min(element.max, element.min + i * element.step), 6) for i in range(steps + 1)]
    if isinstance(now, list):
        return sorted(dice.sample(values, len(now)))
    return dice.choice([value for value in values if value != now])
