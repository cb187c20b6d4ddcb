"""Plotly figures, made of plain data from plain data.

Backgrounds are transparent and text takes the page's colour, so one figure serves both themes;
bars and lines use the palette's `mark` colours, which show on either. Sizes are for text of `FONT_SIZE`
pixels; the browser makes them grow with the page's text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import log10
from typing import Any, TypeAlias

import streamlit as st

from ui.components.chart import Clicked, Picture, chart
from ui.palette import MUTED, PARTS

FONT_SIZE = 17
GRID = "rgba(127, 123, 115, 0.28)"
Candidates = Sequence[tuple[str, float]]


# Streamlit's template greys axis labels below a readable contrast, and a figure can't name the theme's text colour.
TEXT_COLOUR = "<style>[data-testid=stPlotlyChart] g:not(.hoverlayer *) > text {fill: currentColor !important}</style>"


def show(
    figure: Picture, key: str, *, alt: str | None = None, on_click: Callable[[Clicked], None] | None = None
) -> None:
    """Put a figure on the page: full width, readable in both themes, changing in place when it is shown anew.

    Args:
        key: names the place on the page; zoom and the like stay with it.
        alt: what a screen reader says; the figure's title or the names of its traces where None.
        on_click: called with each point that is clicked, before the page runs again.
    """
    if chart(figure, key, alt, on_click, with_style):
        return
    # Where the app's static folder can't be written, Streamlit's own chart: the same picture, built anew each time.
    import plotly.graph_objects as go  # Only here: nothing else needs Plotly's own objects.

    st.html(TEXT_COLOUR)
    st.plotly_chart(
        go.Figure(figure["data"], with_style(figure["layout"])),
        key=f"{key}-plain",
        theme="streamlit",
        config={"displayModeBar": False, "responsive": True},
    )


_AXIS = {
    "gridcolor": GRID,
    "automargin": True,
    "tickfont": {"size": FONT_SIZE},
    "title": {"font": {"size": FONT_SIZE}},
    "zeroline": False,
}
STYLE: dict[str, Any] = {
    "margin": {"l": 10, "r": 20, "t": 40, "b": 10},
    "paper_bgcolor": "rgba(0,0,0,0)",
    "plot_bgcolor": "rgba(0,0,0,0)",
    "font": {"size": FONT_SIZE},
    "hoverlabel": {"font": {"size": FONT_SIZE}},
    "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "font": {"size": FONT_SIZE}},
    "bargap": 0.28,
    "bargroupgap": 0.08,
}
"""The layout that all figures share; what a figure says of its own counts more."""


Trace: TypeAlias = dict[str, Any]
Plain: TypeAlias = dict[str, Any]
"""A figure as plain data. Plotly's own objects take a hundred times as long to build; the tests put it into one."""


def trace(kind: str, **options: object) -> Trace:
    """A trace as plain data."""
    return {"type": kind, **options}


def plain(traces: Sequence[Trace], layout: Mapping[str, object], height: int) -> Plain:
    """A figure of this height, in pixels; the layout that all figures share comes with it when it is shown."""
    return {"data": list(traces), "layout": {**layout, "height": height}}


def titled(text: str, **options: object) -> dict[str, object]:
    """An axis with a title."""
    return {"title": {"text": text}, **options}


ROWS = {"autorange": "reversed", "showgrid": False}
"""The axis of lying bars, the first on top."""


def hatched(colour: str | list[str], shape: str | list[str]) -> dict[str, object]:
    """The marker of bars that a pattern tells apart as well as their colour; no pattern where `shape` is empty."""
    over = {"shape": shape, "fillmode": "overlay", "fgcolor": "rgba(255, 255, 255, 0.7)", "size": 8}
    return {"color": colour, "pattern": over}


