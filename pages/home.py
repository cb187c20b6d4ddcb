"""The front page: what this is, the parts and chapters, the loaded pair and its vital figures."""

import streamlit as st

from ui import content, engine, navigation, tour
from ui.engine import Vitals
from ui.page import heading
from ui.part import chapter_cards
from ui.words import share, times


def opening() -> None:
    heading("Speculative Lab", "Two language models at work, on this machine")
    st.markdown(
        "Here a small language model guesses ahead and a big one checks it, word by word, before your eyes. "
        "The text that comes out is **exactly** the big model's own, and it often comes sooner. "
        "See how that can be, chapter by chapter: predict first, then try it on a real pair."
    )
    first = content.chapters()[0]
    with st.container(key="start", horizontal=True, vertical_alignment="center", gap="medium"):
        if st.button(f"Start with chapter {first.number}", type="primary", icon=":material/play_arrow:"):
            st.switch_page(navigation.path(first.page))
        if st.button("Present", icon=":material/slideshow:", help="The tour: one step a screen, for a projector"):
            st.switch_page(navigation.path(tour.PAGE), query_params={tour.PARAMETER: "1"})


def chapters() -> None:
    for part in content.parts():
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="bottom"):
            st.subheader(f"Part {part.id} · {part.title}", anchor=False, width="content")
            st.page_link(navigation.path(part.page), label=f"About Part {part.id}", icon=":material/arrow_forward:")
        st.markdown(part.question)
        chapter_cards(part.id)


def pair() -> None:
    st.subheader("The pair on this machine", anchor=False)
    figures = engine.vitals("home")
    if figures is None:
        return
    facts = figures.facts
    left, right = st.columns(2, gap="medium")
    with left.container(border=True, height="stretch"):
        model("Target, the big model", facts.target, facts.target_parameters)
    with right.container(border=True, height="stretch"):
        model("Draft, the small model", facts.draft, facts.draft_parameters)
    measured(figures)
    st.markdown(
        f"Device **{facts.device}**, numbers kept as **{facts.dtype}**, {facts.bytes / 1e6:,.0f} MB of weights. "
        f"{facts.reason}"
    )
    st.markdown(identity(facts.identical))


def model(role: str, name: str, parameters: int) -> None:
    st.caption(role)
    st.markdown(f"#### {name}")
    st.markdown(f"{parameters / 1e6:,.1f} million weights")


def measured(figures: Vitals) -> None:
    cells = [
        (
            "Acceptance rate α̂",
            share(figures.alpha_hat) if figures.alpha_hat is not None else "–",
            "Of the guesses that were examined on the default prompt, the share that was kept.",
        ),
        ("Cost ratio ĉ", f"{figures.c_hat:.2f}" if figures.c_hat else "–", "One draft step, in target passes."),
        (
            "Measured speed-up",
            times(figures.speed_up) if figures.speed_up else "–",
            "Against the fastest standard decoding of the same text on this machine.",
        ),
        ("Draft length γ", str(figures.speculative.request.gamma), "Guesses a round in this run."),
    ]
    with st.container(horizontal=True, gap="medium", key="vitals"):
        for label, value, tip in cells:
            st.metric(label, value, help=tip, width="content")
    st.caption(f"Measured on the default prompt: “{figures.speculative.request.prompt}”")


def identity(identical: bool | None) -> str:
    if identical is None:
        return "Whether both ways of writing agree to the last bit was not checked on this machine."
    if identical:
        return (
            ":material/check_circle: **The same text, bit for bit.** Checked at start: on this machine the target's "
            "figures for a token do not depend on how tokens are grouped into passes. "
            "At temperature 0, drafting gives the very same text."
        )
    return (
        ":material/info: **The same text, up to rounding.** Checked at start: on this machine the last bits of the "
        "target's figures change with the grouping into passes. Where two first choices are nearly equal, "
        "the texts may part."
    )


navigation.enter(navigation.HOME)
opening()
pair()
chapters()
