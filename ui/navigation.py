"""The pages by part, the guard that every page starts with, and the sidebar."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

from ui import classroom, content, desk, lecture, summary, tour, visit

FRONT = "Home.py"
HOME = "home.py"
GOTO = "goto"
TITLE = "Speculative Lab"
ASIDE = {
    tour.PAGE: "Tour",
    lecture.PAGE: "Lecture",
    lecture.NOTES: "Speaker’s notes",
    summary.PAGE: "Your predictions",
    classroom.PAGE: "Class",
    classroom.JOIN: "Join a class",
    desk.PAGE: "Server",
}
"""Pages that are not read in turn."""
ALONE = (lecture.NOTES, classroom.JOIN)
"""Pages with nothing around them, beside the tour, whose own style sees to that."""
NO_SIDEBAR = "<style>[data-testid=stSidebar], [data-testid=stExpandSidebarButton] { display: none !important; }</style>"
OVERVIEW = "Overview"


def path(page: str) -> str:
    """A page's file, seen from the project's root."""
    return f"pages/{page}"


def enter(page: str) -> None:
    """Bring a visitor who came by a deep link to a fresh server in through the front door.

    Such a server runs the page alone, without Home.py, until the navigation has been set up once.
    """
    if PagesManager.uses_pages_directory:
        st.switch_page(FRONT, query_params={**st.query_params.to_dict(), GOTO: page})


def navigate() -> st.Page:
    """Set the pages up, send on whoever came through `enter`, and draw the sidebar."""
    sections = _sections()
    pages = {file: page for section in sections.values() for file, page in section.items()}
    current = st.navigation({name: list(section.values()) for name, section in sections.items()}, expanded=True)
    # Whatever page it stands on, a step's number in the address opens the tour.
    wanted = tour.PAGE if tour.PARAMETER in st.query_params else st.query_params.get(GOTO)
    if wanted is not None and (GOTO in st.query_params or current != pages[tour.PAGE]):
        rest = {name: value for name, value in st.query_params.to_dict().items() if name != GOTO}
        st.switch_page(pages.get(wanted, pages[HOME]), query_params=rest)
    if current != pages[tour.PAGE]:
        tour.leave()
    if current in [pages[page] for page in ALONE]:
        st.html(NO_SIDEBAR)
    return current


def tour_link(page: str) -> None:
    """A link to the tour, at the page's first step."""
    with st.container(key="present", width="content"):
        st.page_link(
            path(tour.PAGE),
            label="Present",
            icon=":material/slideshow:",
            help="The tour from here on: one step a screen, for a projector",
            query_params={tour.PARAMETER: str(tour.first_step(page).number)},
        )


def in_order() -> Iterator[tuple[str, str]]:
    """Every page's file and title, in the order in which the lab is read."""
    yield HOME, TITLE
    for part in content.parts():
        yield part.page, f"{part.id} · {part.title}"
        for chapter in content.chapters_of(part.id):
            yield chapter.page, f"{chapter.number} · {chapter.title}"
    for lab in content.labs():
        yield lab.page, f"Lab · {lab.title}"


def _sections() -> dict[str, dict[str, st.Page]]:
    """The sidebar: under each heading its pages, file to page; those that are not to be listed are hidden."""
    sections = {"": {HOME: _page(HOME, TITLE)}}
    for part in content.parts():
        section = {part.page: _page(part.page, OVERVIEW)}
        for chapter in content.chapters_of(part.id):
            done = "\u00a0:material/check:" if visit.prediction(chapter.number) else ""
            section[chapter.page] = _page(chapter.page, f"{chapter.number}\u2002{chapter.title}{done}")
        sections[f"{part.id} · {part.title}"] = section
    sections["Labs"] = {lab.page: _page(lab.page, lab.title) for lab in content.labs()}
    sections["Your visit"] = {summary.PAGE: _page(summary.PAGE, ASIDE[summary.PAGE])}
    listed = (lecture.PAGE, classroom.PAGE, *([desk.PAGE] if desk.offered() else []))
    sections["For teachers"] = {
        page: _page(page, title, visibility="visible" if page in listed else "hidden")
        for page, title in ASIDE.items()
        if page != summary.PAGE
    }
    return sections


def _page(page: str, title: str, **options: Any) -> st.Page:
    return st.Page(path(page), title=title, default=page == HOME, **options)
