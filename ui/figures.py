"""Plotly figures, as functions of plain data.

Backgrounds are transparent and text takes the page's colour, so one figure serves both themes;
bars and lines use the palette's `mark` colours, which show on either.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log10

import plotly.graph_objects as go
import streamlit as st
from plotly.subplots import make_subplots

from ui.palette import MUTED, PARTS

FONT_SIZE = 17
GRID = "rgba(127, 123, 115, 0.28)"
Candidates = Sequence[tuple[str, float]]


def show(figure: go.Figure, key: str) -> None:
    """Put a figure on the page: full width, without the toolbar that covers it."""
    st.plotly_chart(figure, key=key, theme="streamlit", config={"displayModeBar": False, "responsive": True})


def styled(figure: go.Figure, height: int) -> go.Figure:
    """The layout that all figures share."""
    figure.update_layout(
        height=height,
        margin={"l": 10, "r": 20, "t": 40, "b": 10},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"size": FONT_SIZE},
        hoverlabel={"font": {"size": FONT_SIZE}},
        legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "font": {"size": FONT_SIZE}},
        bargap=0.28,
        bargroupgap=0.08,
    )
    axis = {"tickfont": {"size": FONT_SIZE}, "title": {"font": {"size": FONT_SIZE}}, "zeroline": False}
    figure.update_xaxes(gridcolor=GRID, automargin=True, **axis)
    figure.update_yaxes(gridcolor=GRID, automargin=True, **axis)
    return figure


def visible(text: str) -> str:
    """A token's text as a label: blanks made visible, nothing taken for markup."""
    shown = text.strip() or text.replace("\n", "↵").replace("\t", "→").replace(" ", "␣") or "(empty)"
    shown = shown.replace("\n", "↵")
    return shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def top_five(
    candidates_p: Candidates,
    candidates_q: Candidates,
    *,
    names: tuple[str, str] = ("target p", "draft q"),
    height: int = 330,
) -> go.Figure:
    """Both models' first five side by side, as (text, probability), each in its own order."""
    figure = make_subplots(rows=1, cols=2, subplot_titles=names, horizontal_spacing=0.16)
    firsts = (candidates_p[:5], candidates_q[:5])
    for column, (candidates, tone) in enumerate(zip(firsts, (PARTS["p"], PARTS["q"]), strict=True), start=1):
        figure.add_trace(_bars(candidates, tone.mark), row=1, col=column)
        labels = [visible(text) for text, _ in candidates]
        figure.update_yaxes(
            tickmode="array", tickvals=list(range(len(labels))), ticktext=labels, autorange="reversed", col=column
        )
    styled(figure, height)
    figure.update_layout(showlegend=False)
    figure.update_annotations(font={"size": FONT_SIZE + 2})
    figure.update_xaxes(visible=False, range=[0, 1.18])
    figure.update_yaxes(showgrid=False)
    return figure


def _bars(candidates: Candidates, colour: str) -> go.Bar:
    shares = [share for _, share in candidates]
    return go.Bar(
        x=shares,
        y=list(range(len(shares))),
        orientation="h",
        marker={"color": colour, "cornerradius": 4},
        text=[_percent(share) for share in shares],
        textposition="outside",
        textfont={"size": FONT_SIZE},
        cliponaxis=False,
        hoverinfo="skip",
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
) -> go.Figure:
    """Time of one pass over n positions beside n passes of one; both axes logarithmic, so that flat looks flat.

    `knee` is the number of positions up to which a pass costs about the same.
    """
    figure = go.Figure()
    series = (
        (f"{noun} one after another", seconds_n_passes, MUTED.mark, "dash", "square"),
        (f"all {noun} in one pass", seconds_one_pass, PARTS["p"].mark, "solid", "circle"),
    )
    for name, seconds, colour, dash, symbol in series:
        figure.add_trace(
            go.Scatter(
                x=list(n),
                y=[1000 * s for s in seconds],
                name=name,
                mode="lines+markers",
                line={"color": colour, "width": 4, "dash": dash},
                marker={"size": 11, "symbol": symbol},
                hovertemplate="%{x} " + noun + ": %{y:.0f} ms<extra></extra>",
            )
        )
    styled(figure, height)
    figure.update_xaxes(type="log", tickvals=list(n), ticktext=[str(i) for i in n], title_text=f"{noun} read")
    figure.update_yaxes(type="log", dtick="D2", ticksuffix=" ms", title_text=None)
    if knee is not None:
        _mark_knee(figure, knee, noun)
    return figure


def _mark_knee(figure: go.Figure, knee: int, noun: str) -> None:
    figure.add_vline(x=knee, line={"color": MUTED.mark, "width": 2, "dash": "dot"})
    figure.add_annotation(
        x=log10(knee),
        y=0.04,
        yref="paper",
        text=f"about flat up to {knee} {noun}",
        showarrow=False,
        xanchor="right",
        xshift=-8,
        font={"size": FONT_SIZE},
    )

