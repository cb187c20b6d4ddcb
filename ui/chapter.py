"""A chapter's frame: title, set-up, prediction, stage, takeaway. What is on the stage is the page's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ui import content, navigation, tour, visit
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
        with self._screen("predict"):
            heading(self.text.title, f"Part {part.id} · {part.title} · Chapter {self.text.number}", self.text.page)
            st.markdown(self.text.setup)
            self._slot = st.container()
        with self._screen(*self.text.stages):
            stage(self)
        if not self._asked:
            self.predict()
        with self._screen("takeaway"):
            self._takeaway()
        if not tour.on():
            if self.text.questions:
                _questions(self.text.questions)
            self._neighbours()

    def view(self, name: str) -> DeltaGenerator:
        """One of several screens that the stage has in the tour; on its own page they stand one below the other."""
        return st.container(key=f"view-{self.text.number}-{name}")

    def predict(self, answer: int | None = None, facts: Mapping[str, object] | None = None) -> bool:
        """Draw the prediction above the stage. True once it has been answered or skipped, and in the tour.

        Args:
            answer: what the run gives, where the question's own file does not say.
            facts: the figures that the explanation names; None until they are there.
        """
        self._asked = True
        if self.text.predict is None:
            return True
        with self._slot:
            ask(self.text.number, self.text.predict, answer, facts)
        return self.told

    @property
    def told(self) -> bool:
        """Whether the stage may show what gives the prediction away. In the tour it is another screen, and whoever
        goes on to it wants to see it."""
        return tour.on() or visit.answered(self.text.number)

    def _screen(self, *names: str) -> DeltaGenerator:
        """The container of something that is one screen of the tour, or that is none or holds several."""
        shown = [step.view for step in tour.steps() if step.chapter == self.text.number]
        return self.view(names[0]) if len(names) == 1 and names[0] in shown else st.container()

    def _takeaway(self) -> None:
        with st.container(key=f"takeaway-{self.text.number}"):
            st.markdown(f":small[:primary[**TAKE AWAY**]]\n\n{self.text.takeaway}")
        if self.text.part == "I":
            with aside(f"words-{self.text.number}"):
                st.caption(WORD_NOTE)

    def _neighbours(self) -> None:
        pages = list(navigation.in_order())
        here = [page for page, _ in pages].index(self.text.page)
        with st.container(key="neighbours", horizontal=True, horizontal_alignment="distribute"):
            page, title = pages[here - 1]
            st.page_link(navigation.path(page), label=title, icon=":material/arrow_back:")
            for page, title in pages[here + 1 : here + 2]:
                st.page_link(navigation.path(page), label=title, icon=":material/arrow_forward:", icon_position="right")


def aside(name: str) -> AbstractContextManager[object]:
    """What the tour leaves out: to be read alone, or set beforehand. On its own page it needs no box around it."""
    return st.container(key=f"aside-{name}") if tour.on() else nullcontext()


def side_by_side(widths: list[int]) -> tuple[DeltaGenerator, DeltaGenerator]:
    """Places for two halves of a stage: one below the other on its page, abreast on the tour's wide screen."""
    if not tour.on():
        return st.container(), st.container()
    left, right = st.columns(widths, gap="large")
    return left, right


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
