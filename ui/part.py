"""A part's own page: what it answers, its chapters, where we are."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext

import streamlit as st

from ui import content, navigation, visit
from ui.chapter import aside
from ui.page import heading

LEAST, MOST = 3, 4
"""Cards in a row."""


def show_part(part_id: str, picture: Callable[[], None] | None = None) -> None:
    """Draw the page of a part, with its picture where it has one."""
    part = content.part(part_id)
    navigation.enter(part.page)
    heading(part.title, f"Part {part.id}")
    st.markdown(f"#### {part.question}")
    st.markdown(part.intro)
    if picture:
        picture()
    # On the tour a picture has to be seen from afar, and it says the same.
    with aside("answers") if picture else nullcontext():
        st.markdown("##### What you will know afterwards")
        st.markdown("\n".join(f"- {answer}" for answer in part.answers))
    chapter_cards(part_id)
    _where_we_are(part_id)


def chapter_cards(part_id: str) -> None:
    """The part's chapters as cards with links."""
    chapters = content.chapters_of(part_id)
    wide = abreast(len(chapters))
    for start in range(0, len(chapters), wide):
        for column, chapter in zip(st.columns(wide, gap="medium"), chapters[start:], strict=False):
            with column.container(border=True, height="stretch", key=f"card-{chapter.number}"):
                _card(chapter)


def abreast(cards: int) -> int:
    """How many cards to put in a row: as few rows as can be, and filled as evenly as can be."""
    rows = -(-cards // MOST)
    return max(LEAST, -(-cards // max(1, rows)))


def _card(chapter: content.ChapterText) -> None:
    st.markdown(f"##### {chapter.number}\u2002{chapter.title}")
    st.markdown(chapter.short)
    st.page_link(navigation.path(chapter.page), label=_invitation(chapter), icon=":material/arrow_forward:")


def _invitation(chapter: content.ChapterText) -> str:
    return "Look again" if visit.prediction(chapter.number) else "Open"


def _where_we_are(part_id: str) -> None:
    """All parts in a row, this one marked."""
    names = [
        f"**:primary[▸ {p.id} · {p.title}]**" if p.id == part_id else f"{p.id} · {p.title}" for p in content.parts()
    ]
    st.markdown("Where we are:\u2003" + "\u2003→\u2003".join(names))
