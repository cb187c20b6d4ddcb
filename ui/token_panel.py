"""What happened at one token of a run, in words and figures."""

from __future__ import annotations

import streamlit as st

from core.decoding.rounds import Choice, Position, Round
from core.decoding.trace import Trace
from ui.figures import show, top_five
from ui.words import nats, share, visible

RAW = "At temperature 1, with nothing cut off."

Subject = tuple[Round | None, Position | Choice]


def subjects(trace: Trace) -> list[Subject]:
    """What each token of the trace's lane stands for, in the lane's order: guesses, then what the round added."""
    found: list[Subject] = [(None, trace.prefill.choice)]
    for r in trace.rounds:
        found += [(r, x) for x in r.positions]
        if r.final:
            found.append((r, r.final))
    return found


def token_panel(trace: Trace, index: int, key: str) -> None:
    """Draw what happened at the token with this index in the trace's lane."""
    where, x = subjects(trace)[index]
    with st.container(border=True, key=key):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{_place(trace, where)}**", width="content")
            st.code(x.text, language=None, width="content")
        st.markdown(what_happened(trace, x))
        with st.container(horizontal=True, gap="medium"):
            for label, value in figures(trace, x):
                st.metric(label, value, width="content", help=RAW if "raw" in label else None)
        first_choices(x, key)


def first_choices(x: Position | Choice, key: str) -> None:
    """Both models' first five; a plain run knows those of one model only."""
    by_p, by_q = (
        sorted(((c.text, getattr(c, name)) for c in x.top if getattr(c, name) > 0), key=lambda c: -c[1])[:5]
        for name in ("p_raw", "q_raw")
    )
    if by_p and by_q:
        show(top_five(by_p, by_q, names=("Target, p", "Draft, q")), f"{key}-five")
    elif by_p:
        st.text("First choices: " + ", ".join(f"{visible(text)} {share(weight)}" for text, weight in by_p))


def _place(trace: Trace, where: Round | None) -> str:
    if where is None:
        return "The prompt's own pass"
    # The prompt's pass is the first call, so a plain run's round 0 is the second.
    return f"Round {where.index + 1}" if trace.request.method == "speculative" else f"Call {where.index + 2}"


def what_happened(trace: Trace, x: Position | Choice) -> str:
    """One or two sentences on how the token came about or why it fell."""
    if isinstance(x, Choice):
        return _how_it_was_written(trace, x)
    if x.accepted is None:
        return (
            "**Dropped, not examined.** A guess before it missed, so it stood after a beginning that no longer holds."
        )
    if x.accepted:
        return f"**Kept.** The draft guessed it, and {_why(trace, x)}."
    return f"**Missed.** The draft guessed it, but {_why(trace, x)}. The correction stands in its place."


def _how_it_was_written(trace: Trace, x: Choice) -> str:
    sampled = trace.request.temperature > 0 and trace.request.rule == "rejection"
    correction = (
        "so another token was drawn from the residual: from what p gives more than q"
        if sampled
        else "so the target wrote its own token instead"
    )
    return {
        "correction": f"**Correction.** The guess at this place missed, {correction}.",
        "bonus": "**Bonus.** Every guess of the round was kept, and the same target pass gives one token more.",
        "target": "**Written by the target** in a call of its own.",
        "draft": "**Written by the draft** in a call of its own.",
    }[x.kind]


def _why(trace: Trace, x: Position) -> str:
    """Why an examined guess stayed or fell, by the rule of its run."""
    if trace.request.temperature == 0:
        return "it is the target's own first choice" if x.accepted else "the target's first choice is another token"
    if trace.request.rule == "coupled":
        if x.accepted:
            return "the target, with the same random draw, writes it too"
        return "the target's own draw is another token"
    if x.p >= x.q:
        return f"the target likes it at least as much: p = {x.p:.3f} is not below q = {x.q:.3f}, so it always stays"
    compared = "is below" if x.accepted else "is not below"
    return f"the number drawn, u = {x.u:.3f}, {compared} p/q = {x.p:.3f} / {x.q:.3f} = {x.ratio:.3f}"


def figures(trace: Trace, x: Position | Choice) -> list[tuple[str, str]]:
    """The figures at the token: raw probabilities, and what the rule saw where that is more than 0 and 1."""
    greedy = trace.request.temperature == 0
    raw = [("p (raw)", f"{x.p_raw:.3f}")]
    if isinstance(x, Choice):
        return raw if greedy else [*raw, ("p", f"{x.p:.3f}"), ("entropy", nats(x.entropy))]
    raw.append(("q (raw)", f"{x.q_raw:.3f}"))
    if greedy:
        return raw
    drawn = [("u", f"{x.u:.3f}")] if x.u is not None else []
    return [*raw, ("p", f"{x.p:.3f}"), ("q", f"{x.q:.3f}"), ("β", f"{x.beta:.2f}"), *drawn]
