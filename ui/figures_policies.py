"""Chapter 13's picture of γ over the rounds of a run, one row for each way to choose it."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ui.figures import FONT_SIZE, hatched, styled
from ui.palette import LOOKS, MUTED, SKY
from ui.policies import Replay, behaviour
from ui.words import times

ROW = 156
"""Pixels of a row."""


def gamma_over_rounds(replays: Sequence[Replay]) -> go.Figure:
    """Each round's guesses as a bar: kept below, in vain above; a ring at 0 where nothing was drafted."""
    figure = make_subplots(rows=len(replays), cols=1, shared_xaxes=True, vertical_spacing=0.52 / len(replays))
    longest = max([1, *(length for told in replays for length in told.lengths)])
    for i, told in enumerate(replays):
        figure.add_traces(_bars(told, legend=i == 0), rows=i + 1, cols=1)
    height = 100 + ROW * len(replays)
    styled(figure, height)
    axes = ["" if i == 0 else str(i + 1) for i in range(len(replays))]
    figure.update_layout(
        barmode="stack",
        bargap=0.12,
        margin={"l": 10, "r": 10, "t": 96, "b": 10},
        annotations=[
            {
                "xref": "paper", "x": 0, "xanchor": "left", "yref": f"y{axis} domain", "y": 1.0, "yanchor": "bottom",
                "text": f"<b>{told.contender.name}: {times(told.both.speed_up)}</b><br>{behaviour(told)}",
                "showarrow": False, "font": {"size": FONT_SIZE}, "yshift": 3, "align": "left",
            }
            for axis, told in zip(axes, replays, strict=True)
        ],
        legend={"y": 1.0, "yref": "container", "yanchor": "top"},
    )  # fmt: skip
    most = max([1, *(len(told.lengths) for told in replays)])
    figure.update_xaxes(range=[0.3, most + 0.7], showgrid=False)
    figure.update_xaxes(title_text="round", row=len(replays), col=1)
    return figure.update_yaxes(range=[-0.5, longest + 0.4], tickvals=[0, longest // 2 or 1, longest])


def _bars(told: Replay, legend: bool) -> list[go.Bar | go.Scatter]:
    kept = [r.accepted for r in told.rounds]
    vain = [len(r.positions) - r.accepted for r in told.rounds]
    numbers = list(range(1, len(kept) + 1))
    looks = (
        ("guesses kept", kept, LOOKS["kept"].tone.mark, ""),
        ("guesses in vain", vain, MUTED.mark, "/"),
    )
    bars = [
        go.Bar(
            x=numbers, y=heights, name=name, legendgroup=name, showlegend=legend,
            marker=hatched(colour, shape),
            hovertemplate="round %{x}: %{y} " + name + "<extra></extra>",
        )
        for name, heights, colour, shape in looks
    ]  # fmt: skip
    idle: list[float] = [n for n, r in zip(numbers, told.rounds, strict=True) if not r.positions]
    # A figure without a ring has the ring's name all the same, from a point that is nowhere.
    off = go.Scatter(
        x=idle or [float("nan")], y=[0] * max(1, len(idle)), name="no draft", legendgroup="off", showlegend=legend,
        mode="markers", marker={"symbol": "circle-open", "size": 11, "color": SKY.mark, "line": {"width": 3}},
        hovertemplate="round %{x}: nothing drafted<extra></extra>",
    )  # fmt: skip
    return [*bars, off]
