"""The tour: every step in order, and which one a session shows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import count

import streamlit as st

from ui import content, follow
from ui.content import ChapterText

PARAMETER = "tour"
"""The step's number in the address."""
PAGE = "tour.py"

_NOW = "tour.step"
_DUE = "tour.due"
_on = ContextVar("tour.on", default=False)


@dataclass(frozen=True)
class Step:
    """One screen of the tour.

    `number` counts from 1 and goes on through the encore; `id` (`part-I`, `4-predict`, `11-gaps`, `lab-exactness`)
    stays the same when steps are added. `page` is the file in `pages/` that draws it, `view` the part of that page.
    """

    number: int
    id: str
    page: str
    view: str
    title: str
    chapter: int | None = None
    encore: int | None = None
    """The step's number in the encore, None in the tour itself."""

    @property
    def label(self) -> str:
        """Where the step stands: `12 / 36`, or `Encore 1` after the end."""
        return f"Encore {self.encore}" if self.encore else f"{self.number} / {length()}"


def steps() -> tuple[Step, ...]:
    """All steps: the parts with their chapters, then what comes as an encore, the labs last."""
    number = count(1)
    tour = tuple(Step(next(number), *row) for row in _screens(encore=False))
    labs = ((_stem(lab.page), lab.page, "page", f"Lab · {lab.title}", None) for lab in content.labs())
    encore = enumerate([*_screens(encore=True), *labs], 1)
    return tour + tuple(Step(next(number), *row, i) for i, row in encore)


def length() -> int:
    """The number of steps without the encore."""
    return sum(1 for _ in _screens(encore=False))


def step(number: int) -> Step:
    """The step with this number; below the first or beyond the last, that one."""
    every = steps()
    return every[min(max(number, 1), len(every)) - 1]


def first_step(page: str) -> Step:
    """The step at which a page comes up; the first of all for a page that is no part of the tour."""
    every = steps()
    return next((s for s in every if s.page == page), every[0])


def on() -> bool:
    """True while a page is drawn as a part of the tour."""
    return _on.get()


@contextmanager
def showing() -> Iterator[None]:
    """Draw a page as a part of the tour."""
    before = _on.set(True)
    try:
        yield
    finally:
        _on.reset(before)


def current() -> Step | None:
    """The step that this session shows or showed last; None where it has not been on the tour."""
    number = st.session_state.get(_NOW)
    return None if number is None else step(number)


def arrive(number: int) -> Step:
    """Say that this session shows a step from now on."""
    here = step(number)
    st.session_state[_NOW] = st.session_state[_DUE] = here.number
    follow.arrive(here.number)
    return here


def due() -> int | None:
    """The step that was gone to since the tour came up, None where it only comes up.

    The address that a run is told may be older: the browser sends the old one along until the run that changed it
    has answered. So once the tour is up, the address follows and no longer leads.
    """
    number: int | None = st.session_state.get(_DUE)
    return number


def go(number: int) -> None:
    """Go to a step, and say so in the address."""
    st.session_state[_DUE] = number
    if st.query_params.get(PARAMETER) != str(number):
        st.query_params[PARAMETER] = str(number)


def leave() -> None:
    """Another page is on screen: when the tour comes up again, the address says where."""
    st.session_state.pop(_DUE, None)


def _screens(encore: bool) -> Iterator[tuple[str, str, str, str, int | None]]:
    """Id, page, view, title and chapter of each step of the tour itself, or of the parts after its end."""
    for part in content.parts():
        if part.encore != encore:
            continue
        yield f"part-{part.id}", part.page, "opener", f"Part {part.id} · {part.title}", None
        for chapter in content.chapters_of(part.id):
            for view in _views(chapter):
                title = f"{chapter.number} · {chapter.title}"
                yield f"{chapter.number}-{view}", chapter.page, view, title, chapter.number


def _views(chapter: ChapterText) -> tuple[str, ...]:
    """A chapter's screens. One that asks nothing in advance has its stages only."""
    return ("predict", *chapter.stages, "takeaway") if chapter.predict else chapter.stages


def _stem(page: str) -> str:
    return page.removesuffix(".py").replace("_", "-")
