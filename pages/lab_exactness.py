"""Lab: is the output the target's own? Many short runs, one switch of the rule at a time."""

import pandas as pd
import streamlit as st

from core.decoding.request import DecodeRequest
from core.measure.switches import SWITCHES, Switch, switch
from core.measure.verdict import SIZES, Verdict
from core.spreadsheet import harmless
from ui import engine, exactness, navigation, visit
from ui.exactness import RULE, RUNS
from ui.figures import show
from ui.figures_exactness import (
    Distance,
    distances,
    price_of_coupling,
    several_candidates,
    texts_drawn,
    toy_texts,
)
from ui.page import heading, tell_unreadable
from ui.request_bar import request_bar

PLACE = "exactness"
VIEWS = {"pair": "On the real pair", "toy": "In a toy, exactly", "others": "Other exact rules"}
BADGES = {
    "as shipped": ("blue", ":material/verified:"),
    "changes the text": ("red", ":material/close:"),
    "exact, only slower": ("green", ":material/check:"),
}


def main() -> None:
    navigation.enter(exactness.PAGE)
    lab = exactness.lab()
    heading(lab.title, "Lab")
    st.markdown(
        "Does draft-and-verify write what the target would have written? Not the same words: the same *chances* of "
        "words. Here the rule is put to the test, as shipped and with one thing changed at a time. Some changes that "
        "look harmless spoil the text. Others that look fatal only cost time."
    )
    tell_unreadable(RULE, RUNS, exactness.VIEW, exactness.TOY, exactness.P_A, exactness.Q_A)
    view = st.segmented_control(
        "What to look at",
        list(VIEWS),
        format_func=lambda v: VIEWS[v],
        label_visibility="collapsed",
        required=True,
        **visit.bind(exactness.VIEW, PLACE),
    )
    {"pair": on_the_pair, "toy": in_a_toy, "others": other_rules}[view or "pair"]()


def choose_rule() -> Switch:
    """The rule in hand, said in plain words."""
    name = st.selectbox(
        "Rule",
        [s.name for s in SWITCHES],
        format_func=lambda n: exactness.label(switch(n)),
        **visit.bind(RULE, PLACE),
    )
    chosen = switch(name)
    colour, icon = BADGES[chosen.group]
    with st.container(border=True, key="rule"):
        st.badge(chosen.group, color=colour, icon=icon)  # type: ignore[arg-type]
        st.markdown(f"**What it does.** {chosen.does}")
        reason = "Why it changes the text" if chosen.group == "changes the text" else "Why it is exact"
        st.markdown(f"**{reason}.** {chosen.why}")
    return chosen


def on_the_pair() -> None:
    request = request_bar(PLACE, exactness.lab())
    chosen = choose_rule()
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        n = st.segmented_control(
            "Number of runs, fixed before the first",
            SIZES,
            format_func=lambda size: f"{size:,}",
            required=True,
            **visit.bind(RUNS, PLACE),
        )
        test = (exactness.tested(request), chosen.name, n) if request and n else None
        st.button(
            f"Run {n:,} short texts" if n else "Run",
            type="primary",
            icon=":material/play_arrow:",
            disabled=test is None,
            on_click=exactness.ask,
            args=(test,),
        )
    asked = exactness.asked()
    if asked is None:
        st.info("Stopped. From half a test nothing can be concluded.", icon=":material/stop_circle:")
    elif engine.loading_panel():
        result(asked, test)
    collection()


def result(asked: exactness.Test, test: exactness.Test | None) -> None:
    """The verdict on the test that was asked for, or how far it has come."""
    verdict = engine.exactness(*asked, key=PLACE)
    if verdict is None:
        st.button("Stop", icon=":material/stop:", on_click=stop)
        return
    exactness.keep(verdict)
    st.markdown(f"##### {switch(verdict.switch).title}: {verdict.n:,} runs")
    if asked != test:
        st.caption("The controls above have changed since. This is the test that was run last.")
    figures(verdict)
    (st.error if verdict.fails else st.success)(
        exactness.meaning(verdict), icon=":material/close:" if verdict.fails else ":material/check:"
    )
    show(texts_drawn(verdict), "exactness-texts", alt="The likeliest texts: the target's share and the share drawn.")
    st.caption(rest(verdict))
    with st.expander("How the test is made"):
        st.markdown(how(verdict.request))


