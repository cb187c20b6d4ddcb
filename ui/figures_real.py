"""Chapter 13's map of real figures: published ones and this visit's runs."""

from __future__ import annotations

from collections.abc import Sequence

from ui import breakeven
from ui.breakeven import PUBLISHED, Dot, Published
from ui.figures import FONT_SIZE, Plain, Trace, note, plain, titled, trace
from ui.figures_map import ALPHAS, sea
from ui.palette import AMBER, BLUE, CRIMSON, GREEN, INK, PURPLE, SKY, VERMILION

ENVELOPES = ((0.02, "solid"), (0.1, "dash"), (0.3, "dot"))
"""Cost ratios with a curve on the map of real figures."""
TONES = (BLUE, VERMILION, GREEN, PURPLE, AMBER, CRIMSON, SKY)
SYMBOLS = ("circle", "diamond", "triangle-up", "x", "star", "pentagon", "triangle-down", "cross", "hexagon", "bowtie",
           "hourglass", "star-triangle-up")  # fmt: skip


def real_map(found: Sequence[Dot], height: int = 560) -> Plain:
    """Published figures and the visit's runs over acceptance, under the most that a given price allows."""
    kinds = list(dict.fromkeys(dot.kind for dot in found))
    traces = [_envelope(c, dash) for c, dash in ENVELOPES]
    traces.append(_squares([x for x in PUBLISHED if x.alpha is not None]))
    traces += [_kind(kind, i, [d for d in found if d.kind == kind]) for i, kind in enumerate(kinds)]
    top = max([3.8, *(dot.speed_up + 0.3 for dot in found)])
    layout = {
        "shapes": sea(),
        "annotations": [note(0.01, 0.03, "under water: slower than standard decoding", yanchor="bottom")],
        "legend": {"entrywidth": 0},
        "xaxis": titled("acceptance rate α or α̂", range=[0, 1.02], tickvals=[i / 5 for i in range(6)]),
        "yaxis": titled("speed-up", ticksuffix="×", range=[0, top]),
    }
    return plain(traces, layout, height)


def _envelope(c: float, dash: str) -> Trace:
    return trace(
        "scatter",
        x=ALPHAS,
        y=breakeven.at_best(ALPHAS, c),
        name=f"best γ at c = {c:g}",
        mode="lines",
        line={"color": INK.mark, "width": 2, "dash": dash},
        hovertemplate=f"the most at c = {c:g}, α = %{{x:.2f}}: %{{y:.2f}}×<extra></extra>",
    )


def _squares(figures: Sequence[Published]) -> Trace:
    return trace(
        "scatter",
        x=[x.alpha for x in figures],
        y=[x.speed_up for x in figures],
        name="published (Leviathan et al.)",
        mode="markers",
        marker={"symbol": "square-open", "size": 13, "color": INK.mark, "line": {"width": 3}},
        customdata=[[x.source, x.gamma, x.c] for x in figures],
        hovertemplate="%{customdata[0]}<br>γ = %{customdata[1]}, c = %{customdata[2]}: %{y:.1f}×<extra></extra>",
    )


def _kind(kind: str, place: int, found: Sequence[Dot]) -> Trace:
    """One kind's runs, the newest one with the kind's name beside it."""
    return trace(
        "scatter",
        x=[dot.alpha for dot in found],
        y=[dot.speed_up for dot in found],
        name=kind,
        mode="markers+text",
        text=[""] * (len(found) - 1) + [kind],
        textposition="top center",
        textfont={"size": FONT_SIZE},
        marker={
            "symbol": SYMBOLS[place % len(SYMBOLS)], "size": 14, "opacity": 0.85,
            "color": TONES[place % len(TONES)].mark, "line": {"width": 1, "color": "white"},
        },
        customdata=[dot.label for dot in found],
        hovertemplate="%{customdata}<br>α̂ = %{x:.2f}, %{y:.2f}×<extra></extra>",
    )  # fmt: skip


def headlines(height: int = 430) -> Plain:
    """Published speed-ups whose source prints no α: a dot each, or a bar from the lowest to the highest."""
    figures = [x for x in PUBLISHED if x.alpha is None]
    dots = trace(
        "scatter",
        x=[x.speed_up if x.high is None else (x.speed_up + x.high) / 2 for x in figures],
        y=list(range(len(figures))),
        mode="markers",
        error_x={"array": [0 if x.high is None else (x.high - x.speed_up) / 2 for x in figures], "thickness": 7,
                 "width": 0, "color": INK.mark},
        marker={"symbol": "square", "size": [14 if x.high is None else 1 for x in figures], "color": INK.mark},
        customdata=[x.source for x in figures],
        hovertemplate="%{customdata}<extra></extra>",
    )  # fmt: skip
    layout = {
        "showlegend": False,
        "margin": {"l": 12, "r": 10, "t": 10, "b": 10},
        "annotations": [
            note(1.02, i - 0.34, f"{x.name}: {x.speed_up:.2f}" + (f" to {x.high:.2f}×" if x.high else "×"))
            for i, x in enumerate(figures)
        ],
        "xaxis": titled("speed-up", ticksuffix="×", range=[0.96, 2.7], tickvals=[1, 1.5, 2, 2.5]),
        "yaxis": {"visible": False, "range": [len(figures) - 0.5, -0.7]},
    }
    return plain([dots], layout, height)
