"""Figures of the exactness lab: what was written against what the target writes, and how far apart they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import plotly.graph_objects as go

from core.measure.exactness import Band
from core.measure.verdict import Verdict
from ui.figures import FONT_SIZE, styled, visible
from ui.palette import CRIMSON, LOOKS, MUTED, PARTS

INSIDE, BEYOND = LOOKS["kept"].tone.mark, CRIMSON.mark
SHADE = "rgba(127, 123, 115, 0.35)"
NOISE_99 = 2.576
"""Standard deviations within which 99 of 100 counts lie."""
LONGEST = 28


@dataclass(frozen=True)
class Distance:
    """A row of the comparison: a rule's distance from the target, with the noise band of its test if it was sampled."""

    name: str
    distance: float
    told: bool
    note: str
    noise: Band | None = None


def texts_drawn(v: Verdict) -> go.Figure:
    """The likeliest texts: the target's exact share as a bar with the reach of noise, the drawn share as a mark."""
    rows = v.beginnings
    at = list(range(len(rows)))
    reach = [NOISE_99 * sqrt(b.share * (1 - b.share) / v.n) for b in rows]
    beyond = [abs(b.count / v.n - b.share) > r + 0.5 / v.n for b, r in zip(rows, reach, strict=True)]
    figure = go.Figure(
        go.Bar(
            x=[b.share for b in rows],
            y=at,
            orientation="h",
            name="target, exactly",
            marker={"color": PARTS["p"].mark, "cornerradius": 4},
            error_x={"type": "data", "array": reach, "color": MUTED.mark, "thickness": 3, "width": 7},
            hovertemplate="target: %{x:.1%}<extra></extra>",
            width=0.6,
        )
    )
    for name, wanted, colour, symbol in (
        ("drawn, within noise", False, INSIDE, "diamond"),
        ("drawn, beyond noise", True, BEYOND, "x"),
    ):
        here = [i for i in at if beyond[i] == wanted]
        figure.add_trace(
            go.Scatter(
                x=[rows[i].count / v.n for i in here],
                y=here,
                mode="markers",
                name=name,
                marker={"size": 15, "symbol": symbol, "color": colour, "line": {"width": 2, "color": "white"}},
                hovertemplate="drawn: %{x:.1%}<extra></extra>",
            )
        )
    styled(figure, 120 + 40 * len(rows))
    labels = [visible(b.text, LONGEST) + ("" if b.whole else " …") for b in rows]
    figure.update_yaxes(
        tickvals=at, ticktext=labels, range=[len(rows) - 0.4, -0.6], showgrid=False, ticklabelstandoff=8
    )
    figure.update_xaxes(tickformat=".0%", rangemode="tozero", title_text="share of all texts", nticks=6)
    return figure


def distances(rows: Sequence[Distance], *, axis: str) -> go.Figure:
    """Each rule's distance from the target; where it was sampled, over the band that noise alone gives."""
    furthest = max([row.distance for row in rows] + [row.noise.high for row in rows if row.noise] + [0.05])
    figure = go.Figure()
    banded = [(i, row.noise) for i, row in enumerate(rows) if row.noise]
    if banded:
        figure.add_trace(
            go.Bar(
                x=[band.high - band.low for _, band in banded],
                base=[band.low for _, band in banded],
                y=[i for i, _ in banded],
                orientation="h",
                width=0.4,
                name="noise alone (99 in 100)",
                marker={"color": SHADE},
                hoverinfo="skip",
            )
        )
    for name, told, colour, symbol in (
        ("the target's text", False, INSIDE, "diamond"),
        ("another text", True, BEYOND, "x"),
    ):
        here = [(i, row) for i, row in enumerate(rows) if row.told == told]
        figure.add_trace(
            go.Scatter(
                x=[row.distance for _, row in here],
                y=[i for i, _ in here],
                mode="markers+text",
                text=[row.note.replace("<", "&lt;") for _, row in here],
                # At the right edge the note would leave the picture.
                textposition=[f"middle {'left' if row.distance > 0.6 * furthest else 'right'}" for _, row in here],
                textfont={"size": FONT_SIZE - 1},
                name=name,
                marker={"size": 15, "symbol": symbol, "color": colour},
                cliponaxis=False,
                hovertemplate="%{x:.3f}<extra></extra>",
            )
        )
    figure.add_trace(_names([row.name for row in rows]))
    styled(figure, 110 + 54 * len(rows))
    figure.update_yaxes(visible=False, range=[len(rows) - 0.6, -0.8])
    figure.update_xaxes(range=[-0.03 * furthest, 1.1 * furthest], title_text=axis, nticks=6)
    return figure


