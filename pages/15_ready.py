"""Chapter 15: does drafting pay here? The pair, the answers, the wait, the memory, and one question."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import streamlit as st

from core.decoding.request import DecodeRequest, RequestError
from core.measure.readiness import Check, Result, answer, promises
from core.measure.readiness_memory import OF_DTYPE, PRECISIONS, Row, machine_memory, rows
from core.measure.readiness_times import Lines, lines, split, unsteady
from core.models.errors import ModelError
from core.serving.opening import PairFacts
from core.settings import SettingsError, read_settings
from ui import content, engine, navigation, ready, ready_check, ready_memory, ready_pair, ready_wait, visit
from ui.both_ways import runs
from ui.chapter import Chapter
from ui.figures import show
from ui.figures_memory import memory_plans
from ui.figures_ready import round_bars, waits
from ui.page import tell_unreadable
from ui.ready import mark
from ui.ready_check import MINE, Asked
from ui.ready_pair import Pair
from ui.request_bar import gamma_slider
from ui.words import gigabytes, share

PAGE = "ready"


def stage(chapter: Chapter) -> None:
    with st.container(key="ready-pair"):
        pair = together()
    st.subheader("Are the answers the same?", anchor=False)
    gamma, mine = controls(chapter)
    if not engine.loading_panel():
        return
    checked = check(gamma, mine)
    measured = checked or default_run(chapter, gamma)
    both = wait(measured, checked is not None) if measured else None
    planned(pair, checked, both)


@st.fragment
def planned(pair: Pair | None, checked: list[Result] | None, both: Lines | None) -> None:
    """What follows from the memory planner's controls: a moved slider runs this alone again."""
    plan = memory(pair) if pair else None
    closing(pair, plan, checked, both)


def together() -> Pair | None:
    """The pair in hand: does it fit together, and who would take it?"""
    st.subheader("Do the two fit together?", anchor=False)
    try:
        pair = ready_pair.choose(PAGE, read_settings())
    except (ModelError, SettingsError) as error:
        ready.failure(error)
        return None
    found = pair.report
    st.caption(ready_pair.described(found.target, "Target") + "  \n" + ready_pair.described(found.draft, "Draft"))
    compared = [[mark(*ready.OF_STATE[f.state]), f.name, f.words] for f in found.findings]
    st.markdown(ready.table(["", "Compared", "Found"], compared))
    st.markdown("##### Who takes this pair?")
    takers = [[mark(*ready.OF_TAKER[r.state]), f"**{r.name}**", r.words] for r in pair.runtimes]
    st.markdown(ready.table(["", "Runtime", "What it says"], takers))
    st.caption(ready_pair.sources(pair.runtimes))
    return pair


def controls(chapter: Chapter) -> tuple[int, tuple[str, ...] | None]:
    """γ and the visitor's own prompts, None after saying what is wrong with them."""
    st.markdown(
        "First the target answers every prompt of a small set alone: that is the **reference**. Then drafting is "
        "switched on, and the same prompts are answered again. A target of this size makes mistakes of its own, so "
        "the question is not whether an answer is right, but whether it is *as right as before*."
    )
    gamma = gamma_slider(PAGE, chapter.text.gamma)
    with st.expander("The prompts, and your own"):
        st.markdown("\n".join(f"- {c.label}: *{ready.plain(c.text)}*" for c in content.checks()))
        text = st.text_area(
            f"Up to {ready_check.MOST_OWN} prompts of your own, one a line",
            height=110,
            placeholder="What do you really ask a model?",
            **visit.bind(MINE, PAGE),
        )
    try:
        return gamma, ready_check.own_prompts(text or "")
    except RequestError as error:
        st.warning(str(error), icon=":material/edit:")
        return gamma, None


def check(gamma: int, mine: tuple[str, ...] | None) -> list[Result] | None:
    """The check, or a button that starts it; its results once they are all there."""
    asked = ready_check.asked()
    wanted = Asked(gamma, mine, asked.repeat if asked else 0) if mine is not None else None
    if asked != wanted or asked is None:
        number = len(wanted.checks) if wanted else 0
        st.button(
            f"Answer {number} prompts both ways" if number else "Answer the prompts both ways",
            key="ready-start",
            type="primary",
            icon=":material/play_arrow:",
            disabled=wanted is None,
            on_click=ready_check.ask,
            args=(wanted,),
        )
    if asked is None:
        return None
    found = ready_check.gather(asked)
    if found is None:
        st.button("Stop", key="ready-stop", icon=":material/stop:", on_click=ready_check.ask, args=(None,))
        return None
    if asked != wanted:
        st.caption(f"The controls have changed since. These are the answers at γ = {asked.gamma}.")
    else:
        again = replace(asked, repeat=asked.repeat + 1)
        st.button("Measure again", key="ready-again", icon=":material/replay:", on_click=ready_check.ask, args=(again,))
    verdicts(found)
    return found


