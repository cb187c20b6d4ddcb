"""Figures of chapter 12: wall clocks, the target's entropy along a text, and what several seeds gave."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from ui.figures import FONT_SIZE, ROWS, Plain, Trace, hatched, note, plain, titled, trace, upright, visible
from ui.palette import CRIMSON, LOOKS, MUTED, PARTS, SKY, State
from ui.texts import Moment, Spread

LOOK_OF = {False: (SKY.mark, "circle", "predictable"), True: (CRIMSON.mark, "diamond", "free")}
"""Colour, shape and word of a predictable and of a free text."""
EVEN_LINE = {"color": MUTED.mark, "width": 3, "dash": "dash"}
PATTERNS: dict[State, str] = {"plain": "", "kept": "", "correction": "/", "bonus": "."}
ROW = 76
"""Pixels of a row of dots."""


def clock_bars(alone: float, together: float, unit: str, longest: float, height: int = 150) -> Plain:
    """The time of the same text by standard decoding and by draft-and-verify; the axis ends at `longest`."""
    times = [alone, together]
    bars = trace(
        "bar",
        x=times,
        y=["standard", "draft and verify"],
        orientation="h",
        marker={**hatched([MUTED.mark, PARTS["p"].mark], ["", "/"]), "cornerradius": 4},
        text=[f"{time:.2f} {unit}" if unit == "s" else f"{time:.1f}" for time in times],
        textposition="outside",
        textfont={"size": FONT_SIZE},
        cliponaxis=False,
        hoverinfo="skip",
    )
    layout = {
        "margin": {"l": 10, "r": 10, "t": 6, "b": 6},
        "showlegend": False,
        "xaxis": {"range": [0, 1.3 * longest], "visible": False, "fixedrange": True},
        "yaxis": {**ROWS, "fixedrange": True},
    }
    return plain([bars], layout, height)


def entropy_strip(written: Sequence[Moment], highest: float, height: int = 250) -> Plain:
    """The target's entropy at each token, a bar each, marked by how the token got there; the axis ends at `highest`."""
    states: tuple[State, ...] = ("kept", "correction", "bonus", "plain")
    bars = [
        trace(
            "bar",
            x=[i + 1 for i in at],
            y=[written[i].entropy for i in at],
            name=LOOKS[state].word,
            width=0.86,
            marker=hatched(LOOKS[state].tone.mark, PATTERNS[state]),
            customdata=[visible(written[i].text, 30) for i in at],
            hovertemplate="%{customdata}: %{y:.2f} nats<extra>" + LOOKS[state].word + "</extra>",
        )
        for state in states
        if (at := [i for i, moment in enumerate(written) if moment.state == state])
    ]
    layout = {
        "margin": {"l": 10, "r": 10, "t": 36, "b": 10},
        "bargap": 0,
        "xaxis": titled("token of the text", range=[0.4, len(written) + 0.6], showgrid=False),
        "yaxis": titled("entropy", range=[0, 1.08 * highest or 1], nticks=4),
    }
    return plain(bars, layout, height)


def spread_figure(rows: Sequence[Spread], price: str, seed: int) -> Plain:
    """A row of dots a text, one dot a seed: α̂ on the left, the speed-up on the right. The run in hand has a ring."""
    traces: list[Trace] = []
    named: set[bool] = set()
    for at, row in enumerate(rows):
        panels = (("", row.alphas, "α̂ = %{x:.2f}"), ("2", row.gains(price), "%{x:.2f}×"))
        for half, values, told in panels:
            on = {"xaxis": f"x{half}", "yaxis": f"y{half}", "showlegend": row.free not in named}
            named.add(row.free)
            traces += _dots(row, at, values, told, seed, **on)
    gains = [gain for row in rows for gain in row.gains(price)]
    ends = [min([0.75, *gains]) - 0.1, max([1.4, *gains]) + 0.1]
    both = {"range": [len(rows) - 0.6, -0.6], "showticklabels": False, "showgrid": False, "zeroline": False}
    left, right = {"anchor": "y", "domain": [0, 0.465]}, {"anchor": "y2", "domain": [0.535, 1]}
    layout = {
        "margin": {"l": 10, "r": 20, "t": 40, "b": 10},
        "annotations": [
            note(0, at - 0.3, visible(row.name, 44), xref="paper", yref="y") for at, row in enumerate(rows)
        ],
        "shapes": [upright(1, EVEN_LINE, xref="x2", yref="y2 domain")],
        "xaxis": titled("acceptance rate α̂", range=[0, 1.02], dtick=0.25, **left),
        "xaxis2": titled("speed-up", range=ends, ticksuffix="×", nticks=6, **right),
        "yaxis": {"anchor": "x", **both},
        "yaxis2": {"anchor": "x2", **both},
    }
    return plain(traces, layout, 140 + ROW * len(rows))


def _dots(row: Spread, at: int, values: Sequence[float], told: str, seed: int, **on: object) -> list[Trace]:
    """A row's dots, and a stroke at their mean."""
    colour, symbol, word = LOOK_OF[row.free]
    seeds = [both.speculative.seed for both in row.pairs]
    dots = trace(
        "scatter",
        x=list(values),
        y=[at + 0.16] * len(values),
        name=f"{word} text",
        legendgroup=word,
        mode="markers",
        marker={
            "color": colour, "symbol": symbol, "opacity": 0.8,
            "size": [19 if s == seed else 12 for s in seeds],
            "line": {"color": MUTED.mark, "width": [4 if s == seed else 0 for s in seeds]},
        },
        customdata=seeds,
        hovertemplate=f"seed %{{customdata}}: {told}<extra>{visible(row.prompt.label)}</extra>",
        **on,
    )  # fmt: skip
    mean = trace(
        "scatter",
        x=[fmean(values)] if values else [],
        y=[at + 0.16] * bool(values),
        name="mean",
        mode="markers",
        marker={"symbol": "line-ns", "size": 26, "line": {"width": 4, "color": colour}},
        hovertemplate=f"mean: {told}<extra></extra>",
        **{**on, "showlegend": False},
    )
    return [dots, mean]