def _names(names: Sequence[str]) -> go.Scatter:
    """Each row's name above it, from the left edge: beside it, a long one would leave a phone no room."""
    return go.Scatter(
        x=[0.0] * len(names),
        y=[i - 0.46 for i in range(len(names))],
        text=[visible(name) for name in names],
        mode="text",
        textposition="middle right",
        textfont={"size": FONT_SIZE},
        cliponaxis=False,
        hoverinfo="skip",
        showlegend=False,
    )


def toy_texts(texts: Sequence[str], right: Sequence[float], output: Sequence[float], exact: bool) -> go.Figure:
    """Every text of a toy: the target's probability, and the switch's beside it."""
    figure = go.Figure()
    series = (
        ("target alone", right, PARTS["p"].mark, ""),
        ("with this rule", output, INSIDE if exact else BEYOND, "" if exact else "/"),
    )
    for name, shares, colour, shape in series:
        figure.add_trace(
            go.Bar(
                x=list(texts),
                y=list(shares),
                name=name,
                marker={"color": colour, "cornerradius": 4, "pattern": {"shape": shape}},
                text=[f"{share:.3f}" for share in shares] if len(texts) <= 4 else None,
                textposition="outside",
                textfont={"size": FONT_SIZE},
                hovertemplate="%{x}: %{y:.4f}<extra></extra>",
                cliponaxis=False,
            )
        )
    styled(figure, 360)
    figure.update_yaxes(range=[0, 1.18 * max(*right, *output)], title_text="probability", nticks=5)
    figure.update_xaxes(title_text="text of two tokens", type="category", showgrid=False)
    return figure


def price_of_coupling(points: Sequence[tuple[float, float]]) -> go.Figure:
    """Acceptance over total variation: the rule as shipped, coupled draws for random p and q, and their bound."""
    x = [i / 100 for i in range(101)]
    figure = go.Figure()
    lines = (
        ("rule as shipped: 1 − TV", [1 - t for t in x], PARTS["p"].mark, "solid"),
        ("coupled draws, at least: (1 − TV)/(1 + TV)", [(1 - t) / (1 + t) for t in x], PARTS["residual"].mark, "dash"),
    )
    figure.add_trace(
        go.Scatter(
            x=[t for t, _ in points],
            y=[a for _, a in points],
            mode="markers",
            name="coupled draws, random p and q",
            marker={"size": 7, "color": MUTED.mark, "opacity": 0.7},
            hovertemplate="TV %{x:.2f}: %{y:.2f}<extra></extra>",
        )
    )
    for name, y, colour, dash in lines:
        figure.add_trace(
            go.Scatter(x=x, y=y, mode="lines", name=name, line={"color": colour, "width": 4, "dash": dash})
        )
    styled(figure, 460)
    figure.update_xaxes(range=[0, 1], title_text="total variation between p and q")
    figure.update_yaxes(range=[0, 1.02], title_text="acceptance β")
    figure.update_layout(legend={"orientation": "v", "x": 0.98, "xanchor": "right", "y": 0.98, "yanchor": "top"})
    return figure


def several_candidates(with_: Sequence[float], without: Sequence[float]) -> go.Figure:
    """Acceptance for one, two and three candidates, drawn with and without replacement."""
    figure = go.Figure()
    for name, shares, colour, shape in (
        ("with replacement", with_, MUTED.mark, "/"),
        ("without replacement", without, INSIDE, ""),
    ):
        figure.add_trace(
            go.Bar(
                x=[f"k = {k}" for k in range(1, len(shares) + 1)],
                y=list(shares),
                name=name,
                marker={"color": colour, "cornerradius": 4, "pattern": {"shape": shape}},
                text=[f"{share:.3f}".rstrip("0").rstrip(".") for share in shares],
                textposition="outside",
                textfont={"size": FONT_SIZE},
                hoverinfo="skip",
                cliponaxis=False,
            )
        )
    styled(figure, 340)
    figure.update_yaxes(range=[0, 1.15], title_text="acceptance", nticks=5)
    return figure
