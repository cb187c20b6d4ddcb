"""The pages by part, the guard that every page starts with, and the sidebar."""

from __future__ import annotations

from collections.abc import Iterator

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

from ui import classroom, content, desk, lecture, summary, tour, visit

FRONT = "Home.py"
HOME = "home.py"
GOTO = "goto"
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
ALONE = (tour.PAGE, lecture.NOTES, classroom.JOIN)
"""Pages with nothing around them."""


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
    pages = {page: _page(page, title) for page, title in (*in_order(), *ASIDE.items())}
    current = st.navigation(list(pages.values()), position="hidden")
    # Whatever page it stands on, a step's number in the address opens the tour.
    wanted = tour.PAGE if tour.PARAMETER in st.query_params else st.query_params.get(GOTO)
    if wanted is not None and (GOTO in st.query_params or current != pages[tour.PAGE]):
        rest = {name: value for name, value in st.query_params.to_dict().items() if name != GOTO}
        st.switch_page(pages.get(wanted, pages[HOME]), query_params=rest)
    if current != pages[tour.PAGE]:
        tour.leave()
    if current not in [pages[page] for page in ALONE]:
        with st.sidebar:
            _sidebar()
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
    yield HOME, "Speculative Lab"
    for part in content.parts():
        yield part.page, f"{part.id} · {part.title}"
        for chapter in content.chapters_of(part.id):
            yield chapter.page, f"{chapter.number} · {chapter.title}"
    for lab in content.labs():
        yield lab.page, f"Lab · {lab.title}"


def _page(page: str, title: str) -> st.Page:
    return st.Page(path(page), title=title, default=page == HOME)


def _sidebar() -> None:
    with st.container(key="brand"):
        st.page_link(path(HOME), label="**Speculative Lab**")
    for part in content.parts():
        with st.container(key=f"part-{part.id}", gap=None):
            st.page_link(path(part.page), label=f"{part.id} · {part.title}")
            for chapter in content.chapters_of(part.id):
                st.page_link(path(chapter.page), label=_chapter_label(chapter))
    with st.container(key="part-labs", gap=None):
        st.caption("Labs")
        for lab in content.labs():
            st.page_link(path(lab.page), label=lab.title)
    with st.container(key="part-visit", gap=None):
        st.caption("Your visit")
        st.page_link(path(summary.PAGE), label="Your predictions")
    with st.container(key="part-lecture", gap=None):
        st.caption("For teachers")
        st.page_link(path(lecture.PAGE), label="Lecture")
        st.page_link(path(classroom.PAGE), label="Class")
        if desk.offered():
            st.page_link(path(desk.PAGE), label="Server")


def _chapter_label(chapter: content.ChapterText) -> str:
    done = " :material/check:" if visit.prediction(chapter.number) else ""
    return f"{chapter.number}\u2002{chapter.title}{done}"
