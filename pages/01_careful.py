"""Chapter 1: the target alone and the draft alone, 20 words each, on one time axis."""

from dataclasses import replace

import streamlit as st

from core.decoding.request import DecodeRequest
from core.decoding.trace import Trace
from ui import engine, visit
from ui.chapter import Chapter, aside
from ui.clock_bar import clock_bar, pace, pace_note
from ui.clocks import Clock, Lane, probability, raw_tip, restate, timeline
from ui.components.lanes import WORDS, lanes
from ui.request_bar import request_bar
from ui.words import count, ended_early

LIMIT = visit.Control("limit", 15, visit.whole(1, 50))
TIP = raw_tip(("big model", "small model"))


def stage(chapter: Chapter) -> None:
    request = request_bar("careful", chapter.text)
    if request is None or not engine.loading_panel():
        return
    clock = clock_bar("careful", "big", "small")
    big = engine.run(replace(request, method="standard", max_new_tokens=chapter.text.length), "careful-big")
    small = big and engine.run(replace(request, method="draft", max_new_tokens=chapter.text.length), "careful-small")
    if big is None or small is None:
        return
    race(request, big, small, clock)
    if chapter.predict(facts={"calls": len(big.tokens)}):
        with aside("explain"):
            explain(len(big.tokens))


@st.fragment
def race(request: DecodeRequest, big: Trace, small: Trace, clock: Clock) -> None:
    """Both lanes, with the small model's unlikely words marked."""
    limit = visit.value(LIMIT, "careful") / 100
    scored = engine.scored(request.prompt, small.tokens, request.chat, "careful-scored")
    odd = {i: x.p for i, x in enumerate(scored.positions) if x.p < limit} if scored else {}
    quick = restate(
        every_call_counts(timeline(small, clock, "Small model", TIP)),
        dict.fromkeys(odd, "marked"),
        {i: (("big model", probability(p)),) for i, p in odd.items()},
    )
    lanes(
        [timeline(big, clock, "Big model", TIP), quick],
        key="careful-lanes",
        run_id=str(hash((big.request, clock))),
        words=WORDS,
        step_label="One call",
        pace=pace(clock),
        start="end",
    )
    pace_note(clock)
    for trace, who in ((big, "the big model"), (small, "the small model")):
        if remark := ended_early(trace, who, "word"):
            st.caption(remark)
    if scored:
        marking(len(odd), len(small.tokens))


def marking(odd: int, total: int) -> None:
    """How many words are marked, and from which share on."""
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        st.markdown(
            f"The big model would hardly have written **{count(odd, 'word')}** of the small model's {total}.",
            width="content",
        )
        with aside("limit"):
            st.slider(
                "Mark words to which it gives less than",
                1,
                50,
                format="%d %%",
                width=300,
                **visit.bind(LIMIT, "careful"),
            )


def every_call_counts(lane: Lane) -> Lane:
    """The lane with the prompt's pass counted too, as it is for the other model: it gives the first word."""
    return replace(lane, calls=tuple(replace(c, round=-1) if c.round is None else c for c in lane.calls))


def explain(calls: int) -> None:
    st.markdown(
        f"##### A call for each word\n\nBoth models pay for each word with one call: {calls} words are {calls} calls. "
        "The small model is quick only because each of its calls is cheap. "
        "Models keep notes about the text so far, the *KV cache*. The notes make each call cheaper, because nothing is "
        "read twice. But it remains one call for each word."
    )


Chapter(1).show(stage)
