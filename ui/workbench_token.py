"""A clicked token of the workbench: what happened, the rule with its numbers, and the distributions behind it."""

from __future__ import annotations

import streamlit as st

from core.decoding.rounds import Choice, Position, Round
from core.decoding.trace import Trace
from ui import formulas
from ui.figures import show
from ui.figures_round import Row, distribution_bars
from ui.palette import LOOKS
from ui.token_panel import subjects, token_panel

MOST = 8


def token_detail(trace: Trace, index: int, key: str) -> None:
    """Draw what happened at the token with this index among the trace's `subjects`."""
    where, x = subjects(trace)[index]
    token_panel(trace, index, key)
    with st.container(border=True, key=f"{key}-rule"):
        st.markdown("##### What the rule had in hand")
        for formula in weighed(trace, where, x):
            st.latex(formula)
        if note := remark(trace, where, x):
            st.caption(note)
        show(distribution_bars(rows(where, x)), f"{key}-bars", alt="The first tokens by p, q and residual.")


def weighed(trace: Trace, where: Round | None, x: Position | Choice) -> list[str]:
    """The rule's formulas with this token's numbers; none where another rule decided, or none had to."""
    if trace.request.rule == "coupled" or where is None or trace.request.drafter == "tree":
        return []
    if isinstance(x, Position):
        slot = next(i for i, guess in enumerate(where.positions) if guess is x)
        return [] if x.accepted is None else [formulas.test(x, slot)]
    missed = missed_in(where) if x.kind == "correction" else None
    return [formulas.residual(missed, x)] if missed else []


def remark(trace: Trace, where: Round | None, x: Position | Choice) -> str:
    """What the formulas leave open."""
    if isinstance(x, Position) and x.accepted is None:
        return "Nobody looked at this guess. These are the distributions that it would have been held against."
    if where is not None and where.positions and trace.request.rule == "coupled":
        return "Coupled draws: target and draft draw with the same random numbers, and a guess stays where both agree."
    if isinstance(x, Position) and trace.request.temperature == 0:
        return "At temperature 0 all of p lies on one token and all of q on one, so the ratio is 1 or 0."
    if isinstance(x, Position):
        return "The residual is what p gives more than q. It counts only after a miss: the correction is drawn from it."
    return ""


def missed_in(where: Round) -> Position | None:
    """The guess of a round that was examined and fell."""
    return next((x for x in where.positions if x.accepted is False), None)


def rows(where: Round | None, x: Position | Choice) -> list[Row]:
    """Bars of p, q and the residual at a guess or a correction; of the writer's distribution at any other token."""
    if isinstance(x, Position):
        written = where.final if where and x.accepted is False else None
        return _three(x, written)
    missed = missed_in(where) if where and x.kind == "correction" else None
    return _three(missed, x) if missed else _one(x)


def _three(x: Position, written: Choice | None) -> list[Row]:
    marks = {x.token: LOOKS["kept" if x.accepted else "discarded"].glyph}
    if written:
        marks[written.token] = LOOKS["correction"].glyph
    ranked = sorted(x.top, key=lambda c: (c.token not in marks, -max(c.p, c.q, c.residual), c.token))[:MOST]
    shown = sorted(ranked, key=lambda c: (-max(c.p, c.q, c.residual), c.token))
    found = [Row(c.text, c.p, c.q, c.residual, marks.get(c.token, "")) for c in shown if max(c.p, c.q, c.residual) > 0]
    rest = [max(0.0, 1 - sum(getattr(c, name) for c in shown)) for name in ("p", "q", "residual")]
    return [*found, *([Row("all others", *rest)] if max(rest) > 0.0005 else [])]


def _one(x: Choice) -> list[Row]:
    name = "q" if x.kind == "draft" else "p"
    ranked = sorted((c for c in x.top if getattr(c, name) > 0), key=lambda c: (-getattr(c, name), c.token))[:MOST]
    values = [(c.text, getattr(c, name), "▸" if c.token == x.token else "") for c in ranked]
    rest = max(0.0, 1 - sum(share for _, share, _ in values))
    values += [("all others", rest, "")] if rest > 0.0005 else []
    return [Row(text, mark=mark, **{name: share}) for text, share, mark in values]
