"""Chapter 11: one request decoded both ways, on one axis: when each token reaches the reader, and at what price."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from core.decoding.trace import Trace
from core.theory.memory import MemoryPlan, ModelSize, memory_plan, number_bytes
from ui import engine, visit
from ui.both_ways import comparison, parting, runs
from ui.chapter import Chapter, aside
from ui.clock_bar import clock_bar
from ui.clocks import Clock, Lane, timeline
from ui.components.schedule import schedule
from ui.components.token_strip import StripToken, token_strip
from ui.figures import show
from ui.figures_memory import memory_bars
from ui.figures_rhythm import gap_bars
from ui.request_bar import gamma_slider, request_bar
from ui.rhythm import (
    Card,
    Rhythm,
    Unit,
    Waste,
    amount,
    costs,
    gets_faster,
    pass_seconds,
    rescaled,
    rhythm,
    stays,
    waste,
)
from ui.words import count, ended_early, megabytes, share

PAGE = "rhythm"
UNIT = visit.Control("unit", "seconds", visit.one_of("seconds", "passes"))
UNITS = {"seconds": "Seconds", "passes": "Target passes"}
AXES = {"seconds": "seconds since the request", "passes": "target passes since the request"}
STANDARD, DRAFTED = "Standard", "Draft and verify"


def stage(chapter: Chapter) -> None:
    with chapter.view("timeline"):
        request = request_bar(PAGE, chapter.text)
        controls = st.container(horizontal=True, vertical_alignment="bottom", gap="large", key="axis")
        with controls:
            gamma = gamma_slider(PAGE, chapter.text.gamma)
        if request is None or not engine.loading_panel():
            return
        with controls:
            clock, unit = axis()
        alone, together = runs(request, gamma, chapter.text.length, PAGE)
        if alone is None or together is None:
            return
        if min(len(alone.tokens), len(together.tokens)) < 2:
            st.info("This answer is one token long, so it has no rhythm. Choose another prompt.")
            return
        lanes = on_one_axis(alone, together, clock, unit)
        both = rhythm(lanes[0]), rhythm(lanes[1])
        picture(lanes, both, unit)
        text(alone, together, lanes)
    with chapter.view("gaps"):
        waiting(lanes, both, unit)
        with aside("price"):
            lost, plan = waste(together), price(alone, together)
    with chapter.view("cards"):
        cards(
            stays(*both, len(alone.tokens), parting(alone.tokens, together.tokens), unit),
            gets_faster(*both, unit),
            costs(*both, lost, plan, unit),
        )


def axis() -> tuple[Clock, Unit]:
    """The clock and the unit of the axis."""
    with aside("clock"), st.container(width="content"):
        clock = clock_bar(PAGE, default="measured")
    unit = st.segmented_control(
        "Unit of the axis",
        list(UNITS),
        format_func=lambda u: UNITS[u],
        required=True,
        label_visibility="collapsed",
        help="A target pass is the time that standard decoding takes for one token.",
        **visit.bind(UNIT, PAGE),
    )
    return clock, unit


def on_one_axis(alone: Trace, together: Trace, clock: Clock, unit: Unit) -> list[Lane]:
    """Both lanes in the axis's unit."""
    size = pass_seconds(alone, clock) if unit == "passes" else 1.0
    return [rescaled(timeline(trace, clock, title), size) for trace, title in ((alone, STANDARD), (together, DRAFTED))]


def picture(lanes: list[Lane], both: tuple[Rhythm, Rhythm], unit: Unit) -> None:
    """Both schedules."""
    standard, drafted = both
    notes = [
        f"{count(len(standard.bursts), 'tick')} after the first token, one token each",
        f"{count(len(drafted.bursts), 'burst')} after the first token, at most {max(drafted.bursts)} at once",
    ]
    schedule(lanes, notes, key="rhythm-schedule", unit=AXES[unit], say=partial(amount, unit=unit))
    with aside("axis-note"):
        st.caption(
            "Above each axis: a token stands where it reaches the reader, and tokens that come together stand on top "
            "of each other. On the axis: the calls that the reader waits for."
        )


def text(alone: Trace, together: Trace, lanes: list[Lane]) -> None:
    """The texts held against each other, and the one that both wrote."""
    with aside("same-text"):
        st.subheader("The same text", anchor=False)
    comparison(alone, together)
    if remark := ended_early(together, "the target", "token"):
        st.caption(remark)
    with aside("text"):
        token_strip(
            [StripToken(t.text, t.state, t.tip, t.group) for t in lanes[1].tokens if t.delivered],
            key="rhythm-text",
            label="The text, as draft and verify wrote it",
            selectable=False,
            legend=False,
        )


