"""Chapter 6: the rule that keeps a guess, first in a toy of two tokens, then at a guess of the round in hand."""

import streamlit as st

from core.decoding.rounds import Position
from core.measure.toy import MOST, play
from ui import visit
from ui.chapter import Chapter, aside, side_by_side
from ui.components.token_strip import StripToken, token_strip
from ui.figures import show
from ui.figures_toys import Split, dart, split_bars, tallies
from ui.hand import Hand, belonging, hand
from ui.page import tell_unreadable
from ui.palette import INK, LOOKS
from ui.request_bar import MAX_SEED
from ui.toy_words import (
    beta_formula,
    chance,
    keep_formula,
    last_rounds,
    position_split,
    toy_tallies,
    verdict,
)
from ui.words import visible

NAMES = ("A", "B")
P_A = visit.Control("p_a", 0.4, visit.decimal(0, 1, 0.01))
Q_A = visit.Control("q_a", 0.7, visit.decimal(0, 1, 0.01))
DRAWN = visit.Control("toy_draws", 10, visit.whole(0, MOST))
SEED = visit.Control("toy_seed", 5, visit.whole(0, MAX_SEED))
PLACE = visit.Control("place", 0, visit.whole(0, 33))
"""The guess looked at, from 1; 0 while none was chosen."""
ASKED_P, ASKED_Q = (0.6, 0.4), (0.8, 0.2)
TRIED = 1000


def stage(chapter: Chapter) -> None:
    tried = play(ASKED_P, ASKED_Q, "residual", TRIED, 0)
    guessed, kept = int(tried.guessed[0]), int(tried.stayed[0])
    facts = {"drawn": f"{TRIED:,}", "guessed": guessed, "kept": kept, "share": f"{100 * kept / guessed:.1f} %"}
    revealed = chapter.predict(facts=facts)
    toy(revealed)
    with aside("real"):
        st.markdown("#### The same on the real pair")
        held = hand("keep", chapter.text)
        if held:
            real(held, revealed)


@st.fragment
def toy(revealed: bool) -> None:
    """Everything that follows the two sliders, and nothing else: a moved slider runs this alone again."""
    rules, tries = side_by_side([6, 5])
    with rules:
        st.markdown("#### A toy with two tokens")
        tell_unreadable(P_A, Q_A, DRAWN, SEED, PLACE)
        p, q = two_tokens()
    if not revealed:
        st.caption("How often each guess may stay, and the draws, wait for your prediction.")
        return
    with rules:
        rule(p, q)
    with tries:
        draws(p, q)


def two_tokens() -> tuple[tuple[float, float], tuple[float, float]]:
    """The sliders beside the picture that they drive."""
    left, right = st.columns([2, 3], gap="large")
    with left:
        shares = []
        for name, who, control in (("q", "the draft", Q_A), ("p", "the target", P_A)):
            share = st.slider(f"{name}(A): how often {who} says A", 0.0, 1.0, step=0.01, **visit.bind(control, "keep"))
            with aside(f"of-b-{name}"):
                st.caption(f"B has what is left: {name}(B) = 1 − {share:.2f} = **{1 - share:.2f}**")
            shares.append((share, round(1 - share, 6)))
        q, p = shares
    with right:
        rows = [Split.of(name, *pair) for name, *pair in zip(NAMES, p, q, strict=True)]
        show(split_bars(rows), "keep-areas", alt=f"Toy: p of A is {p[0]:.2f}, q of A is {q[0]:.2f}.")
    return p, q


def rule(p: tuple[float, ...], q: tuple[float, ...]) -> None:
    """How often each guess may stay."""
    st.markdown("##### How often a guess may stay")
    of_a, of_b = st.columns(2, gap="small")
    for column, (name, *pair) in zip((of_a, of_b), zip(NAMES, p, q, strict=True), strict=True):
        column.latex(keep_formula(name, *pair))
    st.latex(beta_formula(p, q))


def draws(p: tuple[float, ...], q: tuple[float, ...]) -> None:
    """The rule tried out, as often as one likes."""
    drawn = visit.value(DRAWN, "keep")
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        for more in (1, 10, 1000):
            st.button(f"Draw {more:,}", on_click=visit.choose, args=(DRAWN, min(MOST, drawn + more)), type="primary")
        st.button("Start over", on_click=visit.choose, args=(DRAWN, 0), icon=":material/restart_alt:")
        with aside("seed"):
            st.number_input(
                "Seed of the draws",
                0,
                MAX_SEED,
                step=1,
                width=180,
                help="The same seed gives the same draws.",
                **visit.bind(SEED, "keep"),
            )
        if (p, q) != (ASKED_P, ASKED_Q):
            st.button("Take the question's numbers", on_click=as_asked, type="tertiary")
    rounds = play(p, q, "residual", drawn, visit.value(SEED, "keep"))
    st.markdown(f"**{drawn:,}** draws so far." if drawn != 1 else "**1** draw so far.")
    rows = toy_tallies(rounds, NAMES, p, q)
    colours = [LOOKS["kept"].tone.mark if "stays" in r.name else INK.mark for r in rows]
    show(tallies(rows, colours), "keep-tallies", alt="How often guesses stayed, beside the theory.")
    if drawn:
        with aside("last"):
            st.caption(
                "The last draws, newest at the end. Where a guess falls, the other token is written: no third one is "
                "there."
            )
            token_strip(last_rounds(rounds, NAMES, p, q), key="keep-last", label="The last draws", selectable=False)


def as_asked() -> None:
    visit.choose(P_A, ASKED_P[0])
    visit.choose(Q_A, ASKED_Q[0])


def real(held: Hand, revealed: bool) -> None:
    """The guesses of the round in hand, and the rule at the one that was clicked."""
    guesses = held.round.positions
    chosen = belonging(PLACE, "keep", (held.trace.request, held.round.index))
    first = next((i for i, x in enumerate(guesses) if x.accepted is False), 0)
    start = chosen - 1 if 0 < chosen <= len(guesses) else first
    before = held.before.replace("\n", "↵")
    st.text(f"After “…{before[-70:]}” the draft guessed:")
    clicked = token_strip(
        [StripToken(x.text, "kept" if x.accepted else "discarded", tip(x), None) for x in guesses],
        key="keep-guesses",
        label="The guesses of this round",
        selected=start,
    )
    at = start if clicked is None else clicked
    if at != start:
        visit.choose(PLACE, at + 1)
    one_guess(guesses[at], at, revealed)


def tip(x: Position) -> tuple[tuple[str, str], ...]:
    return (("target p", f"{x.p:.3f}"), ("draft q", f"{x.q:.3f}"))


def one_guess(x: Position, at: int, revealed: bool) -> None:
    """p and q at a real guess; ratio, number drawn and verdict once there was a prediction."""
    with st.container(border=True, key="keep-guess"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**Guess {at + 1}**", width="content")
            st.code(visible(x.text), language=None, width="content")
        left, right = st.columns(2, gap="large")
        with left:
            show(
                split_bars(position_split(x, x.text)), "keep-real", alt=f"At this guess p is {x.p:.3f} and q {x.q:.3f}."
            )
        with right:
            if not revealed:
                st.caption("Whether it stays, and why, waits for your prediction.")
                return
            st.latex(keep_formula("x", x.p, x.q))
            show(dart(chance(x.p, x.q), x.u), "keep-dart", alt="The line from 0 to 1 on which the number u falls.")
            st.markdown(verdict(x))


Chapter(6).show(stage)