def stop() -> None:
    engine.give_up(PLACE)
    exactness.ask(None)


def figures(v: Verdict) -> None:
    with st.container(horizontal=True, gap="large"):
        st.metric("Total variation", f"{v.distance:.3f}", width="content")
        st.metric(
            f"Noise alone ({100 * v.noise.level:.0f} % of right runs)",
            f"{v.noise.low:.3f} to {v.noise.high:.3f}",
            width="content",
        )
        st.metric(f"χ² p-value ({v.test.cells} cells)", exactness.chance(v.test.p_value), width="content")
        st.metric("Tokens a pass (τ)", f"{v.tokens_per_round:.2f}", width="content")


def rest(v: Verdict) -> str:
    """What the picture leaves out."""
    lead = f"All texts carry on after “{v.behind.strip()}”, which the prompt's own pass wrote. "
    expected, drawn = 100 * v.rest.share, 100 * v.rest.count / v.n
    other = f"All other texts together: {expected:.1f} % for the target, {drawn:.1f} % drawn. "
    return lead + other + "The grey whisker is where 99 of 100 right counts lie."


def how(request: DecodeRequest) -> str:
    return (
        f"- Each run writes three tokens with γ = {request.gamma}, top-k {request.top_k} and temperature "
        f"{request.temperature:g}, with random numbers of its own; a draft is cut to what is left to write. What the "
        "models say after each beginning is worked out once and kept. The rule that decides is the one that writes all "
        "texts in this lab, or its altered copy.\n"
        "- The target's own distribution is not sampled but worked out, from the same passes. Beginnings that fewer "
        "than five runs are expected to take are not told apart, and small cells of the test are put together.\n"
        "- **Total variation** is half the sum of all differences. Even a right rule never gets 0 from a finite number "
        "of runs, hence the noise band.\n"
        "- The **p-value** of the χ² test is the share of right runs that look at least this uneven. Below 1 % the run "
        "counts as failed: *one in a hundred right runs fails*. That holds because the number of runs is fixed before "
        "the first. Who looks again and again, and stops at the first failure, will find one."
    )


def collection() -> None:
    """This visit's verdicts side by side."""
    kept = exactness.verdicts()
    if not kept:
        return
    st.markdown("##### This visit's verdicts, side by side")
    rows = [
        Distance(
            switch(v.switch).title, v.distance, v.fails, f"\u2002p {exactness.chance(v.test.p_value)}\u2002", v.noise
        )
        for v in kept
    ]
    show(
        distances(rows, axis="total variation"), "exactness-collection", alt="Each verdict's distance from the target."
    )
    st.dataframe(
        pd.DataFrame(
            {
                "Rule": switch(v.switch).title,
                "Kind": switch(v.switch).group,
                "Verdict": exactness.outcome(v),
                "Total variation": round(v.distance, 3),
                "p-value": exactness.chance(v.test.p_value),
                "Runs": v.n,
                "Tokens a pass": round(v.tokens_per_round, 2),
                "Temperature": v.request.temperature,
                "Seed": v.request.seed,
                "Prompt": harmless(v.request.prompt[:60]),
            }
            for v in kept
        ),
        hide_index=True,
        key="exactness-table",
    )


