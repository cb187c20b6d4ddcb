"""Chapter 4: standard decoding beside draft-and-verify, round by round."""

import streamlit as st

from core.decoding.trace import Trace
from ui import engine
from ui.both_ways import comparison, runs
from ui.chapter import Chapter, aside
from ui.clock_bar import clock_bar, pace, pace_note
from ui.clocks import MEASURED, Clock, flag, speed_up, timeline
from ui.components.lanes import lanes
from ui.diagrams.loop import loop_diagram
from ui.request_bar import gamma_slider, request_bar
from ui.token_panel import token_panel
from ui.words import count, ended_early, share, times


def stage(chapter: Chapter) -> None:
    request = request_bar("guess", chapter.text)
    controls = st.container(horizontal=True, vertical_alignment="bottom", gap="large", key="guess-controls")
    with controls:
        gamma = gamma_slider("guess", chapter.text.gamma)
    with aside("loop"):
        loop_diagram(gamma, "guess-loop")
    if request is None or not engine.loading_panel():
        return
    with controls, aside("clock"):
        clock = clock_bar("guess")
    alone, together = runs(request, gamma, chapter.text.length, "guess")
    if alone is None or together is None:
        return
    same = alone.tokens == together.tokens
    race(alone, together, clock)
    verdict = (
        "Both lanes show the same text." if same else "On this machine the two texts part at one place: see below."
    )
    if chapter.predict(facts={"kept": together.accepted, "total": len(together.tokens), "verdict": verdict}):
        outcome(alone, together, clock)


def race(alone: Trace, together: Trace, clock: Clock) -> None:
    """Both lanes, and the token that was clicked."""
    remarks = {r.index: in_vain(len(r.draft_times)) for r in together.rounds if r.positions and r.accepted == 0}
    both = [timeline(alone, clock, "Standard"), flag(timeline(together, clock, "Draft and verify"), remarks)]
    chosen = lanes(
        both,
        key="guess-lanes",
        run_id=str(hash((together.request, clock))),
        step_label="One call",
        speed_up_label="speed-up so far",
        pace=pace(clock),
        start="end",
    )
    pace_note(clock)
    if remark := ended_early(together, "the target", "token"):
        st.caption(remark)
    if chosen:
        lane, index = chosen
        token_panel((alone, together)[lane], index, "guess-token")
    else:
        with aside("click"):
            st.caption("Click a token to see what happened there.")


def in_vain(steps: int) -> str:
    return (
        "no guess was kept. The target still gives one token, the safety net, "
        f"but the round cost {count(steps, 'draft step')} more than not drafting."
    )


def outcome(alone: Trace, together: Trace, clock: Clock) -> None:
    """The comparison, and what the rounds gave."""
    comparison(alone, together)
    cells = [
        ("Guesses kept (α̂)", share(together.alpha_hat) if together.alpha_hat is not None else "–"),
        ("Tokens a pass (τ)", f"{together.tau:.2f}" if together.tau else "–"),
        ("Target calls", f"{together.target_calls} / {alone.target_calls}"),
        ("Speed-up, classroom", gain(alone, together, clock)),
        ("Speed-up, measured", gain(alone, together, MEASURED)),
    ]
    shown = [cell for cell in cells if clock != MEASURED or cell[0] != "Speed-up, classroom"]
    with aside("figures"), st.container(horizontal=True, gap="medium"):
        for label, value in shown:
            st.metric(label, value, width="content")


def gain(alone: Trace, together: Trace, clock: Clock) -> str:
    ratio = speed_up(timeline(alone, clock), timeline(together, clock))
    return times(ratio) if ratio else "–"


Chapter(4).show(stage)
