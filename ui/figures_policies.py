"""Chapter 13's picture of γ over the rounds of a run, one row for each way to choose it."""

from __future__ import annotations

from collections.abc import Sequence

from ui.figures import Plain, Trace, hatched, note, plain, titled, trace
from ui.palette import LOOKS, MUTED, SKY
from ui.policies import Replay, behaviour
from ui.words import times

ROW = 156
"""Pixels of a row."""


def gamma_over_rounds(replays: Sequence[Replay]) -> Plain:
    """Each round's guesses as a bar: kept below, in vain above; a ring at 0 where nothing was drafted."""
    axes = ["" if i == 0 else str(i + 1) for i in range(len(replays))]
    layout = {
        "barmode": "stack",
        "bargap": 0.12,
        "margin": {"l": 10, "r": 10, "t": 96, "b": 10},
        "annotations": [_named(told, axis) for told, axis in zip(replays, axes, strict=True)],
        "legend": {"y": 1.0, "yref": "container", "yanchor": "top"},
        **_axes(replays, axes),
    }
    bars = [bar for told, axis in zip(replays, axes, strict=True) for bar in _bars(told, axis)]
    return plain(bars, layout, 100 + ROW * len(replays))


def _axes(replays: Sequence[Replay], axes: Sequence[str]) -> dict[str, object]:
    """A row for each replay, the first on top, all over the rounds of the lowest."""
    longest = max([1, *(length for told in replays for length in told.lengths)])
    most = max([1, *(len(told.lengths) for told in replays)])
    gap = 0.52 / len(replays)
    tall = (1 - gap * (len(replays) - 1)) / len(replays)
    layout: dict[str, object] = {}
    for below, axis in enumerate(reversed(axes)):
        foot = below * (tall + gap)
        lowest = titled("round") if below == 0 else {"matches": f"x{axes[-1]}", "showticklabels": False}
        layout[f"xaxis{axis}"] = {"anchor": f"y{axis}", "range": [0.3, most + 0.7], "showgrid": False, **lowest}
        layout[f"yaxis{axis}"] = {
            "anchor": f"x{axis}", "domain": [foot, foot + tall], "range": [-0.5, longest + 0.4],
            "tickvals": [0, longest // 2 or 1, longest],
        }  # fmt: skip
    return layout


def _named(told: Replay, axis: str) -> dict[str, object]:
    words = f"<b>{told.contender.name}: {times(told.both.speed_up)}</b><br>{behaviour(told)}"
    return note(0, 1.0, words, xref="paper", yref=f"y{axis} domain", yanchor="bottom", yshift=3, align="left")


def _bars(told: Replay, axis: str) -> list[Trace]:
    """A replay's row; the uppermost one's names stand in the legend for all."""
    kept = [r.accepted for r in told.rounds]
    vain = [len(r.positions) - r.accepted for r in told.rounds]
    numbers = list(range(1, len(kept) + 1))
    on = {"xaxis": f"x{axis}", "yaxis": f"y{axis}", "showlegend": not axis}
    looks = (
        ("guesses kept", kept, LOOKS["kept"].tone.mark, ""),
        ("guesses in vain", vain, MUTED.mark, "/"),
    )
    bars = [
        trace(
            "bar", x=numbers, y=heights, name=name, legendgroup=name, marker=hatched(colour, shape),
            hovertemplate="round %{x}: %{y} " + name + "<extra></extra>", **on,
        )
        for name, heights, colour, shape in looks
    ]  # fmt: skip
    idle = [n for n, r in zip(numbers, told.rounds, strict=True) if not r.positions]
    # A figure without a ring has the ring's name all the same, from a point that is nowhere.
    off = trace(
        "scatter", x=idle or [None], y=[0] * max(1, len(idle)), name="no draft", legendgroup="off", mode="markers",
        marker={"symbol": "circle-open", "size": 11, "color": SKY.mark, "line": {"width": 3}},
        hovertemplate="round %{x}: nothing drafted<extra></extra>", **on,
    )  # fmt: skip
    return [*bars, off]
