"""Figures of one position: p and q side by side, and what is left over for the correction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.decoding.rounds import Candidate, Choice, Position
from ui.figures import FONT_SIZE, Plain, hatched, plain, trace, visible
from ui.palette import LOOKS, PARTS
from ui.round_words import first_of_either


@dataclass(frozen=True)
class Row:
    """One token's bars, top to bottom in a figure; None leaves a bar out. A `marked` one is pointed at by a sign."""

    text: str
    p: float | None = None
    q: float | None = None
    residual: float | None = None
    mark: str = ""


def distribution_bars(rows: Sequence[Row]) -> Plain:
    """Horizontal bars of p, q and the residual, as far as the rows have them, on one scale from 0."""
    series = [
        ("target p", "p", [r.p for r in rows], ""),
        ("draft q", "q", [r.q for r in rows], "/"),
        ("residual", "residual", [r.residual for r in rows], "x"),
    ]
    present = [s for s in series if any(value is not None for value in s[2])]
    places = list(range(len(rows)))
    bars = [
        trace(
            "bar",
            name=name,
            y=places,
            x=values,
            orientation="h",
            marker={**hatched(PARTS[part].mark, pattern), "cornerradius": 3},  # type: ignore[index]
            text=["" if v is None else _label(v) for v in values],
            textposition="outside",
            textfont={"size": FONT_SIZE - 3},
            textangle=0,
            cliponaxis=False,
            hoverinfo="skip",
        )
        for name, part, values, pattern in present
    ]
    top = max((v for s in present for v in s[2] if v is not None), default=1.0)
    layout = {
        "barmode": "group",
        "bargap": 0.3,
        "bargroupgap": 0.05,
        "margin": {"l": 0, "r": 10, "t": 44, "b": 0},
        "yaxis": {
            "tickvals": places,
            "ticktext": [f"<b>{r.mark} {visible(r.text, 18)}</b>" if r.mark else visible(r.text, 18) for r in rows],
            "range": [len(rows) - 0.4, -0.6],
            "showgrid": False,
            "fixedrange": True,
        },
        "xaxis": {"visible": False, "range": [0, 1.18 * max(top, 0.001)], "fixedrange": True},
    }
    row = 12 + 17 * len(present)
    return plain(bars, layout, row * len(rows) + 50)


def _label(share: float) -> str:
    if share == 0:
        return "0"
    return f"{share:.1%}" if share >= 0.001 else "<0.1%"


def either(x: Position, most: int = 12) -> list[Row]:
    """Rows for p and q at a guess: the first of either, and the rest as one."""
    shown, rest_p, rest_q = first_of_either(x, most)
    rows = [Row(c.text, c.p, c.q, mark="▸" if c.token == x.token else "") for c in shown]
    return [*rows, *_rest(rest_p, rest_q)]


def written(final: Choice, most: int = 8) -> list[Row]:
    """Rows for p at the place where a token was written without having been guessed."""
    return _answer(final.top, final, most)


def unused(candidates: Sequence[Candidate], most: int = 8) -> list[Row]:
    """Rows for p at the place behind the last guess, where nothing was drawn."""
    return _answer(candidates, None, most)


def _answer(candidates: Sequence[Candidate], final: Choice | None, most: int) -> list[Row]:
    shown = sorted((c for c in candidates if c.p > 0), key=lambda c: (-c.p, c.token))[:most]
    rows = [Row(c.text, c.p, mark=LOOKS["bonus"].glyph if final and c.token == final.token else "") for c in shown]
    if final and all(c.token != final.token for c in shown):
        rows.append(Row(final.text, final.p, mark=LOOKS["bonus"].glyph))
    rest = 1 - sum(row.p or 0 for row in rows)
    return [*rows, *([Row("all others", rest)] if rest > 0.0005 else [])]


def left_over(missed: Position, final: Choice, most: int = 8) -> list[Row]:
    """Rows for p, q and the residual at a miss; the missed guess and the token written instead are marked."""
    marks = {missed.token: LOOKS["discarded"].glyph, final.token: LOOKS["correction"].glyph}
    ranked = sorted(missed.top, key=lambda c: (c.token not in marks, -max(c.p, c.q, c.residual), c.token))[:most]
    shown = sorted(ranked, key=lambda c: (-max(c.p, c.q, c.residual), c.token))
    rows = [Row(c.text, c.p, c.q, c.residual, marks.get(c.token, "")) for c in shown]
    rest = [max(0.0, 1 - sum(getattr(c, name) for c in shown)) for name in ("p", "q", "residual")]
    return [*rows, *([Row("all others", *rest)] if max(rest) > 0.0005 else [])]


def _rest(p: float, q: float) -> list[Row]:
    return [Row("all others", p, q)] if max(p, q) > 0.0005 else []
