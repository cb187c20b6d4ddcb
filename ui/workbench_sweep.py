"""The workbench's sweep over γ, as a view of its page."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.serving import Snapshot, Ticket
from ui import engine, sweep, visit
from ui.figures import show
from ui.figures_sweep import sweep_figure
from ui.page import tell_unreadable
from ui.waiting import POLL_RUNNING
from ui.words import times
from ui.workbench import PLACE
from ui.workbench_knobs import knobs

SWEEP = f"{PLACE}-sweep"


def sweep_view() -> None:
    """The sweep's controls, its progress, and what it found."""
    request = knobs()
    tell_unreadable(sweep.TO, sweep.SEEDS)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        most = st.number_input("γ up to", 2, sweep.LONGEST, step=1, width=120, **visit.bind(sweep.TO, PLACE))
        seeds = st.segmented_control(
            "Runs at each γ", sweep.NUMBERS_OF_SEEDS, required=True, **visit.bind(sweep.SEEDS, PLACE)
        )
        plan = sweep.plan(request, most, seeds) if request and most and seeds else None
        number = f"{len(plan.requests())} runs" if plan else "the sweep"
        st.button(
            f"Start {number}",
            type="primary",
            icon=":material/play_arrow:",
            disabled=plan is None,
            on_click=sweep.begin,
            args=(plan,),
        )
    held = sweep.current()
    if held is None:
        st.caption(
            "The same prompt with every γ, and the target alone: the measured speed-up at each, next to what the "
            "formula forecasts from one run's α̂ and ĉ. Which γ is best for this text on this machine?"
        )
        return
    if held.plan != plan:
        st.caption("The controls have changed since. This is the sweep that was started last.")
    _swept(held)


def _swept(held: sweep.Sweep) -> None:
    """What the sweep has found so far, and its progress."""
    place = st.container()
    if held.running:
        _go_on(held)
    elif len(held.found) < len(held.plan.requests()):
        st.caption("Stopped. What was measured until then stays.")
    measured = sweep.points(held)
    if not measured:
        return
    latency = engine.latency(f"{SWEEP}-latency")
    formula = sweep.forecast(held, latency) if latency else None
    with place:
        show(sweep_figure(measured, formula, max(held.plan.gammas)), f"{SWEEP}-figure",
             alt="Speed-up over γ, measured and forecast.")  # fmt: skip
        st.markdown(sweep.verdict(measured, formula))
        st.caption(sweep.basis(held, formula))
    st.dataframe(
        pd.DataFrame(
            {
                "γ": str(p.gamma),
                "Measured": times(p.speed_up),
                "Forecast": times(formula.speed_ups[p.gamma - 1]) if formula else "–",
                "α̂": "–" if p.alpha_hat is None else f"{p.alpha_hat:.2f}",
                "Tokens a pass τ": f"{p.tau:.2f}",
                "Runs": str(p.seeds),
            }
            for p in measured
        ),
        hide_index=True,
        key=f"{SWEEP}-table",
    )


def _go_on(held: sweep.Sweep) -> None:
    """Make the runs that are still to be made, as far as they are there at once."""
    asked = held.plan.requests()
    bar = st.progress(0.0)
    st.button("Stop", icon=":material/stop:", key=f"{SWEEP}-stop", on_click=_stop)
    for i, request in enumerate(asked):
        name = "the target alone" if request.method == "standard" else f"γ = {request.gamma}"
        bar.progress(i / len(asked), text=f"Run {i + 1} of {len(asked)}: {name} …")
        if request in held.found:
            continue
        trace = engine.run(request, SWEEP, _in_the_bar)
        if trace is None:
            return
        held.take(request, trace)
    held.running = False
    st.rerun()


def _in_the_bar(ticket: Ticket, snapshot: Snapshot) -> None:
    """Wait for a run that the progress bar tells of."""

    def look() -> None:
        if ticket.snapshot().finished:
            st.rerun()

    st.fragment(look, run_every=POLL_RUNNING)()


def _stop() -> None:
    engine.give_up(SWEEP)
    sweep.stop()
