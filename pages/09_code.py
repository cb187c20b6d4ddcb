"""Chapter 9: the function that ran a round, line by line, with the values it had in hand."""

from functools import partial

import streamlit as st

from ui import engine, visit
from ui.chapter import Chapter, aside
from ui.code_words import notes, transformers_snippet
from ui.components.code_steps import code_steps
from ui.diagrams.caches import cache_picture, cache_rounds
from ui.hand import Hand, belonging, hand
from ui.page import tell_unreadable
from ui.round_words import here

GREEDY = visit.Control("greedy", False, {"True": True, "False": False}.get)
LINE = visit.Control("line", 5, visit.whole(0, 400))
"""The step of the code looked at, from 0. Five lines have run when the first guess is weighed."""


def stage(chapter: Chapter) -> None:
    asked = not chapter.told
    greedy = st.toggle(
        "Greedy: run this chapter at temperature 0",
        disabled=asked,
        help="Opens once the question has been answered or skipped." if asked else None,
        **visit.bind(GREEDY, "code"),
    )
    tell_unreadable(LINE, GREEDY)
    held = hand("code", chapter.text, greedy and not asked)
    if held is None:
        return
    chapter.predict(facts={"here": here(held)})
    code(held)
    with aside("around"):
        st.markdown("##### Around these lines")
        caches(held)
        warped(held)
        st.markdown("###### The same in Transformers")
        st.markdown(
            "The library has the whole loop inside. One argument names the draft; this runs as it stands, "
            "in the project's folder, with the pair that is loaded here."
        )
        st.code(transformers_snippet(held.trace.request, held.trace.pair.preset), language="python", wrap_lines=True)


def code(held: Hand) -> None:
    """The lines, as they ran in the round in hand."""
    request, index = held.trace.request, held.round.index
    recording = engine.stepping(request, index, "code-recording")
    if recording is None:
        return
    if not recording.shows(held.round):
        st.warning("Run again, this round came out differently: the machine rounds otherwise now. Reload the page.")
        return
    with aside("source"):
        st.caption(
            f"The source of {recording.function}, read from the running program. This round was run again, with the "
            "same seed, to write down which lines ran."
        )
    code_steps(
        recording,
        notes(recording, greedy=request.temperature == 0),
        key="code-steps",
        step=belonging(LINE, "code", (request, index)),
        on_step=partial(visit.choose, LINE),
    )


def caches(held: Hand) -> None:
    """What each model had read, and how much of it was taken back."""
    with st.container(border=True, key="caches"):
        st.markdown(
            "**Two KV caches, and their roll-back.** Each model keeps what it has read, one entry a token. What was "
            "read of guesses that fell is taken back after the round, or the next one would build on it."
        )
        cache_picture(held, "code-caches")
        target, draft = cache_rounds(held)
        st.caption(f"{target.sentence('Target')} {draft.sentence('Draft')}")
        st.markdown(
            "The target's cache ends one short of the text: the newest token is read in the next pass. Where every "
            "guess was kept the draft's ends two short, since it never read its own last guess; it then reads both."
        )


def warped(held: Hand) -> None:
    """What p and q are, exactly."""
    request = held.trace.request
    x = held.round.positions[0]
    with st.container(border=True, key="warped"):
        st.markdown(
            "**p and q are compared as they are drawn from**: after temperature, top-k and top-p, on both sides. "
            "A q that was drawn at one temperature and scored at another would change the text."
        )
        st.latex(
            r"p = \operatorname{top\text{-}p}\bigl(\operatorname{top\text{-}k}(\operatorname{softmax}(z / T))\bigr)"
        )
        st.markdown(
            f"At the first guess, with T = {request.temperature:g} and nothing cut off: "
            f"p = {x.p:.3f} (raw {x.p_raw:.3f}), q = {x.q:.3f} (raw {x.q_raw:.3f}). Raw means at temperature 1."
        )


Chapter(9).show(stage)
