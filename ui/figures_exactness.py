"""Figures of the exactness lab: what was written against what the target writes, and how far apart they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from core.measure.exactness import Band
from core.measure.verdict import Verdict
from ui.figures import FONT_SIZE, Plain, Trace, labels, plain, titled, trace, visible
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


def texts_drawn(v: Verdict) -> Plain:
    """The likeliest texts: the target's exact share as a bar with the reach of noise, the drawn share as a mark."""
    rows = v.beginnings
    at = list(range(len(rows)))
    reach = [NOISE_99 * sqrt(b.share * (1 - b.share) / v.n) for b in rows]
    beyond = [abs(b.count / v.n - b.share) > r + 0.5 / v.n for b, r in zip(rows, reach, strict=True)]
    exact = trace(
        "bar",
        x=[b.share for b in rows],
        y=at,
        orientation="h",
        name="target, exactly",
        marker={"color": PARTS["p"].mark, "cornerradius": 4},
        error_x={"type": "data", "array": reach, "color": MUTED.mark, "thickness": 3, "width": 7},
        hovertemplate="target: %{x:.1%}<extra></extra>",
        width=0.6,
    )
    drawn = [
        trace(
            "scatter",
            x=[rows[i].count / v.n for i in at if beyond[i] == wanted],
            y=[i for i in at if beyond[i] == wanted],
            mode="markers",
            name=name,
            marker={"size": 15, "symbol": symbol, "color": colour, "line": {"width": 2, "color": "white"}},
            hovertemplate="drawn: %{x:.1%}<extra></extra>",
        )
        for name, wanted, colour, symbol in (
            ("drawn, within noise", False, INSIDE, "diamond"),
            ("drawn, beyond noise", True, BEYOND, "x"),
        )
    ]
    layout = {
        "yaxis": {
            "tickvals": at,
            "ticktext": [visible(b.text, LONGEST) + ("" if b.whole else " …") for b in rows],
            "range": [len(rows) - 0.4, -0.6],
            "showgrid": False,
            "ticklabelstandoff": 8,
        },
        "xaxis": titled("share of all texts", tickformat=".0%", rangemode="tozero", nticks=6),
    }
    return plain([exact, *drawn], layout, 120 + 40 * len(rows))


def distances(rows: Sequence[Distance], *, axis: str) -> Plain:
    """Each rule's distance from the target; where it was sampled, over the band that noise alone gives."""
    furthest = max([row.distance for row in rows] + [row.noise.high for row in rows if row.noise] + [0.05])
    points = [
        _points([(i, row) for i, row in enumerate(rows) if row.told == told], furthest, *look)
        for told, *look in ((False, "the target's text", INSIDE, "diamond"), (True, "another text", BEYOND, "x"))
    ]
    # Each row's name above it, from the left edge: beside it, a long one would leave a phone no room.
    names = labels([0.0] * len(rows), [i - 0.46 for i in range(len(rows))], [visible(row.name) for row in rows])
    layout = {
        "yaxis": {"visible": False, "range": [len(rows) - 0.6, -0.8]},
        "xaxis": titled(axis, range=[-0.03 * furthest, 1.1 * furthest], nticks=6),
    }
    return plain([*_bands(rows), *points, names], layout, 110 + 54 * len(rows))


def _bands(rows: Sequence[Distance]) -> list[Trace]:
    banded = [(i, row.noise) for i, row in enumerate(rows) if row.noise]
    if not banded:
        return []
    bands = trace(
        "bar",
        x=[band.high - band.low for _, band in banded],
        base=[band.low for _, band in banded],
        y=[i for i, _ in banded],
        orientation="h",
        width=0.4,
        name="noise alone (99 in 100)",
        marker={"color": SHADE},
        hoverinfo="skip",
    )
    return [bands]


def _points(here: Sequence[tuple[int, Distance]], furthest: float, name: str, colour: str, symbol: str) -> Trace:
    return trace(
        "scatter",
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


def toy_texts(texts: Sequence[str], right: Sequence[float], output: Sequence[float], exact: bool) -> Plain:
    """Every text of a toy: the target's probability, and the switch's beside it."""
    series = (
        ("target alone", right, PARTS["p"].mark, ""),
        ("with this rule", output, INSIDE if exact else BEYOND, "" if exact else "/"),
    )
    bars = [
        trace(
            "bar",
            x=list(texts),
            y=list(shares),
            name=name,
            marker={"color": colour, "cornerradius": 4, "pattern": {"shape": shape}},
            text=[f"{share:.3f}" if len(texts) <= 4 else "" for share in shares],
            textposition="outside",
            textfont={"size": FONT_SIZE},
            hovertemplate="%{x}: %{y:.4f}<extra></extra>",
            cliponaxis=False,
        )
        for name, shares, colour, shape in series
    ]
    layout = {
        "yaxis": titled("probability", range=[0, 1.18 * max(*right, *output)], nticks=5),
        "xaxis": titled("text of two tokens", type="category", showgrid=False),
    }
    return plain(bars, layout, 360)


def price_of_coupling(points: Sequence[tuple[float, float]]) -> Plain:
    """Acceptance over total variation: the rule as shipped, coupled draws for random p and q, and their bound."""
    x = [i / 100 for i in range(101)]
    lines = (
        ("rule as shipped: 1 − TV", [1 - t for t in x], PARTS["p"].mark, "solid"),
        ("coupled draws, at least: (1 − TV)/(1 + TV)", [(1 - t) / (1 + t) for t in x], PARTS["residual"].mark, "dash"),
    )
    drawn = trace(
        "scatter",
        x=[t for t, _ in points],
        y=[a for _, a in points],
        mode="markers",
        name="coupled draws, random p and q",
        marker={"size": 7, "color": MUTED.mark, "opacity": 0.7},
        hovertemplate="TV %{x:.2f}: %{y:.2f}<extra></extra>",
    )
    curves = [
        trace("scatter", x=x, y=y, mode="lines", name=name, line={"color": colour, "width": 4, "dash": dash})
        for name, y, colour, dash in lines
    ]
    layout = {
        "xaxis": titled("total variation between p and q", range=[0, 1]),
        "yaxis": titled("acceptance β", range=[0, 1.02]),
        "legend": {"orientation": "v", "x": 0.98, "xanchor": "right", "y": 0.98, "yanchor": "top"},
    }
    return plain([drawn, *curves], layout, 460)


def several_candidates(with_: Sequence[float], without: Sequence[float]) -> Plain:
    """Acceptance for one, two and three candidates, drawn with and without replacement."""
    bars = [
        trace(
            "bar",
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
        for name, shares, colour, shape in (
            ("with replacement", with_, MUTED.mark, "/"),
            ("without replacement", without, INSIDE, ""),
        )
    ]
    return plain(bars, {"yaxis": titled("acceptance", range=[0, 1.15], nticks=5)}, 340)
