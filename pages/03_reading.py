"""Chapter 3: six words one call after another, and the same six in one call; then the measured proof."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import streamlit as st

from core.measure.latency import KNEE_COST, LatencyCurve
from ui import engine
from ui.chapter import Chapter, aside, side_by_side
from ui.clock_bar import clock_bar, pace, pace_note
from ui.clocks import Call, Clock, Lane, LaneToken
from ui.components.lanes import WORDS, lanes
from ui.figures import latency_curve, show
from ui.request_bar import request_bar
from ui.words import duration, times

CHECKED = 5
# Fewer words than these make no flat stretch worth marking.
FLAT = 4


def stage(chapter: Chapter) -> None:
    request = request_bar("reading", chapter.text)
    with aside("clock"):
        clock = clock_bar("reading", "big", None)
    ready = engine.loading_panel()
    curve = engine.latency("reading-latency") if ready else None
    facts = {"one_ms": duration(cost(curve, 1)), "five_ms": duration(cost(curve, CHECKED))} if curve else None
    revealed = chapter.predict(facts=facts)
    big = (
        ready
        and request
        and engine.run(replace(request, method="standard", max_new_tokens=chapter.text.length), "reading-big")
    )
    ways, measured = side_by_side([1, 1])
    if big and (curve or clock.target_seconds):
        with ways:
            tick_clock(big.pieces, clock, curve, revealed)
    if revealed:
        with measured:
            with aside("why"):
                why()
            if curve:
                proof(curve)
                with aside("proof"):
                    proof_in_words(curve, chapter.text.length)


def cost(curve: LatencyCurve, n: int) -> float:
    """Seconds of one pass over n words."""
    return float(np.interp(n, curve.n, curve.one_pass))


def tick_clock(words: Sequence[str], clock: Clock, curve: LatencyCurve | None, revealed: bool) -> None:
    """The two ways side by side; the quick one only once there has been a guess."""
    one, all_at_once = clock.target_seconds, clock.target_seconds
    if one is None and curve:
        one, all_at_once = cost(curve, 1), cost(curve, len(words))
    shown = [writing(words, one or 0.0)] + ([reading(words, all_at_once or 0.0)] if revealed else [])
    lanes(
        shown,
        key="reading-lanes",
        run_id=str(hash((tuple(words), clock, revealed))),
        words=WORDS,
        step_label="One call",
        pace=pace(clock),
        start="end",
    )
    pace_note(clock)
    if not revealed:
        st.caption("Written one by one, each word takes its own call. The second way waits for your guess.")


def writing(words: Sequence[str], call: float) -> Lane:
    """One call a word, each waiting for the one before."""
    tokens = tuple(LaneToken(w, "plain", (i + 1) * call, (i + 1) * call) for i, w in enumerate(words))
    return Lane(
        "Writing: one call a word",
        tokens,
        tuple(Call("target", i * call, (i + 1) * call, i) for i in range(len(words))),
    )


def reading(words: Sequence[str], call: float) -> Lane:
    """All words on the page from the start, looked at in one call."""
    return Lane(
        "Reading: all six in one call",
        tuple(LaneToken(w, "kept", 0.0, call) for w in words),
        (Call("target", 0.0, call, 0),),
    )


def why() -> None:
    st.markdown(
        "##### Why one call is enough\n"
        "- **Nothing to wait for.** A word must wait for the word before it, unless somebody has already supplied that "
        "word. Once all six are on the page, the six questions can be asked side by side.\n"
        "- **Models learn this way.** In training they are given whole texts and answer at every place at once.\n"
        "- **The work is in fetching, not in reckoning.** Each call has to read all the model's weights from memory. "
        "They are read once a call, for one word as for six, and the extra arithmetic fits in while they arrive."
    )


def proof(curve: LatencyCurve) -> None:
    """The measured curve, with its knee."""
    st.markdown("##### Measured on this machine")
    knee = curve.knee if curve.knee >= FLAT else None
    show(latency_curve(curve.n, curve.one_pass, curve.n_passes, knee, height=360), "reading-curve")
    if not curve.steady:
        st.caption(
            "The machine was busy while this was measured, so the curve is rough. It is taken anew at the next start."
        )


def proof_in_words(curve: LatencyCurve, length: int) -> None:
    """What the curve says about one call on `length` words, and on many."""
    last, gain = curve.n[-1], curve.n_passes[-1] / curve.one_pass[-1]
    st.markdown(
        f"One call on one word takes **{duration(cost(curve, 1))}**, "
        f"one call on {length} words **{duration(cost(curve, length))}**. {flat(curve)} "
        f"At {last} words one call is still {times(gain)} quicker than {last} calls. "
        "So reading is one look, as long as the text is short."
    )


def flat(curve: LatencyCurve) -> str:
    """How far the curve is flat, and that it ends."""
    if curve.knee < FLAT:
        return (
            f"On this machine, in the number format chosen here, even {FLAT} words cost "
            f"{cost(curve, FLAT) / cost(curve, 1) - 1:.0%} more than one, still far less than {FLAT} calls."
        )
    return (
        f"Up to **{curve.knee} words** a call costs at most {KNEE_COST - 1:.0%} more than a call on one. "
        "After that the curve bends up: the arithmetic no longer hides behind the reading of the weights."
    )


Chapter(3).show(stage)
