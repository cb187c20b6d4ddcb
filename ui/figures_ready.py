"""Chapter 15's figures: waits against answer length, and a round's time."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from core.measure.readiness_times import Lines, Split
from ui.figures import FONT_SIZE, stacked_bars, styled
from ui.palette import LOOKS, MUTED, PARTS

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
    in_ms = [(name, [1000 * s for s in seconds], colour, shape) for name, seconds, colour, shape in parts]
    totals = [1000 * found.tau * found.standard, 1000 * found.round]
    figure = stacked_bars(rows, in_ms, [(t, f"{t:.0f} ms") for t in totals], "%{x:.1f} ms", height)
    figure.update_xaxes(range=[0, max(totals) * 1.25], title_text="milliseconds")
    return figure
