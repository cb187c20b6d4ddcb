"""Chapter 14: the same prompt with every source of guesses, for real."""

from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.decoding.request import DecodeRequest
from core.decoding.trace import Trace
from ui import engine, figures_sources, sources, visit
from ui.chapter import Chapter, aside
from ui.figures import show
from ui.request_bar import gamma_slider, request_bar
from ui.sources import BRANCHES, SOURCES

PAGE = "sources"


def stage(chapter: Chapter) -> None:
    with chapter.view("race"):
        traces = race(chapter)
        if traces is None or len(traces) < 2:
            return
        facts = engine.door().opened.facts
        rows = sources.by_drafter(traces, dict(facts.drafter_bytes))
        if not rows:
            st.info("This answer is one token long, so it cannot be timed: choose another prompt or seed.")
            return
        comparison(rows)
    if "tree" in traces and any(r.tree for r in traces["tree"].rounds):
        with chapter.view("tree"):
            tree(traces["tree"])
    with chapter.view("cards"):
        cards(facts.drafters)


def race(chapter: Chapter) -> dict[str, Trace] | None:
    """Every source's run over the prompt in hand, as far as they are made; None while there is none."""
    request = request_bar(PAGE, chapter.text)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        gamma = gamma_slider(PAGE, chapter.text.gamma)
        with aside("branches"):
            branches = st.slider(
                "Branches of the tree",
                2,
                4,
                width=260,
                help="Candidates for the first place; one fewer at each level below.",
                **visit.bind(BRANCHES, PAGE),
            )
    if request is None or not engine.loading_panel():
        return None
    base = replace(request, gamma=gamma, max_new_tokens=chapter.text.length)
    return run_all(sources.requests(base, engine.door().opened.facts.drafters, branches))


def run_all(plan: dict[str, DecodeRequest]) -> dict[str, Trace]:
    """Make the runs of a plan, one after the other, with a way to stop; those that are there."""
    row = st.container(horizontal=True, vertical_alignment="center", gap="medium")
    enough = sources.stopped_after(plan)
    traces: dict[str, Trace] = {}
    for name, request in plan.items():
        trace = None if len(traces) == enough else engine.run(request, f"{PAGE}-{name}")
        if trace is None:
            progress(row, plan, len(traces), name, stopped=len(traces) == enough)
            break
        traces[name] = trace
    return traces


def progress(row: DeltaGenerator, plan: dict[str, DecodeRequest], done: int, name: str, stopped: bool) -> None:
    """How far the runs have come, and a button that stops them or lets them go on."""
    words = f"Stopped after {done} of {len(plan)} runs." if stopped else f"Run {done + 1} of {len(plan)}: "
    with row:
        st.progress(done / len(plan), text=words if stopped else f"{words}{sources.title(name)} …")
        if stopped:
            st.button("Go on", icon=":material/play_arrow:", key="sources-go", on_click=sources.go_on)
        else:
            st.button("Stop", icon=":material/stop:", key="sources-stop", on_click=stop, args=(plan, done, name))


def stop(plan: dict[str, DecodeRequest], done: int, name: str) -> None:
    engine.give_up(f"{PAGE}-{name}")
    sources.stop(plan, done)


def comparison(rows: list[sources.Row]) -> None:
    """Who won, bars of speed and of a round's cost, and all figures in a table."""
    st.markdown(sources.verdict(rows))
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("##### How much faster")
        show(figures_sources.speed_bars(rows), "sources-speed", alt=sources.alt(rows))
    with right:
        st.markdown("##### What a round costs, and what it brings")
        show(
            figures_sources.round_bars(rows),
            "sources-rounds",
            alt="Cost of a mean round of each source, and its tokens",
        )
    with aside("table"):
        st.dataframe(
            sources.table(rows),
            hide_index=True,
            key="sources-table",
            column_config={"Source": st.column_config.TextColumn(width=150)},
        )
        st.caption(
            "Drafting and checking are target passes a round. Every source writes the target’s own text: at "
            "temperature 0 by the plain rule, above it with shared noise. Extra memory is weights; the draft’s cache "
            "comes on top."
        )


@st.fragment
def tree(trace: Trace) -> None:
    """One round over a tree: its candidates, the branch that survived, the token behind it."""
    st.markdown("##### A tree of guesses: one branch survives")
    rounds = [r for r in trace.rounds if r.tree]
    if len(rounds) > 1:
        control = visit.Control("round", sources.telling_round(rounds) + 1, visit.whole(1, len(rounds)))
        with aside("round"):
            index = st.slider("Round", 1, len(rounds), width=460, **visit.bind(control, PAGE)) - 1
    else:
        index = 0
    r = rounds[index]
    before = sources.before(trace, r)
    show(
        figures_sources.tree_figure(r, before, r.final.text if r.final else ""),
        "sources-tree",
        alt=sources.tree_words(r),
    )
    st.markdown(sources.tree_words(r))


def cards(offered: tuple[str, ...]) -> None:
    """Where each source's guesses come from, and what it needs."""
    st.markdown("##### The five, in a sentence each")
    columns = st.columns(2, gap="medium")
    for i, source in enumerate(SOURCES):
        with columns[i % 2], st.container(border=True, key=f"sources-card-{source.drafter}"):
            st.markdown(f"**{source.title}.** {source.comes_from}")
            note = "" if source.drafter in offered else " *This pair does not offer it.*"
            st.caption(f"It takes: {source.needs[0].lower()}{source.needs[1:]}{note}")


Chapter(14).show(stage)