def note(x: float, y: float, text: str, **more: object) -> dict[str, object]:
    """Words at a place of a figure, to the right of it where `more` does not say otherwise."""
    return {"x": x, "y": y, "text": text, "xanchor": "left", "showarrow": False, "font": {"size": FONT_SIZE}, **more}


def upright(x: float, line: Mapping[str, object], **more: object) -> dict[str, object]:
    """A line from the foot of a figure to its top."""
    ends = {"xref": "x", "x0": x, "x1": x, "yref": "y domain", "y0": 0, "y1": 1}
    return {"type": "line", **ends, "line": line, **more}


def level(y: float, line: Mapping[str, object], **more: object) -> dict[str, object]:
    """A line from a figure's left edge to its right one."""
    ends = {"xref": "x domain", "x0": 0, "x1": 1, "yref": "y", "y0": y, "y1": y}
    return {"type": "line", **ends, "line": line, **more}


def labels(x: Sequence[float], y: Sequence[float | str], texts: Sequence[str], **more: object) -> Trace:
    """Words to the right of these places, without a mark; they may leave the axes' field."""
    return trace(
        "scatter", x=list(x), y=list(y), text=list(texts), mode="text", textposition="middle right",
        textfont={"size": FONT_SIZE}, hoverinfo="skip", showlegend=False, cliponaxis=False, **more,
    )  # fmt: skip


Part = tuple[str, Sequence[float], str, str]
"""A part of stacked bars: its name, its size in each bar, its colour and its pattern."""


def stacked_bars(
    names: Sequence[str],
    parts: Sequence[Part],
    totals: Sequence[tuple[float, str]],
    said: str,
    xaxis: Mapping[str, object],
    height: int,
) -> Plain:
    """Lying bars, the first on top, their parts one behind the other.

    Args:
        totals: where each bar ends, and the words there.
        said: tells a part's size on hovering, in Plotly's own form.
    """
    bars = [
        trace(
            "bar",
            y=list(names),
            x=list(sizes),
            name=name,
            orientation="h",
            marker=hatched(colour, pattern),
            hovertemplate=f"{name}: {said}<extra></extra>",
        )
        for name, sizes, colour, pattern in parts
    ]
    ends = labels([end for end, _ in totals], names, [f"  {words}" for _, words in totals])
    layout = {
        "barmode": "stack",
        "bargap": 0.37,
        "margin": {"l": 0, "r": 10, "t": 60, "b": 10},
        "legend": {"traceorder": "normal"},
        "xaxis": xaxis,
        "yaxis": ROWS,
    }
    return plain([*bars, ends], layout, height)


def with_style(layout: Mapping[str, Any]) -> dict[str, Any]:
    """A figure's layout over the one that all share.

    Merged as plain data: Plotly's own way of setting as much takes longer than all else that a figure needs.
    """
    axes = {name for name in layout if name.startswith(("xaxis", "yaxis"))} | {"xaxis", "yaxis"}
    return _over(STYLE | dict.fromkeys(axes, _AXIS), layout)


