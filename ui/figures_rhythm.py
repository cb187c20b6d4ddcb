"""Chapter 11's figure of how long readers wait between tokens."""

from __future__ import annotations

from collections.abc import Sequence

from ui.figures import FONT_SIZE, Plain, Trace, hatched, note, plain, titled, trace, upright
from ui.palette import LOOKS, MUTED
from ui.rhythm import Rhythm, bins, counts
from ui.words import count

AXES = ("y", "y2")
"""The two rows of the picture of the gaps, the upper one first."""


def gap_bars(rows: Sequence[tuple[str, Rhythm]], unit: str, *, height: int = 480) -> Plain:
    """How many gaps are how long: a row of bars for each of two lanes, on one axis, with median and 95th percentile.

    `unit` names the axis. Every lane has at least one gap.
    """
    edges = bins(*(told.gaps for _, told in rows))
    width = edges[1] - edges[0]
    heights = [counts(told.gaps, edges) for _, told in rows]
    looks = ((MUTED.mark, ""), (LOOKS["kept"].tone.mark, "/"))
    bars = [
        _counted(number, edges, hatched(*look), axis) for number, look, axis in zip(heights, looks, AXES, strict=True)
    ]
    on = list(zip(rows, AXES, strict=True))
    scale = {"range": [0, max(n for number in heights for n in number) * 1.18], "visible": False}
    layout = {
        "annotations": [words for row, axis in on for words in _notes(*row, axis, 0.6 * edges[-1])],
        "shapes": [_line(value, axis) for (_, told), axis in on for value in (told.median, told.p95)],
        "showlegend": False,
        "margin": {"l": 0, "r": 10, "t": 36, "b": 10},
        "xaxis": titled(unit, range=[-width * 0.6, edges[-1] + width * 0.6], anchor="y2"),
        "yaxis": {"domain": [0.58, 1.0], **scale},
        "yaxis2": {"domain": [0.0, 0.42], **scale},
    }
    return plain(bars, layout, height)


def _counted(number: Sequence[int], edges: Sequence[float], marker: dict[str, object], axis: str) -> Trace:
    width = edges[1] - edges[0]
    return trace(
        "bar",
        x=[edge + width / 2 for edge in edges[:-1]],
        y=list(number),
        yaxis=axis,
        width=width * 0.92,
        marker=marker,
        text=[str(n) if n else "" for n in number],
        textposition="outside",
        textfont={"size": FONT_SIZE},
        cliponaxis=False,
        hoverinfo="skip",
    )


def _line(value: float, axis: str) -> dict[str, object]:
    stroke = {"color": LOOKS["correction"].tone.mark, "width": 2, "dash": "dot"}
    return upright(value, stroke, yref=f"{axis} domain", layer="below")


def _notes(title: str, told: Rhythm, axis: str, middle: float) -> list[dict[str, object]]:
    """A row's title, and the words at its lines, each on the side where there is room."""
    words = f"<b>{title}</b>: {count(len(told.gaps), 'gap')}"
    on = {"yref": f"{axis} domain"}
    notes = [note(0, 1, words, xref="x domain", yanchor="bottom", yshift=6, **on)]
    for name, value, height in (("median", told.median, 0.98), ("p95", told.p95, 0.76)):
        side, shift = ("right", -8) if value > middle else ("left", 8)
        said = f"{name} {value:.3g}"
        notes.append(note(value, height, said, xref="x", xanchor=side, yanchor="top", xshift=shift, **on))
    return notes
