"""Chapter 15's figures: waits against answer length, and a round's time."""

from __future__ import annotations

from collections.abc import Sequence

from core.measure.readiness_times import Lines, Split
from ui.figures import Plain, Trace, note, plain, stacked_bars, titled, trace, upright
from ui.palette import LOOKS, MUTED, PARTS

Dots = Sequence[tuple[int, float, str]]
"""Measured answers: tokens, seconds, what they answer."""


def waits(
    both: Lines, longest: int, alone: Dots, drafted: Dots, usual: int | None = None, *, height: int = 440
) -> Plain:
    """Whole answers' time over their length, up to `longest` tokens, both ways; the break-even marked if it is there.

    `usual` is a length to mark as the reader's own.
    """
    looks = (
        ("target alone", both.standard, alone, MUTED.mark, "dash", "square"),
        ("draft and verify", both.drafted, drafted, LOOKS["kept"].tone.mark, "solid", "circle"),
    )
    ends = [1, longest]
    traces: list[Trace] = []
    for name, line, dots, colour, dash, symbol in looks:
        traces += [
            trace(
                "scatter", x=ends, y=[line.total(n) for n in ends], name=name, mode="lines",
                line={"color": colour, "width": 4, "dash": dash}, hoverinfo="skip",
            ),
            trace(
                "scatter", x=[n for n, _, _ in dots], y=[s for _, s, _ in dots], name=f"measured, {name}",
                mode="markers", marker={"color": colour, "size": 11, "symbol": f"{symbol}-open", "line": {"width": 3}},
                customdata=[label for _, _, label in dots],
                hovertemplate="%{customdata}: %{x} tokens, %{y:.2f} s<extra></extra>",
            ),
        ]  # fmt: skip
    marks = []
    even = both.break_even
    if even is not None and even <= longest:
        marks.append((even, f"break-even: {even} tokens" if even > 1 else "quicker from the first token on", 0))
    if usual is not None and usual <= longest:
        marks.append((usual, f"yours: {usual}", 1))
    layout = {
        "shapes": [upright(x, {"color": MUTED.mark, "width": 2, "dash": "dot"}) for x, _, _ in marks],
        "annotations": [_beside(x, text, place, right=x > longest / 2) for x, text, place in marks],
        "xaxis": titled("tokens in the answer", range=[0, longest * 1.03]),
        "yaxis": titled("seconds, prompt included", rangemode="tozero"),
    }
    return plain(traces, layout, height)


def _beside(x: int, text: str, place: int, right: bool) -> dict[str, object]:
    """A line's words where rising lines leave room: above on the left half, below on the right."""
    if right:
        return note(x, 0.02 + 0.12 * place, text, yref="paper", yanchor="bottom", xanchor="right", xshift=-8)
    return note(x, 0.98 - 0.12 * place, text, yref="paper", yanchor="top", xshift=8)


def round_bars(found: Split, *, height: int = 270) -> Plain:
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
    axis = titled("milliseconds", range=[0, max(totals) * 1.25])
    return stacked_bars(rows, in_ms, [(t, f"{t:.0f} ms") for t in totals], "%{x:.1f} ms", axis, height)
