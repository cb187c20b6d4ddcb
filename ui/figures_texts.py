"""Figures of chapter 12: wall clocks, the target's entropy along a text, and what several seeds gave."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ui.figures import FONT_SIZE, hatched, styled, visible
from ui.palette import CRIMSON, LOOKS, MUTED, PARTS, SKY, State
from ui.texts import Moment, Spread

LOOK_OF = {False: (SKY.mark, "circle", "predictable"), True: (CRIMSON.mark, "diamond", "free")}
"""Colour, shape and word of a predictable and of a free text."""
EVEN_LINE = {"color": MUTED.mark, "width": 3, "dash": "dash"}
PATTERNS: dict[State, str] = {"plain": "", "kept": "", "correction": "/", "bonus": "."}
ROW = 76
"""Pixels of a row of dots."""


def clock_bars(alone: float, together: float, unit: str, longest: float, height: int = 150) -> go.Figure:
    """The time of the same text by standard decoding and by draft-and-verify; the axis ends at `longest`."""
    times = (alone, together)
    bars = go.Bar(
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
    figure = styled(go.Figure(bars), height)
    figure.update_layout(margin={"l": 10, "r": 10, "t": 6, "b": 6}, showlegend=False)
    figure.update_xaxes(range=[0, 1.3 * longest], visible=False, fixedrange=True)
    return figure.update_yaxes(autorange="reversed", showgrid=False, fixedrange=True)


def entropy_strip(written: Sequence[Moment], highest: float, height: int = 250) -> go.Figure:
    """The target's entropy at each token, a bar each, marked by how the token got there; the axis ends at `highest`."""
    figure = go.Figure()
    states: tuple[State, ...] = ("kept", "correction", "bonus", "plain")
    for state in states:
        at = [i for i, moment in enumerate(written) if moment.state == state]
        if not at:
            continue
        figure.add_trace(
            go.Bar(
                x=[i + 1 for i in at],
                y=[written[i].entropy for i in at],
                name=LOOKS[state].word,
                width=0.86,
                marker=hatched(LOOKS[state].tone.mark, PATTERNS[state]),
                customdata=[visible(written[i].text, 30) for i in at],
                hovertemplate="%{customdata}: %{y:.2f} nats<extra>" + LOOKS[state].word + "</extra>",
            )
        )
    styled(figure, height)
    figure.update_layout(margin={"l": 10, "r": 10, "t": 36, "b": 10}, bargap=0)
    figure.update_xaxes(title_text="token of the text", range=[0.4, len(written) + 0.6], showgrid=False)
    return figure.update_yaxes(title_text="entropy", range=[0, 1.08 * highest or 1], nticks=4)


def spread_figure(rows: Sequence[Spread], price: str, seed: int) -> go.Figure:
    """A row of dots a text, one dot a seed: α̂ on the left, the speed-up on the right. The run in hand has a ring."""
    figure = make_subplots(rows=1, cols=2, horizontal_spacing=0.07)
    named: set[bool] = set()
    for at, row in enumerate(rows):
        panels = ((row.alphas, "α̂ = %{x:.2f}"), (row.gains(price), "%{x:.2f}×"))
        for column, (values, told) in enumerate(panels, 1):
            legend = row.free not in named
            named.add(row.free)
            figure.add_traces(_dots(row, at, values, told, seed, legend), rows=1, cols=column)
    height = 140 + ROW * len(rows)
    styled(figure, height)
    figure.update_layout(
        margin={"l": 10, "r": 20, "t": 40, "b": 10},
        annotations=[
            {
                "x": 0, "xref": "paper", "xanchor": "left", "y": at - 0.3, "yref": "y", "text": visible(row.name, 44),
                "showarrow": False, "font": {"size": FONT_SIZE},
            }
            for at, row in enumerate(rows)
        ],
        shapes=[{"type": "line", "xref": "x2", "yref": "paper", "x0": 1, "x1": 1, "y0": 0, "y1": 1, "line": EVEN_LINE}],
    )  # fmt: skip
    both = {"range": [len(rows) - 0.6, -0.6], "showticklabels": False, "showgrid": False, "zeroline": False}
    figure.update_yaxes(**both)
    figure.update_xaxes(title_text="acceptance rate α̂", range=[0, 1.02], dtick=0.25, col=1)
    gains = [gain for row in rows for gain in row.gains(price)]
    ends = [min([0.75, *gains]) - 0.1, max([1.4, *gains]) + 0.1]
    return figure.update_xaxes(title_text="speed-up", range=ends, ticksuffix="×", nticks=6, col=2)


def _dots(row: Spread, at: int, values: Sequence[float], told: str, seed: int, legend: bool) -> list[go.Scatter]:
    """A row's dots, and a stroke at their mean."""
    colour, symbol, word = LOOK_OF[row.free]
    seeds = [both.speculative.seed for both in row.pairs]
    dots = go.Scatter(
        x=values,
        y=[at + 0.16] * len(values),
        name=f"{word} text",
        legendgroup=word,
        showlegend=legend,
        mode="markers",
        marker={
            "color": colour, "symbol": symbol, "opacity": 0.8,
            "size": [19 if s == seed else 12 for s in seeds],
            "line": {"color": MUTED.mark, "width": [4 if s == seed else 0 for s in seeds]},
        },
        customdata=seeds,
        hovertemplate=f"seed %{{customdata}}: {told}<extra>{visible(row.prompt.label)}</extra>",
    )  # fmt: skip
    mean = go.Scatter(
        x=[fmean(values)] if values else [],
        y=[at + 0.16] * bool(values),
        name="mean",
        showlegend=False,
        mode="markers",
        marker={"symbol": "line-ns", "size": 26, "line": {"width": 4, "color": colour}},
        hovertemplate=f"mean: {told}<extra></extra>",
    )
    return [dots, mean]
