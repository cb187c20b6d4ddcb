"""The figure of a γ sweep: measured speed-ups beside the formula's."""

from __future__ import annotations

from collections.abc import Sequence

from ui.figures import FONT_SIZE, Plain, Trace, level, note, plain, titled, trace
from ui.palette import MUTED, SKY, VERMILION
from ui.sweep import Forecast, Point, best_measured

FORECAST, MEASURED, EVEN = SKY.mark, VERMILION.mark, MUTED.mark


def sweep_figure(measured: Sequence[Point], formula: Forecast | None, most: int, height: int = 460) -> Plain:
    """Speed-up over γ: a dot for each measured γ, the forecast as a line, the best of either ringed."""
    traces = [*_forecast(formula)] if formula else []
    traces += _measured(measured) if measured else []
    heights = [1.0, *(x for p in measured for x in (p.low, p.high)), *(formula.speed_ups if formula else ())]
    low, high = min(heights), max(heights)
    room = 0.12 * (high - low) + 0.06
    layout = {
        "shapes": [level(1, {"color": EVEN, "width": 3, "dash": "dash"})],
        "annotations": [note(1, 1, "as fast as without drafting", xref="paper", xanchor="right", yanchor="top")],
        "xaxis": titled("draft length γ", dtick=1 if most <= 16 else 2, range=[0.5, most + 0.5]),
        "yaxis": titled("speed-up", range=[low - room, high + room], ticksuffix="×", tickformat=".1f"),
    }
    return plain(traces, layout, height)


def _measured(measured: Sequence[Point]) -> list[Trace]:
    best = best_measured(measured)
    whiskers = {
        "type": "data",
        "array": [p.high - p.speed_up for p in measured],
        "arrayminus": [p.speed_up - p.low for p in measured],
        "thickness": 2,
        "width": 8,
        "visible": any(p.seeds > 1 for p in measured),
    }
    dots = trace(
        "scatter",
        x=[p.gamma for p in measured],
        y=[p.speed_up for p in measured],
        name="measured",
        mode="lines+markers",
        line={"color": MEASURED, "width": 2, "dash": "dot"},
        marker={"size": 14, "symbol": "diamond", "color": MEASURED},
        error_y=whiskers,
        customdata=[[p.tau, "–" if p.alpha_hat is None else f"{p.alpha_hat:.2f}"] for p in measured],
        hovertemplate="γ = %{x}: %{y:.2f}×, α̂ %{customdata[1]}, τ %{customdata[0]:.2f}<extra>measured</extra>",
    )
    return [dots, _ring(best.gamma, best.speed_up, MEASURED, "measured best", "top center")]


def _forecast(formula: Forecast) -> list[Trace]:
    gammas = list(range(1, len(formula.speed_ups) + 1))
    line = trace(
        "scatter",
        x=gammas,
        y=list(formula.speed_ups),
        name="forecast by the formula",
        mode="lines+markers",
        line={"color": FORECAST, "width": 4},
        marker={"size": 9},
        hovertemplate="γ = %{x}: %{y:.2f}×<extra>forecast</extra>",
    )
    if formula.best == 0:
        return [line]
    best = formula.speed_ups[formula.best - 1]
    return [line, _ring(formula.best, best, FORECAST, "forecast best", "bottom center")]


def _ring(x: int, y: float, colour: str, text: str, where: str) -> Trace:
    return trace(
        "scatter",
        x=[x],
        y=[y],
        mode="markers+text",
        marker={"size": 26, "symbol": "circle-open", "color": colour, "line": {"width": 3, "color": colour}},
        text=[text],
        textposition=where,
        textfont={"size": FONT_SIZE},
        cliponaxis=False,
        showlegend=False,
        hoverinfo="skip",
    )