def waiting(lanes: list[Lane], both: tuple[Rhythm, Rhythm], unit: Unit) -> None:
    """The reader's waits: first token, gaps, total."""
    st.subheader("What the reader waits for", anchor=False)
    left, right = st.columns([5, 6], gap="large")
    with left:
        table(both, unit)
        st.caption(
            "A gap of 0: the token came together with the one before it. With draft and verify that holds for "
            f"{both[1].together} of {count(len(both[1].gaps), 'gap')}. "
            "The 95th percentile, p95, is the gap that 95 of 100 gaps do not exceed."
        )
    with right:
        # Gaps between tokens are read in milliseconds where the axis above has seconds.
        size, name = (0.001, "gap between two tokens, ms") if unit == "seconds" else (1.0, "gap, target passes")
        show(gap_bars([(lane.title, rhythm(rescaled(lane, size))) for lane in lanes], name), "rhythm-gaps")


def table(both: tuple[Rhythm, Rhythm], unit: Unit) -> None:
    """The figures of both lanes side by side."""
    figures: list[tuple[str, Callable[[Rhythm], float]]] = [
        ("Time to the first token", lambda told: told.first),
        ("of that, the draft’s own prompt pass", lambda told: told.draft_prompt),
        ("Gap between two tokens, median", lambda told: told.median),
        ("Gap, 95th percentile", lambda told: told.p95),
        ("Gap, mean", lambda told: told.mean),
        ("Whole answer", lambda told: told.total),
    ]
    rows = "\n".join(
        f"| {label} | {' | '.join(amount(figure(told), unit) for told in both)} |" for label, figure in figures
    )
    st.markdown(f"| | {STANDARD} | {DRAFTED} |\n|:--|--:|--:|\n{rows}")


def price(alone: Trace, together: Trace) -> MemoryPlan:
    """Guesses in vain, and the memory of the second model; the plan for this text."""
    st.subheader("Guesses in vain, and memory", anchor=False)
    guesses(waste(together))
    facts = engine.door().opened.facts
    written = len(alone.prefill.prompt_tokens) + len(alone.tokens)
    now, full = (
        memory_plan(facts.target_size, facts.draft_size, context=context, dtype=facts.dtype)
        for context in (written, facts.context)
    )
    borrowed = facts.shared_parameters * number_bytes(facts.dtype)
    also = f" It shares {megabytes(borrowed)} of weights with the target, counted once." if borrowed else ""
    left, right = st.columns([5, 6], gap="large")
    with left:
        st.markdown(
            f"The second model brings {megabytes(now.draft_weights)} of weights and a KV cache of its own.{also} "
            "For each token of the text a model keeps a key and a value in every layer. For the target that makes"
        )
        st.latex(cache_formula(facts.target_size, facts.dtype))
        st.caption("Weights and caches only. Working space and the program itself come on top.")
    with right:
        bars = [(f"this text<br>{written:,} tokens", now), (f"full context<br>{facts.context:,} tokens", full)]
        show(memory_bars(bars), "rhythm-memory")
    return now


def cache_formula(size: ModelSize, dtype: str) -> str:
    """The bytes of one token in a KV cache."""
    values = rf"2 \times {size.layers} \times {size.kv_heads} \times {size.head_dim} \times {number_bytes(dtype)}"
    words = r"2 \times \text{layers} \times \text{KV heads} \times \text{head size} \times \text{bytes}"
    each = f"{size.cache_bytes(dtype):,}".replace(",", r"\,")
    return rf"\begin{{aligned}}&{words} \\ &= {values} \\ &= {each} \text{{ bytes a token}}\end{{aligned}}"


def guesses(lost: Waste) -> None:
    cells = [
        ("Guesses", str(lost.drafted)),
        ("Kept", str(lost.kept)),
        ("Missed", str(lost.missed)),
        ("Dropped unseen", str(lost.dropped)),
        ("Wasted", share(lost.wasted / lost.drafted) if lost.drafted else "–"),
    ]
    with st.container(horizontal=True, gap="medium"):
        for label, value in cells:
            st.metric(label, value, width="content")


def cards(*three: Card) -> None:
    st.subheader("In three cards", anchor=False)
    for column, card in zip(st.columns(3, gap="medium"), three, strict=True):
        with column.container(border=True, height="stretch"):
            st.markdown(f":small[**{card.title}**]\n\n## {card.figure}\n\n{card.words}")


Chapter(11).show(stage)