def _over(base: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for name, value in own.items():
        below = merged.get(name)
        both = isinstance(below, Mapping) and isinstance(value, Mapping)
        merged[name] = _over(below, value) if both else value  # type: ignore[arg-type]
    return merged


def visible(text: str, longest: int = 80) -> str:
    """A token's text as a label: blanks made visible, too long ones cut, nothing taken for markup."""
    shown = text.strip() or text.replace("\t", "→").replace(" ", "␣") or "(empty)"
    shown = shown.replace("\n", "↵")
    shown = shown if len(shown) <= longest else shown[: longest - 1] + "…"
    return shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def top_five(
    candidates_p: Candidates,
    candidates_q: Candidates,
    *,
    names: tuple[str, str] = ("target p", "draft q"),
    height: int = 340,
) -> Plain:
    """Both models' first five side by side, as (text, probability), each in its own order, on one scale."""
    halves = (
        ("", names[0], candidates_p[:5], PARTS["p"], [0, 0.47]),
        ("2", names[1], candidates_q[:5], PARTS["q"], [0.53, 1]),
    )
    longest = max((share for _, _, candidates, _, _ in halves for _, share in candidates), default=1.0)
    traces: list[Trace] = []
    layout: dict[str, object] = {"showlegend": False, "margin": {"l": 0, "r": 0, "t": 10, "b": 0}}
    for half, name, candidates, tone, domain in halves:
        on = {"xaxis": f"x{half}", "yaxis": f"y{half}"}
        above = [-0.85, *(i - 0.3 for i in range(len(candidates)))]
        texts = [f"<b>{visible(name)}</b>", *(visible(text, 24) for text, _ in candidates)]
        traces += [_bars(candidates, tone.mark, **on), labels([0.0] * len(above), above, texts, **on)]
        still = {"visible": False, "fixedrange": True}
        layout[f"xaxis{half}"] = {**still, "anchor": f"y{half}", "domain": domain, "range": [0, 1.3 * longest]}
        layout[f"yaxis{half}"] = {**still, "anchor": f"x{half}", "range": [4.6, -1.2]}
    return plain(traces, layout, height)


def _bars(candidates: Candidates, colour: str, **axes: str) -> Trace:
    shares = [share for _, share in candidates]
    return trace(
        "bar",
        x=shares,
        y=[i + 0.16 for i in range(len(shares))],
        width=0.4,
        orientation="h",
        marker={"color": colour, "cornerradius": 4},
        text=[_percent(share) for share in shares],
        textposition="outside",
        textfont={"size": FONT_SIZE},
        cliponaxis=False,
        hoverinfo="skip",
        **axes,
    )


def _percent(share: float) -> str:
    return f"{share:.0%}" if share >= 0.01 or share == 0 else "under 1%"


def latency_curve(
    n: Sequence[int],
    seconds_one_pass: Sequence[float],
    seconds_n_passes: Sequence[float],
    knee: int | None = None,
    *,
    noun: str = "words",
    height: int = 440,
) -> Plain:
    """Time of one pass over n positions beside n passes of one; both axes logarithmic, so that flat looks flat.

    `knee` is the number of positions up to which a pass costs about the same.
    """
    series = (
        (f"{noun} one after another", seconds_n_passes, MUTED.mark, "dash", "square"),
        (f"all {noun} in one pass", seconds_one_pass, PARTS["p"].mark, "solid", "circle"),
    )
    curves = [
        trace(
            "scatter",
            x=list(n),
            y=[1000 * s for s in seconds],
            name=name,
            mode="lines+markers",
            line={"color": colour, "width": 4, "dash": dash},
            marker={"size": 11, "symbol": symbol},
            hovertemplate="%{x} " + noun + ": %{y:.0f} ms<extra></extra>",
        )
        for name, seconds, colour, dash, symbol in series
    ]
    ends = [log10(n[0]) - 0.08, log10(n[-1]) + 0.08]
    ticks = [m * 10**power for power in range(5) for m in (1, 2, 5)]
    layout = {
        "xaxis": titled(f"{noun} read", type="log", range=ends, tickvals=list(n), ticktext=[str(i) for i in n]),
        "yaxis": {"type": "log", "tickvals": ticks, "ticktext": [f"{t:,} ms" for t in ticks]},
        **({} if knee is None else _knee(knee, noun)),
    }
    return plain(curves, layout, height)


def _knee(knee: int, noun: str) -> dict[str, object]:
    # On the left half of the axis the words would run into its labels.
    side, shift = ("left", 8) if knee < 8 else ("right", -8)
    words = f"about flat up to {knee} {noun}"
    place = {"yref": "paper", "yanchor": "top", "xanchor": side, "xshift": shift}
    line = {"color": MUTED.mark, "width": 2, "dash": "dot"}
    return {"shapes": [upright(knee, line)], "annotations": [note(log10(knee), 0.98, words, **place)]}