def in_a_toy() -> None:
    st.markdown(
        "A toy has so few tokens that nothing need be drawn: every way in which the random numbers can fall is walked "
        "through, by the very functions that decode, and the probabilities are added up. Each text has two tokens, "
        f"γ is 1 and the temperature {exactness.TOY_TEMPERATURE:g}. The target avoids saying a thing twice; the draft "
        "likes to repeat itself. τ counts the tokens that a target pass gains."
    )
    p, q = toy_sliders()
    found = exactness.toy_result(p, q)
    rows = [
        Distance(
            s.switch.title,
            s.distance,
            s.distance > 0,
            f"\u2002{s.distance:.3f}\u2002" if s.distance else f"\u20020: exact, τ {s.tokens_per_round:.2f}",
        )
        for s in found.outcomes
    ]
    show(distances(rows, axis="total variation from the target, exact"), "toy-distances",
         alt="Each rule's exact distance from the target in the toy.")  # fmt: skip
    chosen = choose_rule()
    here = next(s for s in found.outcomes if s.switch == chosen)
    show(toy_texts(found.texts, found.right, here.shares, here.distance == 0), "toy-texts",
         alt=f"Probability of each text: target and {chosen.title}.")  # fmt: skip
    shipped = found.outcomes[0].tokens_per_round
    st.markdown(
        f"Distance from the target: **{here.distance:.3f}**. Tokens a target pass: **{here.tokens_per_round:.2f}**, "
        f"against {shipped:.2f} with the rule as shipped."
    )
    if chosen.group == "changes the text" and here.distance == 0:
        st.caption("With these very numbers the change happens to do nothing. Move them a little.")


def toy_sliders() -> tuple[tuple[float, ...], tuple[float, ...]]:
    size = st.segmented_control(
        "Tokens in the toy",
        [2, 4],
        format_func=lambda n: {2: "Two: A, B", 4: "Four: A to D"}[n],
        required=True,
        **visit.bind(exactness.TOY, PLACE),
    )
    if size == 4:
        p, q = exactness.FOUR
        st.caption("At first: p = " + ", ".join(map(str, p)) + "; q = " + ", ".join(map(str, q)) + ".")
        return p, q
    with st.container(horizontal=True, gap="large"):
        a = st.slider("p(A), the target's", 0.0, 1.0, step=0.05, width=320, **visit.bind(exactness.P_A, PLACE))
        b = st.slider("q(A), the draft's", 0.0, 1.0, step=0.05, width=320, **visit.bind(exactness.Q_A, PLACE))
    return (a, round(1 - a, 6)), (b, round(1 - b, 6))


def other_rules() -> None:
    found = exactness.other_rules()
    st.markdown("The rule as shipped is not the only exact one. None of the figures here is drawn: all are worked out.")
    with st.container(border=True):
        st.markdown("##### Several candidates for one place")
        st.markdown(
            "The draft offers k tokens. Each is tested against what is left of p after the misses before it. Drawn "
            "*without* replacement, no missed token is offered twice. Toy: p = (.1, .2, .7), q = (.6, .3, .1)."
        )
        show(several_candidates(found.with_, found.without), "others-candidates",
             alt="Acceptance for one to three candidates.")  # fmt: skip
        st.markdown(f"What is written, in each of the six cases: **({', '.join(found.output)})**, exactly p.")
        st.caption("Miao et al. 2023, arXiv 2305.09781; Jeon et al. 2024, arXiv 2402.14160.")
    with st.container(border=True):
        st.markdown("##### The block as a whole")
        st.markdown(
            "The usual rule stops at the first miss. Block verification gives every prefix of the draft its chance, "
            "also behind one that failed, and keeps the longest that passes. Never fewer guesses stay, and the text "
            "is the target's own. Toy: p = (1/3, 2/3), q = (2/3, 1/3) at each place."
        )
        for gamma, block, token in found.blocks:
            st.markdown(f"- γ = {gamma}: **{block}** guesses kept a round, against **{token}** token by token.")
        st.caption("Sun et al. 2024, arXiv 2403.10444.")
    with st.container(border=True):
        st.markdown("##### What coupled draws cost")
        st.markdown(
            "Target and draft draw with the same random numbers, and a guess stays where both drew it. The text is the "
            "target's own, whatever the draft. The price is a few guesses; the bound says how many at most."
        )
        show(price_of_coupling(found.price), "others-price", alt="Acceptance over total variation.")
        st.caption("Daliri, Musco & Suresh 2024, arXiv 2408.07978. Each dot: two random distributions, exactly.")


main()
