"""Chapter 13: where drafting pays and where it goes under: on paper, in print, in this visit, and with policies."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import streamlit as st

from core.decoding.trace import Trace
from ui import breakeven, engine, figures_map, figures_policies, figures_real, policies, runs, visit
from ui.breakeven import (
    DIAL_ALPHA,
    DIAL_C,
    DIAL_GAMMA,
    DROP,
    LARGEST_ROLL,
    MAP_ALPHA,
    MAP_C,
    MAP_GAMMA,
    ROLL,
    ROUNDS,
    SOURCES,
)
from ui.chapter import Chapter, aside
from ui.content import ChapterText
from ui.figures import show
from ui.page import tell_unreadable
from ui.pays import Model
from ui.policies import CONTENDERS, Replay
from ui.request_bar import gamma_slider, request_bar
from ui.words import times

PAGE = "map"


def stage(chapter: Chapter) -> None:
    with chapter.view("dial"):
        dial()
    with chapter.view("map"):
        landscape()
    with chapter.view("real"):
        found = st.container()
    with chapter.view("policies"):
        replays = replayed(chapter.text)
        if replays:
            compared(replays)
    # Drawn last, so that the runs made for the replay are there.
    with found:
        real()


@st.fragment
def dial() -> None:
    """Three made-up numbers, and what new rounds with them give at each move."""
    st.subheader("The dial: 2,000 new rounds at each move", anchor=False)
    labels = ("Acceptance rate α", "Draft length γ", "Cost ratio c")
    rolled = breakeven.roll(sliders(labels, DIAL_ALPHA, DIAL_GAMMA, DIAL_C, ROLL), visit.value(ROLL, PAGE))
    left, right = st.columns([2, 3], gap="large")
    with left:
        show(figures_map.dial(rolled), "map-dial", alt=f"Speed-up {times(rolled.game.speedup)}")
    with right:
        show(figures_map.round_bars(rolled), "map-bars")
    st.markdown(breakeven.report(rolled))
    with aside("dial-note"):
        again(ROLL, f"Play {ROUNDS:,} more")


def sliders(
    labels: tuple[str, str, str],
    alpha: visit.Control[float],
    gamma: visit.Control[int],
    c: visit.Control[float],
    seed: visit.Control[int],
) -> Model:
    """Three made-up numbers side by side; a move of any takes the next seed."""
    tell_unreadable(alpha, gamma, c, seed)
    left, middle, right = st.columns(3, gap="medium")
    return Model(
        alpha=left.slider(labels[0], 0.0, 1.0, step=0.01, **moving(alpha, seed)),
        gamma=middle.slider(labels[1], 1, 12, **moving(gamma, seed)),
        c=right.slider(labels[2], 0.0, 1.0, step=0.01, **moving(c, seed)),
    )


@st.fragment
def landscape() -> None:
    """The map, with rounds dropped on it."""
    st.subheader("The map", anchor=False)
    labels = ("Acceptance rate α of the dropped rounds", "Their draft length γ", "Cost ratio c of the whole map")
    model = sliders(labels, MAP_ALPHA, MAP_GAMMA, MAP_C, DROP)
    dropped = breakeven.rain(model, visit.value(DROP, PAGE))
    st.markdown(breakeven.landmarks(model))
    show(figures_map.landscape(dropped), "map-landscape")
    st.markdown(breakeven.rain_words(dropped))
    with aside("map-note"):
        again(DROP, f"Drop {breakeven.DROPPED} new ones")
        st.caption(
            "Each mark is one round: its height is its own speed-up, tokens over price. It lies beside its α only so "
            "that marks don't hide each other; a crowd spreads wider. One round is luck, the mean is on the curve."
        )


def moving(control: visit.Control[Any], seed: visit.Control[int]) -> dict[str, Any]:
    """A slider's binding; each move of it also takes the next seed."""
    bound = visit.bind(control, PAGE)
    return bound | {"on_change": moved, "args": (bound["on_change"], bound["args"], seed)}


def moved(keep: Callable[..., None], args: tuple[Any, ...], seed: visit.Control[int]) -> None:
    keep(*args)
    next_seed(seed)


def next_seed(seed: visit.Control[int]) -> None:
    visit.choose(seed, (visit.value(seed, PAGE) + 1) % (LARGEST_ROLL + 1))


def again(seed: visit.Control[int], label: str) -> None:
    st.button(label, key=f"map-{seed.name}", icon=":material/casino:", on_click=next_seed, args=(seed,))


def real() -> None:
    """Published figures and the visit's own runs."""
    st.subheader("Where real figures lie", anchor=False)
    ready = engine.status().state == "ready"
    mine = breakeven.dots(runs.measured(runs.pair_name(engine.door().opened.facts))) if ready else []
    st.markdown(breakeven.dots_words(mine))
    left, right = st.columns([5, 2], gap="medium")
    with left:
        show(figures_real.real_map(mine), "map-real")
    with right:
        st.caption("Published without an α")
        show(figures_real.headlines(), "map-headlines", alt="Published speed-ups whose source prints no α")
    with aside("sources"):
        st.caption(SOURCES)


def replayed(chapter: ChapterText) -> list[Replay]:
    """One prompt and seed, in every contender's way; empty while there is nothing to compare (the page says why)."""
    st.subheader("When the text changes: adaptive γ, another drafter, or none", anchor=False)
    request = request_bar(PAGE, chapter)
    gamma = gamma_slider(PAGE, chapter.gamma)
    if request is None or not engine.loading_panel():
        return []
    base = replace(request, gamma=gamma, max_new_tokens=chapter.length)
    standard = engine.run(policies.alone(base), "map-alone")
    if standard is None:
        return []
    traces: list[Trace] = []
    for contender in CONTENDERS:
        trace = engine.run(policies.asking(base, contender), f"map-{contender.policy}-{contender.drafter}")
        if trace is None:
            st.caption(f"{len(traces)} of {len(CONTENDERS)} ways have run.")
            return []
        traces.append(trace)
    found = [policies.replay(c, standard, trace) for c, trace in zip(CONTENDERS, traces, strict=True)]
    whole = [told for told in found if told]
    if len(whole) < len(CONTENDERS):
        st.info("This answer is one token long, so it cannot be timed: choose another prompt or seed.")
        return []
    return whole


def compared(replays: list[Replay]) -> None:
    """γ over the rounds of each, which was best, and the same for the other texts of the visit."""
    st.markdown(policies.conclusion(replays))
    show(
        figures_policies.gamma_over_rounds(replays),
        "map-policies",
        alt="Guesses in each round, kept and in vain, for each way to choose γ",
    )
    with aside("contenders"):
        st.markdown("\n".join(f"- **{c.name}.** {c.what}" for c in CONTENDERS))
        rows = policies.rows(runs.measured(replays[0].both.pair))
        st.markdown("##### So far in this visit\n\n" + policies.table(rows))
        st.caption("Choose other texts above: a poem, then “Say it again”. The best of each row is bold.")


Chapter(13).show(stage)
