"""Chapter 5: one target pass over γ guesses, and the γ + 1 distributions that came back."""

import streamlit as st

from core.decoding.rounds import Position
from ui import formulas, tour, visit
from ui.chapter import Chapter, aside
from ui.components.one_pass import one_pass
from ui.figures import show
from ui.figures_round import distribution_bars, either, unused, written
from ui.hand import Hand, belonging, hand
from ui.page import tell_unreadable
from ui.round_words import assumption, dropped, quoted, telling_place
from ui.words import nats

PLACE = visit.Control("place", 0, visit.whole(0, 33))
"""The place looked at, from 1; 0 while none was chosen."""
MOST, FEW = 12, 5
"""Tokens whose bars are drawn: on the page, and on the tour, where they have to be read from afar."""


def stage(chapter: Chapter) -> None:
    tell_unreadable(PLACE)
    held = hand("pass", chapter.text)
    if held is None:
        return
    revealed = chapter.predict(facts={"dropped": dropped(held.round)})
    chosen = belonging(PLACE, "pass", (held.trace.request, held.round.index))
    last = len(held.round.positions)
    place = min(chosen - 1, last) if chosen else telling_place(held.round)
    with aside("in-and-out"):
        st.markdown(
            f"The last token of the text and **{last} guesses** go in together. **{last + 1} distributions** come out: "
            "each is the target's answer to what comes next after everything up to there. Click a place to open it."
        )
    one_pass(held, key="pass-picture", place=place, verdicts=revealed, on_place=lambda at: visit.choose(PLACE, at + 1))
    opened(held, place, revealed)


def opened(held: Hand, place: int, revealed: bool) -> None:
    """Everything about one place: the beginning it assumed, and both distributions."""
    guesses = held.round.positions
    with st.container(border=True, key="opened"):
        if place < len(guesses):
            st.markdown(f"##### Place {place + 1}: an answer about guess {place + 1}, {quoted(guesses[place].text)}")
        else:
            st.markdown(f"##### Place {place + 1}: the bonus place, behind the last guess")
        if revealed:
            st.markdown(assumption(held.round, place))
        beginning = held.before + "".join(x.text for x in guesses[:place])
        with aside("beginning"):
            st.caption("It was the answer to what comes next after this beginning (▁):")
            st.code(f"{beginning}▁", language=None, wrap_lines=True)
        if place < len(guesses):
            both(guesses[place])
        else:
            bonus_place(held)


def both(x: Position) -> None:
    """p and q at one guess."""
    bars, figures = st.columns([3, 2], gap="large")
    with bars:
        show(distribution_bars(either(x, FEW if tour.on() else MOST)), "pass-bars")
    with figures:
        st.latex(formulas.beta(x))
        with aside("overlap"):
            st.caption("β is the share of the two distributions that overlaps: how often a guess here stays.")
        with st.container(horizontal=True, gap="medium"):
            for label, value in (
                ("p of the guess", f"{x.p:.3f}"),
                ("q of the guess", f"{x.q:.3f}"),
                ("entropy of p", nats(x.entropy_p)),
                ("entropy of q", nats(x.entropy_q)),
            ):
                st.metric(label, value, width="content")
        with aside("entropy"):
            st.caption("Entropy 0 means sure of one token; a higher value means that many are in play.")


def bonus_place(held: Hand) -> None:
    """p behind the last guess, used or not."""
    final = held.round.final
    if final is None or final.kind != "bonus":
        st.markdown("The pass gave an answer here too. A guess before it did not stand, so nothing is drawn from it.")
        show(distribution_bars(unused(held.round.behind)), "pass-bars")
        return
    st.markdown(
        f"All guesses were kept, so the bonus token is drawn here: **{quoted(final.text)}**. The draft has no q for it."
    )
    show(distribution_bars(written(final)), "pass-bars")
    st.metric("entropy of p", nats(final.entropy), width="content")


Chapter(5).show(stage)
