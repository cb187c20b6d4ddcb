"""Chapter 8: one round from left to right, with the numbers that decided it."""

from functools import partial

import streamlit as st

from ui import formulas, visit
from ui.chapter import Chapter, side_by_side
from ui.components.round_steps import round_steps
from ui.figures import show
from ui.figures_round import distribution_bars, left_over, written
from ui.hand import Hand, belonging, hand
from ui.page import tell_unreadable
from ui.round_words import Frame, frames, gained, miss, story

STEP = visit.Control("step", 1, visit.whole(0, 40))
"""The step looked at, from 0. The first guess is worth seeing at once."""


def stage(chapter: Chapter) -> None:
    tell_unreadable(STEP)
    held = hand("steps", chapter.text)
    if held is None:
        return
    chapter.predict(facts={"gained": gained(held.round)})
    steps = frames(held.round)
    at = min(belonging(STEP, "steps", (held.trace.request, held.round.index)), len(steps) - 1)
    picture, words = side_by_side([3, 2])
    with picture:
        round_steps(held, steps, key="steps-round", step=at, on_step=partial(visit.choose, STEP))
    with words:
        explained(held, steps[at])


def explained(held: Hand, frame: Frame) -> None:
    """The step in words, as a formula with its numbers, and what the added token was drawn from."""
    with st.container(border=True, key="explained"):
        st.markdown(story(held, frame))
        round_ = held.round
        if frame.stage == "start":
            st.latex(formulas.rule())
        elif frame.at is not None:
            st.latex(formulas.test(round_.positions[frame.at], frame.at))
        elif frame.stage == "end":
            st.latex(formulas.gain(round_))
        elif round_.final:
            at = miss(round_)
            if at is None:
                show(distribution_bars(written(round_.final)), "steps-bars")
            else:
                st.latex(formulas.residual(round_.positions[at], round_.final))
                show(distribution_bars(left_over(round_.positions[at], round_.final)), "steps-bars")


Chapter(8).show(stage)
