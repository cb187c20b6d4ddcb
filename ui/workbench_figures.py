"""The rounds of a run: what each drafted, kept, and added."""

from __future__ import annotations

import plotly.graph_objects as go

from core.decoding.trace import Trace
from ui.figures import FONT_SIZE, hatched, styled
from ui.palette import LOOKS, Look


def rounds_figure(trace: Trace, height: int = 370) -> go.Figure:
    """Round by round: guesses kept and the round's own token upwards, guesses dropped downwards."""
    numbers = [r.index + 1 for r in trace.rounds]
    own = {
        kind: [int(r.final is not None and r.final.kind == kind) for r in trace.rounds]
        for kind in ("correction", "bonus", "target")
    }
    bars = [
        _bar(numbers, [r.accepted for r in trace.rounds], LOOKS["kept"], LOOKS["kept"].word),
        _bar(numbers, own["correction"], LOOKS["correction"], LOOKS["correction"].word, "x"),
        _bar(numbers, own["bonus"], LOOKS["bonus"], LOOKS["bonus"].word, "+"),
        _bar(numbers, own["target"], LOOKS["plain"], "written without a draft", "."),
        _bar(numbers, [r.accepted - r.guesses for r in trace.rounds], LOOKS["discarded"], LOOKS["discarded"].word, "/"),
    ]  # fmt: skip
    figure = go.Figure([bar for bar in bars if any(bar.y)])
    styled(figure, height)
    deepest = max((r.guesses - r.accepted for r in trace.rounds), default=0)
    highest = max((len(r.committed) for r in trace.rounds), default=1)
    step = 1 if highest + deepest <= 12 else 4
    ticks = list(range(-(deepest // step) * step, highest + 1, step))
    figure.update_layout(barmode="relative", bargap=0.25)
    figure.update_xaxes(title_text="round", showgrid=False)
    figure.update_yaxes(
        title_text="tokens",
        tickvals=ticks,
        ticktext=[str(abs(t)) for t in ticks],
        range=[-deepest - 0.3, highest + 0.3],
        zeroline=True,
        zerolinewidth=2,
        zerolinecolor="rgba(127, 123, 115, 0.9)",
    )
    return figure


def _bar(numbers: list[int], values: list[int], look: Look, name: str, pattern: str = "") -> go.Bar:
    return go.Bar(
        x=numbers,
        y=values,
        name=f"{look.glyph} {name}".strip(),
        marker=hatched(look.tone.mark, pattern),
        customdata=[abs(v) for v in values],
        hovertemplate="round %{x}: %{customdata} " + name + "<extra></extra>",
        textfont={"size": FONT_SIZE},
    )