def verdicts(found: list[Result]) -> None:
    """What drafting left alone, and each prompt's answers."""
    word = {True: ("yes", "kept"), False: ("no", "broken"), None: ("open", "not tested")}
    kept = [[mark(*word[p.kept]), f"**{p.name}**", p.words] for p in promises(found)]  # type: ignore[arg-type]
    st.markdown(ready.table(["", "Promise", "Measured"], kept))
    st.caption(
        "Where all texts are equal the other lines follow. They are there for programs whose drafting is not exact, "
        "and for number formats in which rounding may decide. Equal draws for some seeds are a sample: the lab below "
        "compares whole distributions."
    )
    st.page_link(
        navigation.path("lab_exactness.py"),
        label="Lab · Exactness: thousands of draws against the target's own distribution",
        icon=":material/arrow_forward:",
    )
    with st.expander("Prompt by prompt"):
        cells = pd.DataFrame(map(ready_wait.row_cells, found), columns=ready_wait.COLUMNS)
        st.dataframe(cells, hide_index=True, key="ready-rows")
        number = st.selectbox(
            "Read both answers", range(len(found)), format_func=lambda i: found[i].check.label, key="ready-read"
        )
        chosen = found[number or 0]
        left, right = st.columns(2, gap="medium")
        for column, name, one in ((left, "Reference", chosen.reference), (right, "With drafting", chosen.drafted)):
            column.markdown(f"**{name}**")
            column.code(one.text or "(nothing)", language=None, wrap_lines=True)


def default_run(chapter: Chapter, gamma: int) -> list[Result] | None:
    """One prompt both ways, to measure by until the check has been run."""
    prompt = content.default_prompt(chapter.text)
    alone, drafted = runs(DecodeRequest(prompt.text, chat=prompt.chat), gamma, chapter.text.length, PAGE)
    if alone is None or drafted is None:
        return None
    return [Result(Check("default", prompt.label, prompt.text), answer(alone), answer(drafted))]


def wait(found: list[Result], checked: bool) -> Lines | None:
    """Total time against answer length, and where a round's time goes; the lines through the answers."""
    st.subheader("Is the wait shorter?", anchor=False)
    by = f"the {len(found)} prompts above"
    if not checked:
        by = f"one prompt, “{found[0].check.label}”, until the check is run"
    pair = engine.door().opened.facts
    st.markdown(
        f"Measured on {by}, with {ready.plain(pair.target)} and {ready.plain(pair.draft)} in {pair.dtype} on "
        f"{pair.device}. Drafting has a price before the first token: the draft has to read the prompt too."
    )
    usual, loading = wait_controls()
    both = lines(found, loading)
    if both is None:
        st.info("These answers are one token long: there is nothing to speed up.")
        return None
    longest = ready_wait.shown_length(both, usual, max(len(r.reference.tokens) for r in found))
    alone, drafted = ready_wait.dots(found, loading)
    show(waits(both, longest, alone, drafted, usual), "ready-waits", alt="Seconds an answer takes over its tokens.")
    st.markdown(ready_wait.waits_sentence(both, loading))
    if busy := unsteady(found):
        st.warning(ready_wait.busy_sentence(*busy), icon=":material/speed:")
    if checked:
        won = sum(r.speed_up > 1 for r in found)
        st.caption(
            f"Quicker with drafting: {won} of {len(found)} prompts. Times are those of the calls alone, without any "
            "waiting for other visitors."
        )
    where_time_goes(found)
    return both


