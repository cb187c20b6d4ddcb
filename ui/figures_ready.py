"""Chapter 15's figures: waits against answer length, a round's time, and what fits into the memory."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from core.measure.readiness_memory import Row
from core.measure.readiness_times import Lines, Split
from ui.figures import FONT_SIZE, styled
from ui.palette import LOOKS, MUTED, PARTS

GIGA = 1e9
HATCH = {"fillmode": "overlay", "fgcolor": "rgba(255, 255, 255, 0.65)", "size": 9}
Dots = Sequence[tuple[int, float, str]]
"""Measured answers: tokens, seconds, what they answer."""


def waits(
    both: Lines, longest: int, alone: Dots, drafted: Dots, usual: int | None = None, *, height: int = 440
) -> go.Figure:
    """Whole answers' time over their length, up to `longest` tokens, both ways; the break-even marked if it is there.

    `usual` is a length to mark as the reader's own.
    """
    looks = (
        ("target alone", both.standard, alone, MUTED.mark, "dash", "square"),
        ("draft and verify", both.drafted, drafted, LOOKS["kept"].tone.mark, "solid", "circle"),
    )
    figure = go.Figure()
    for name, line, dots, colour, dash, symbol in looks:
        ends = [1, longest]
        figure.add_trace(
            go.Scatter(
                x=ends, y=[line.total(n) for n in ends], name=name, mode="lines",
                line={"color": colour, "width": 4, "dash": dash}, hoverinfo="skip",
            )
        )  # fmt: skip
        figure.add_trace(
            go.Scatter(
                x=[n for n, _, _ in dots], y=[s for _, s, _ in dots], name=f"measured, {name}", mode="markers",
                marker={"color": colour, "size": 11, "symbol": f"{symbol}-open", "line": {"width": 3}},
                customdata=[label for _, _, label in dots],
                hovertemplate="%{customdata}: %{x} tokens, %{y:.2f} s<extra></extra>",
            )
        )  # fmt: skip
    styled(figure, height)
    even = both.break_even
    if even is not None and even <= longest:
        _mark(figure, even, f"break-even: {even} tokens" if even > 1 else "quicker from the first token on", 0)
    if usual is not None and usual <= longest:
        _mark(figure, usual, f"yours: {usual}", 1)
    figure.update_xaxes(range=[0, longest * 1.03], title_text="tokens in the answer")
    figure.update_yaxes(rangemode="tozero", title_text="seconds, prompt included")
    return figure


def _mark(figure: go.Figure, x: int, text: str, place: int) -> None:
    """A vertical line with its words where rising lines leave room: above on the left half, below on the right."""
    figure.add_vline(x=x, line={"color": MUTED.mark, "width": 2, "dash": "dot"})
    right = x > figure.data[0].x[1] / 2
    figure.add_annotation(
        x=x, y=0.02 + 0.12 * place if right else 0.98 - 0.12 * place,
        yref="paper", yanchor="bottom" if right else "top", text=text, showarrow=False, font={"size": FONT_SIZE},
        xanchor="right" if right else "left", xshift=-8 if right else 8,
    )  # fmt: skip


def round_bars(found: Split, *, height: int = 270) -> go.Figure:
    """What a round gains, written one token at a time, above what the round takes, part by part; in milliseconds."""
    one_by_one = f"{found.tau:.2f} tokens,<br>one by one"
    rows = [one_by_one, "one round"]
    parts = (
        ("target passes", [found.tau * found.standard, 0.0], PARTS["p"].mark, ""),
        ("draft steps", [0.0, found.draft], PARTS["q"].mark, ""),
        ("verification pass", [0.0, found.verify], PARTS["p"].mark, "/"),
        ("overhead", [0.0, found.overhead], MUTED.mark, "x"),
    )
    figure = go.Figure()
    for name, seconds, colour, shape in parts:
        figure.add_trace(
            go.Bar(
                y=rows, x=[1000 * s for s in seconds], name=name, orientation="h",
                marker={"color": colour, "pattern": {"shape": shape, **HATCH}},
                hovertemplate=name + ": %{x:.1f} ms<extra></extra>",
            )
        )  # fmt: skip
    totals = [1000 * found.tau * found.standard, 1000 * found.round]
    figure.add_trace(_totals(rows, totals, [f"  {t:.0f} ms" for t in totals]))
    styled(figure, height)
    figure.update_layout(**_STACKED)
    figure.update_xaxes(range=[0, max(totals) * 1.25], title_text="milliseconds")
    return figure


def memory_plans(rows: Sequence[Row], there: int, *, height: int = 340) -> go.Figure:
    """Gigabytes of each plan, part by part, the first on top, and a line where the memory ends."""
    p, q = PARTS["p"].mark, PARTS["q"].mark
    parts = (
        ("target's weights", "target_weights", p, ""),
        ("target's KV cache", "target_cache", p, "/"),
        ("draft's weights", "draft_weights", q, ""),
        ("draft's KV cache", "draft_cache", q, "/"),
    )
    names = [row.name.replace(" alone, ", " alone,<br>") for row in rows]
    figure = go.Figure()
    for label, field, colour, shape in parts:
        figure.add_trace(
            go.Bar(
                y=names, x=[getattr(row.plan, field) / GIGA for row in rows], name=label, orientation="h",
                marker={"color": colour, "pattern": {"shape": shape, **HATCH}},
                hovertemplate=label + ": %{x:.3f} GB<extra></extra>",
            )
        )  # fmt: skip
    totals = [row.plan.total / GIGA for row in rows]
    figure.add_trace(_totals(names, totals, [f"  {gigabytes(row.plan.total)}" for row in rows]))
    styled(figure, height)
    figure.update_layout(**_STACKED)
    end, most = there / GIGA, max(totals)
    # A memory many times as large would press all bars into a corner: then the line is left to the words.
    shown = end <= 4 * most
    if shown:
        line = {"color": LOOKS["correction"].tone.mark, "width": 3, "dash": "dot"}
        figure.add_vline(x=end, line=line)
        # Its name stands in the legend: beside the line it would run into the bars' figures.
        figure.add_trace(go.Scatter(x=[None], y=[None], mode="lines", line=line, name="memory there is"))
    figure.update_xaxes(range=[0, max(most * 1.3, end * 1.1 if shown else 0)], title_text="GB")
    return figure


_STACKED = {
    "barmode": "stack",
    "bargap": 0.35,
    "margin": {"l": 0, "r": 10, "t": 60, "b": 10},
    "legend": {"traceorder": "normal"},
    "yaxis": {"autorange": "reversed", "showgrid": False},
}


def gigabytes(number: int) -> str:
    """An amount of memory in GB: `0.31 GB`, `14.2 GB`."""
    amount = number / GIGA
    return f"{amount:.2f} GB" if amount < 10 else f"{amount:.1f} GB"


def _totals(rows: Sequence[str], totals: Sequence[float], words: Sequence[str]) -> go.Scatter:
    return go.Scatter(
        x=list(totals), y=list(rows), mode="text", text=list(words), textposition="middle right",
        textfont={"size": FONT_SIZE}, showlegend=False, hoverinfo="skip", cliponaxis=False,
    )  # fmt: skip
