"""A lecture's plan: the steps of a route with their minutes, how far ahead or behind one is, and the notes' address."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from urllib.parse import urlencode, urlsplit

import segno

from ui import content, tour, visit
from ui.follow import Followed
from ui.tour import Step
from ui.words import count

NOTES, PAGE = "notes.py", "lecture.py"
CODE = "code"
"""The code's name in the address of the notes."""
PLAN = visit.Control(
    "plan", 50, lambda text: next((r.minutes for r in content.routes() if str(r.minutes) == text), None)
)
"""Which route is taken, by its minutes."""
VIEWS = {
    "opener": "Opener",
    "predict": "Question",
    "stage": "Experiment",
    "takeaway": "Take away",
    "timeline": "Timeline",
    "gaps": "Gaps",
    "cards": "Cards",
    "page": "Lab",
}


@dataclass(frozen=True)
class Stop:
    """A step of a route: when it begins, in minutes from the start, and how long it takes."""

    step: Step
    begins: float
    minutes: float

    @property
    def ends(self) -> float:
        return self.begins + self.minutes


def stops(minutes: int) -> tuple[Stop, ...]:
    """The steps of the route of so many minutes, in order; a lab counts where the route has time for it."""
    at = [route.minutes for route in content.routes()].index(minutes)
    notes = content.notes()
    found: list[Stop] = []
    for step in tour.steps():
        note = notes.get(step.id)
        if note and note.minutes[at] > 0:
            found.append(Stop(step, found[-1].ends if found else 0.0, note.minutes[at]))
    return tuple(found)


def view_word(step: Step) -> str:
    """What kind of screen a step is, in a word."""
    return VIEWS.get(step.view, step.view.capitalize())


def named(step: Step) -> str:
    """A step in a line: `4 · Guess, check, keep (question)`."""
    return step.title if step.view in ("opener", "page") else f"{step.title} ({view_word(step).lower()})"


def here(seen: Followed) -> Step:
    """The step whose note is to be read: the one asked for, while the tour is on its way there, else the one shown."""
    return tour.step(seen.wanted or seen.step or 1)


def following(route: tuple[Stop, ...], number: int) -> Step | None:
    """The route's next step after a step of the tour."""
    return next((s.step for s in route if s.step.number > number), None)


def preceding(route: tuple[Stop, ...], number: int) -> Step | None:
    """The route's last step before a step of the tour."""
    return next((s.step for s in reversed(route) if s.step.number < number), None)


def clock(seconds: float) -> str:
    """A time as a clock shows it: `7:05`, `1:02:09`."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def pace(route: tuple[Stop, ...], number: int, seconds: float) -> str:
    """Where the plan is at a step, and how far from it the clock is."""
    stop = next((s for s in reversed(route) if s.step.number <= number), route[0])
    if stop.step.number != number:
        return "The plan leaves this step out."
    elapsed = seconds / 60
    behind, ahead = int(elapsed - stop.ends), int(stop.begins - elapsed)
    verdict = f"{behind} min behind" if behind >= 1 else f"{ahead} min ahead" if ahead >= 1 else "on time"
    return f"{clock(60 * stop.begins)} – {clock(60 * stop.ends)} · **{verdict}**"


def spent(route: tuple[Stop, ...]) -> str:
    """What a route takes: `16 steps, 19 minutes`."""
    return f"{count(len(route), 'step')}, {route[-1].ends:g} minutes"


def notes_address(page: str | None, code: str, minutes: int) -> str:
    """Where the notes of a tour are, seen from the address of a page beside them."""
    beside = page.rpartition("/")[0] + "/" if page else ""
    return f"{beside}notes?{urlencode({CODE: code, PLAN.name: minutes})}"


def qr_code(address: str) -> bytes:
    """The address as a QR code: a PNG, dark on white with its white margin, which readers need in dark mode too."""
    picture = BytesIO()
    segno.make(address, error="m", micro=False).save(picture, kind="png", scale=8, border=3)
    return picture.getvalue()


def reachable(address: str) -> bool:
    """Whether another device can open an address: this machine's own name for itself means nothing there."""
    return urlsplit(address).hostname not in (None, "localhost", "127.0.0.1", "::1")