def wait_controls() -> tuple[int, float]:
    """The reader's usual length of answer, and the seconds it takes to load the draft."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="large"):
        usual = st.number_input(
            "Your usual answer, in tokens", 1, ready_wait.LONGEST_ANSWER, step=10, width=260,
            **visit.bind(ready_wait.USUAL, PAGE),
        )  # fmt: skip
        loading = st.number_input(
            "Seconds to load the second model", 0.0, 600.0, step=0.5, format="%.1f", width=300,
            help="Where the draft is loaded anew for each answer. 0: it stays in memory, as in this lab.",
            **visit.bind(ready_wait.LOADING, PAGE),
        )  # fmt: skip
    tell_unreadable(ready_wait.USUAL, ready_wait.LOADING)
    return usual, loading


def where_time_goes(found: list[Result]) -> None:
    """A round's time, part by part."""
    parts = split(found)
    if parts is None:
        return
    st.subheader("Why many kept guesses can still be slow", anchor=False)
    kept = share(parts.alpha_hat) if parts.alpha_hat is not None else "none"
    st.markdown(
        f"Of the guesses examined, **{kept}** were kept (α̂). That sets what a round gains. "
        "What a round costs is another matter:"
    )
    left, right = st.columns([6, 5], gap="large")
    with left:
        show(round_bars(parts), "ready-round", alt="A round's gain in standard decoding's time, above its cost.")
    with right:
        st.latex(ready_wait.split_formula(parts))
        st.caption("Milliseconds; τ: tokens a round.")
    st.markdown(ready_wait.split_words(parts))


def memory(pair: Pair) -> list[Row] | None:
    """The planner: the plans at this length and precision, the pair's second."""
    st.subheader("Does it fit, and what else would the memory buy?", anchor=False)
    found = pair.report
    tokens, bits, room = plan_controls(found.context, engine.door().opened.facts)
    plans = rows(
        found.target.size, found.draft.size, context=tokens, longest=found.target.context, precision=bits, there=room
    )
    named = [(row.name, row.plan) for row in plans]
    show(memory_plans(named, room), "ready-memory", alt="Gigabytes of each plan, against the memory there is.")
    cells = [[mark(*ready_memory.OF_FIT[r.fit]), r.name, gigabytes(r.plan.total)] for r in plans]
    st.markdown(ready.table(["", "Plan", "Weights and caches"], cells))
    st.markdown(ready_memory.fit_verdict(plans, found.target.size, room)[1])
    st.caption(
        "Weights from the files' headers, caches from the configurations; nothing was loaded for this. Room to spare "
        "means 1.3 times as much: working space, repacked weights and the program need their share."
    )
    return plans


def plan_controls(longest: int, facts: PairFacts) -> tuple[int, str, int]:
    """The length of text, the precision and the bytes of memory to plan for."""
    context = ready_memory.context_control(longest)
    precision = ready_memory.precision_control(OF_DTYPE.get(facts.dtype, "16 bits"))
    limit = ready_memory.memory_control(machine_memory(facts.device))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="large"):
        tokens = st.select_slider(
            "Longest text, in tokens", ready_memory.contexts(longest), format_func=lambda n: f"{n:,}", width=420,
            **visit.bind(context, PAGE),
        )  # fmt: skip
        bits = st.segmented_control(
            "Bits a weight", PRECISIONS, required=True, format_func=lambda p: p.split()[0],
            help="4 and 8 bits bring their scales along: 4.5 and 8.5 bits a weight, as in llama.cpp's Q4_0 and Q8_0. "
            "The caches keep 16 bits a number, or 32 with 32-bit weights.",
            **visit.bind(precision, PAGE),
        )  # fmt: skip
        room = st.number_input(
            "Memory there is, in GB", 0.1, 10_000.0, step=1.0, format="%.1f", width=230,
            help="At first what this machine has, as measured.", **visit.bind(limit, PAGE),
        )  # fmt: skip
    tell_unreadable(context, precision, limit)
    return tokens, bits or precision.default, round(room * 1e9)


def closing(pair: Pair | None, plan: list[Row] | None, checked: list[Result] | None, both: Lines | None) -> None:
    """The list of what was found, and the one question."""
    st.subheader("Did *your* wait get shorter?", anchor=False)
    if pair is not None and not pair.loaded:
        st.info(
            "The answers and times on this page are those of the pair that is loaded here. For the pair chosen above, "
            "start the lab with it and ask again.",
            icon=":material/swap_horiz:",
        )
        return
    usual = visit.value(ready_wait.USUAL, PAGE)
    steps = [
        ready.pair_step(pair.report if pair else None),
        ready.text_step(promises(checked) if checked else None),
        ready_memory.memory_step(plan),
        ready_wait.wait_step(both, usual),
    ]
    st.markdown(
        ready.table(["", "Condition", "Found"], [[ready.MARKS[s.kind], f"**{s.title}**", s.words] for s in steps])
    )
    kind, words = ready.decision(steps)
    {"yes": st.success, "note": st.warning, "no": st.error, "open": st.info}[kind](words)


Chapter(15).show(stage)
