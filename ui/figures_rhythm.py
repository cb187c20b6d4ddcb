"""Chapter 11's figures: how long readers wait between tokens, and what a pair takes in memory."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from core.theory.memory import MemoryPlan
from ui.figures import FONT_SIZE, styled
from ui.palette import LOOKS, MUTED, PARTS
from ui.rhythm import Rhythm, bins, counts
from ui.words import count

MILLION = 1e6


def gap_bars(rows: Sequence[tuple[str, Rhythm]], unit: str, *, height: int = 480) -> go.Figure:
    """How many gaps are how long: one row of bars a lane, on one axis, with the median and the 95th percentile marked.

    `unit` names the axis. Every lane has at least one gap.
    """
    figure = make_subplots(rows=len(rows), cols=1, shared_xaxes=True, vertical_spacing=0.14)
    edges = bins(*(told.gaps for _, told in rows))
    width = edges[1] - edges[0]
    tones = (MUTED.mark, LOOKS["kept"].tone.mark)
    patterns = ("", "/")
    heights = [counts(told.gaps, edges) for _, told in rows]
    for row, ((title, told), number, tone, pattern) in enumerate(zip(rows, heights, tones, patterns, strict=False), 1):
        bars = go.Bar(
            x=[edge + width / 2 for edge in edges[:-1]],
            y=number,
            width=width * 0.92,
            name=title,
            marker=_filled(tone, pattern),
            text=[str(n) if n else "" for n in number],
            textposition="outside",
            textfont={"size": FONT_SIZE},
            cliponaxis=False,
            hoverinfo="skip",
        )
        figure.add_trace(bars, row=row, col=1)
        _title(figure, row, title, sum(number))
        for text, value, at in zip(("median", "p95"), (told.median, told.p95), (0.98, 0.76), strict=True):
            _mark(figure, row, value, edges[-1], f"{text} {_short(value)}", at)
    styled(figure, height)
    figure.update_layout(showlegend=False, margin={"l": 0, "r": 10, "t": 36, "b": 10})
    figure.update_xaxes(range=[-width * 0.6, edges[-1] + width * 0.6])
    figure.update_xaxes(title_text=unit, row=len(rows), col=1)
    tallest = max(n for number in heights for n in number)
    figure.update_yaxes(range=[0, tallest * 1.18], visible=False)
    return figure


def _filled(tone: str, pattern: str) -> dict[str, object]:
    """A bar's colour, hatched where there is a pattern."""
    hatch = {"shape": pattern, "fillmode": "overlay", "fgcolor": "rgba(255, 255, 255, 0.65)", "size": 9}
    return {"color": tone, "pattern": hatch}


def _short(value: float) -> str:
    return f"{value:.3g}"


def _title(figure: go.Figure, row: int, title: str, gaps: int) -> None:
    figure.add_annotation(
        x=0, y=1, xref="x domain", yref="y domain", row=row, col=1, text=f"<b>{title}</b>: {count(gaps, 'gap')}",
        showarrow=False,
        xanchor="left", yanchor="bottom", yshift=6, font={"size": FONT_SIZE},
    )  # fmt: skip


def _mark(figure: go.Figure, row: int, value: float, end: float, text: str, at: float) -> None:
    """A line at a value, with its words on the side where there is room."""
    line = {"color": LOOKS["correction"].tone.mark, "width": 2, "dash": "dot"}
    figure.add_vline(x=value, row=row, col=1, line=line, layer="below")
    leftward = value > 0.6 * end
    figure.add_annotation(
        x=value, y=at, yref="y domain", row=row, col=1, text=text, showarrow=False, yanchor="top",
        xanchor="right" if leftward else "left", xshift=-8 if leftward else 8, font={"size": FONT_SIZE},
    )  # fmt: skip


def memory_bars(plans: Sequence[tuple[str, MemoryPlan]], *, height: int = 300) -> go.Figure:
    """Megabytes of each part, a bar for each plan, the first on top."""
    p, q = PARTS["p"].mark, PARTS["q"].mark
    parts = (
        ("target's weights", "target_weights", p, ""),
        ("target's KV cache", "target_cache", p, "/"),
        ("draft's weights", "draft_weights", q, ""),
        ("draft's KV cache", "draft_cache", q, "/"),
    )
    figure = go.Figure()
    for name, field, tone, pattern in parts:
        figure.add_trace(
            go.Bar(
                y=[label for label, _ in plans],
                x=[getattr(plan, field) / MILLION for _, plan in plans],
                name=name,
                orientation="h",
                marker=_filled(tone, pattern),
                hovertemplate=name + ": %{x:,.1f} MB<extra></extra>",
            )
        )
    styled(figure, height)
    totals = [plan.total / MILLION for _, plan in plans]
    figure.add_trace(
        go.Scatter(
            x=totals, y=[label for label, _ in plans], mode="text", text=[f"  {total:,.0f} MB" for total in totals],
            textposition="middle right", textfont={"size": FONT_SIZE}, showlegend=False, hoverinfo="skip",
            cliponaxis=False,
        )
    )  # fmt: skip
    figure.update_layout(barmode="stack", bargap=0.4, margin={"l": 0, "r": 10, "t": 60, "b": 10})
    figure.update_layout(legend_traceorder="normal")
    figure.update_xaxes(range=[0, max(totals) * 1.35], title_text="MB")
    figure.update_yaxes(autorange="reversed", showgrid=False)
    return figure
