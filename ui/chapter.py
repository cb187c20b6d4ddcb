"""A chapter's frame: title, set-up, prediction, stage, takeaway. What is on the stage is the page's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st

from ui import content, navigation
from ui.content import ChapterText
from ui.page import heading
from ui.predict import ask

WORD_NOTE = (
    "A *word* here is a word piece: the models read and write whole words, parts of words and punctuation marks."
)


class Chapter:
    """One chapter on its page.

    >>> Chapter(1).show(stage)

    `stage` is given the chapter, draws the experiment, and calls `predict` when it has the figures
    for it; what would give the prediction away, it draws only where that returns True.
    """

    def __init__(self, number: int) -> None:
        text = content.chapter(number)
        if text is None:
            raise content.ContentError(f"content/chapters.toml has no chapter {number}.")
        self.text: ChapterText = text
        navigation.enter(text.page)
        self._asked = False

    def show(self, stage: Callable[[Chapter], None]) -> None:
        """Draw the whole chapter."""
        part = content.part(self.text.part)
        heading(self.text.title, f"Part {part.id} · {part.title} · Chapter {self.text.number}")
        st.markdown(self.text.setup)
        self._slot = st.container()
        stage(self)
        if not self._asked:
            self.predict()
        self._takeaway()
        if self.text.questions:
            _questions(self.text.questions)
        self._neighbours()

    def predict(self, answer: int | None = None, facts: Mapping[str, object] | None = None) -> bool:
        """Draw the prediction above the stage. True once it has been answered or skipped.

        Args:
            answer: what the run gives, where the question's own file does not say.
            facts: the figures that the explanation names; None until they are there.
        """
        self._asked = True
        if self.text.predict is None:
            return True
        with self._slot:
            return ask(self.text.number, self.text.predict, answer, facts)

    def _takeaway(self) -> None:
        with st.container(key="takeaway"):
            st.markdown(f":small[:primary[**TAKE AWAY**]]\n\n{self.text.takeaway}")
        if self.text.part == "I":
            st.caption(WORD_NOTE)

    def _neighbours(self) -> None:
        pages = list(navigation.in_order())
        here = [page for page, _ in pages].index(self.text.page)
        with st.container(key="neighbours", horizontal=True, horizontal_alignment="distribute"):
            page, title = pages[here - 1]
            st.page_link(navigation.path(page), label=title, icon=":material/arrow_back:")
            for page, title in pages[here + 1 : here + 2]:
                st.page_link(navigation.path(page), label=title, icon=":material/arrow_forward:", icon_position="right")


def _questions(questions: tuple[content.Raised, ...]) -> None:
    """What the chapter leaves open: a link where the lab has the chapter that answers it."""
    with st.container(key="raised", gap="xsmall"):
        st.markdown("##### What this leaves open")
        for raised in questions:
            answering = content.chapter(raised.chapter)
            if answering:
                st.page_link(navigation.path(answering.page), label=raised.text, icon=":material/arrow_forward:")
            else:
                st.markdown(f"- {raised.text}")
