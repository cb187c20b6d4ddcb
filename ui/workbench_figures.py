"""The rounds of a run: what each drafted, kept, and added."""

from __future__ import annotations

from core.decoding.trace import Trace
from ui import figures
from ui.palette import LOOKS, Look


def rounds_figure(trace: Trace, height: int = 370) -> figures.Plain:
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
    deepest = max((r.guesses - r.accepted for r in trace.rounds), default=0)
    highest = max((len(r.committed) for r in trace.rounds), default=1)
    step = 1 if highest + deepest <= 12 else 4
    ticks = list(range(-(deepest // step) * step, highest + 1, step))
    layout = {
        "barmode": "relative",
        "bargap": 0.25,
        "xaxis": figures.titled("round", showgrid=False),
        "yaxis": figures.titled(
            "tokens",
            tickvals=ticks,
            ticktext=[str(abs(t)) for t in ticks],
            range=[-deepest - 0.3, highest + 0.3],
            zeroline=True,
            zerolinewidth=2,
            zerolinecolor="rgba(127, 123, 115, 0.9)",
        ),
    }
    return figures.plain([bar for bar in bars if any(bar["y"])], layout, height)


def _bar(numbers: list[int], values: list[int], look: Look, name: str, pattern: str = "") -> figures.Trace:
    return figures.trace(
        "bar",
        x=numbers,
        y=values,
        name=f"{look.glyph} {name}".strip(),
        marker=figures.hatched(look.tone.mark, pattern),
        customdata=[abs(v) for v in values],
        hovertemplate="round %{x}: %{customdata} " + name + "<extra></extra>",
        textfont={"size": figures.FONT_SIZE},
    )
