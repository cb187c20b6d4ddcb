"""Figures of chapter 10: speed-up over γ, its map over α and c, and the way from the model to a measured run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.theory.closed_forms import best_gamma, breakeven_alpha, speedup
from ui.figures import FONT_SIZE, ROWS, Plain, Trace, level, note, plain, titled, trace, upright
from ui.palette import GREEN, MUTED, SKY, VERMILION
from ui.pays import MOST_GAMMA, Dot, Model, Played, Pooled, Step

MODEL, MEASURED, BEST = SKY.mark, VERMILION.mark, GREEN.mark
EVEN_LINE = {"color": MUTED.mark, "width": 3, "dash": "dash"}
SLOWER = {"fillcolor": "rgba(213, 94, 0, 0.10)", "line": {"width": 0}}
GRID_POINTS = 51
RING = 22
"""Pixels across the ring at the chosen α and c."""
FURTHEST = 2.0
"""The map's colours end at 2^±2: four times as fast, a quarter as fast."""
# See-through, so that text in the page's own colour can be read on them in either theme.
SCALE = [[0.0, "rgba(213, 94, 0, 0.80)"], [0.5, "rgba(127, 123, 115, 0.06)"], [1.0, "rgba(0, 114, 178, 0.80)"]]


def speedup_over_gamma(
    model: Model, played: Played | None, hand: Dot | None, others: Sequence[Dot], height: int = 500
) -> Plain:
    """Speed-up at each draft length: the closed form, rounds played with dice, and measured runs as diamonds."""
    gammas = np.arange(MOST_GAMMA + 1)
    traces = [*_dice(played)] if played else []
    traces.append(_curve(gammas, model, "model", MODEL, "solid"))
    if hand:
        traces.append(_curve(gammas, hand.model, "model at α̂ and ĉ", MEASURED, "dot"))
    traces += _chosen(model) + _diamonds(hand, others, by_gamma=True)
    layout = {
        "xaxis": titled("draft length γ (0: no drafting)", range=[-0.5, MOST_GAMMA + 0.5], dtick=2),
        "yaxis": titled("speed-up", ticksuffix="×", rangemode="tozero"),
        "shapes": [
            level(1, EVEN_LINE),
            {"type": "rect", "xref": "x domain", "x0": 0, "x1": 1, "y0": 0, "y1": 1, "layer": "below", **SLOWER},
        ],
        "annotations": [note(0, 0.02, "below 1×: slower than without drafting", yanchor="bottom")],
    }
    return plain(traces, layout, height)


def _curve(gammas: NDArray[np.int64], model: Model, name: str, colour: str, dash: str) -> Trace:
    return trace(
        "scatter",
        x=gammas,
        y=speedup(model.alpha, gammas, model.c),
        name=name,
        mode="lines",
        line={"color": colour, "width": 4, "dash": dash},
        hovertemplate="γ = %{x}: %{y:.2f}×<extra>" + name + "</extra>",
    )


def _dice(played: Played) -> list[Trace]:
    band = trace(
        "scatter",
        x=np.concatenate([played.gammas, played.gammas[::-1]]),
        y=np.concatenate([played.high, played.low[::-1]]),
        name="played with dice",
        showlegend=False,
        fill="toself",
        fillcolor="rgba(60, 143, 196, 0.25)",
        line={"width": 0},
        mode="lines",
        hoverinfo="skip",
    )
    points = trace(
        "scatter",
        x=played.gammas,
        y=played.speed_ups,
        name="dice, with 95 % band",
        mode="markers",
        marker={"color": MODEL, "size": 8, "symbol": "cross"},
        customdata=np.stack([played.low, played.high], axis=-1),
        hovertemplate="γ = %{x}: %{y:.3f}×, between %{customdata[0]:.3f} and %{customdata[1]:.3f}<extra>dice</extra>",
    )
    return [band, points]


def _diamonds(hand: Dot | None, others: Sequence[Dot], by_gamma: bool) -> list[Trace]:
    """The run in hand and the visit's other ones; on the map they lie at their ĉ and α̂."""
    groups = [(others, "other runs", 11, "diamond-open")]
    groups += [([hand], "measured", 16, "diamond")] if hand else []
    return [
        trace(
            "scatter",
            x=[d.model.gamma if by_gamma else d.model.c for d in dots],
            y=[d.speed_up if by_gamma else d.model.alpha for d in dots],
            name=name,
            mode="markers",
            marker={"color": MEASURED, "size": size, "symbol": symbol, "line": {"width": 2, "color": MEASURED}},
            customdata=[[d.label, d.model.alpha, d.model.c, d.speed_up] for d in dots],
            hovertemplate="%{customdata[0]}<br>α̂ = %{customdata[1]:.2f}, ĉ = %{customdata[2]:.2f}, "
            "measured %{customdata[3]:.2f}×<extra></extra>",
        )
        for dots, name, size, symbol in groups
        if dots
    ]


def _chosen(model: Model) -> list[Trace]:
    """The chosen γ as a ring, the best one as a star."""
    marks = [_mark(model.gamma, model.speed_up, "your γ", "circle-open", MODEL, 26)]
    if model.best:
        top = Model(model.alpha, model.c, model.best).speed_up
        marks.append(_mark(model.best, top, f"best γ = {model.best}: {top:.2f}×", "star", BEST, 16))
    return marks


def _ring(x: float, y: float) -> dict[str, object]:
    half = RING / 2
    size = {"xsizemode": "pixel", "x0": -half, "x1": half, "ysizemode": "pixel", "y0": -half, "y1": half}
    return {"type": "circle", "xanchor": x, "yanchor": y, **size, "line": {"color": MODEL, "width": 3}}


def _mark(x: float | None, y: float | None, name: str, symbol: str, colour: str, size: int) -> Trace:
    return trace(
        "scatter",
        x=[x],
        y=[y],
        name=name,
        mode="markers",
        marker={"symbol": symbol, "size": size, "color": colour, "line": {"width": 3, "color": colour}},
        hovertemplate=name + "<extra></extra>",
    )


def speedup_map(model: Model, at_best: bool, hand: Dot | None, others: Sequence[Dot], height: int = 500) -> Plain:
    """Speed-up over α and c, at the chosen γ or at each point's best; the break-even line apart."""
    c, alpha = np.linspace(0, 1, GRID_POINTS), np.linspace(0, 1, GRID_POINTS)
    gamma = best_gamma(alpha[:, None], c, longest=MOST_GAMMA) if at_best else np.int64(model.gamma)
    gains = speedup(alpha[:, None], gamma, c)
    even = c if at_best else breakeven_alpha(model.gamma, c)
    traces = [
        _heat(c, alpha, gains, gamma),
        trace("scatter", x=c, y=even, name="break-even", mode="lines", line=EVEN_LINE, hoverinfo="skip"),
        *_diamonds(hand, others, by_gamma=False),
        # The legend's entry alone: the ring itself is a shape, for a browser moves one without drawing the map anew.
        _mark(None, None, "your α and c", "circle-open", MODEL, RING),
    ]
    layout = {
        "xaxis": titled("cost ratio c", range=[0, 1], showgrid=False),
        "yaxis": titled("acceptance rate α", range=[0, 1.001], showgrid=False),
        "shapes": [_ring(model.c, model.alpha)],
        "annotations": [
            note(0.2, 0.97, "faster", yanchor="top"),
            note(0.96, 0.04, "no γ pays" if at_best else "slower", xanchor="right", yanchor="bottom"),
        ],
    }
    return plain(traces, layout, height)


def _heat(
    c: NDArray[np.float64],
    alpha: NDArray[np.float64],
    gains: NDArray[np.float64],
    gamma: NDArray[np.int64] | np.int64,
) -> Trace:
    """The map itself; `gamma` is one for all points, or each point's own."""
    ticks = [-2, -1, 0, 1, 2]
    own = {"text": gamma} if np.ndim(gamma) else {}
    said = "%{text}" if own else f"{gamma}"
    return trace(
        "heatmap",
        x=c,
        y=alpha,
        # Sent anew at each move of a slider, so no finer than an eye can tell.
        z=np.clip(np.log2(gains), -FURTHEST, FURTHEST).astype(np.float32),
        # "best" interpolates every pixel in the browser, a tenth of a second at each move of a slider.
        zsmooth="fast",
        zmin=-FURTHEST,
        zmax=FURTHEST,
        colorscale=SCALE,
        customdata=gains.astype(np.float32),
        hovertemplate=f"α = %{{y:.2f}}, c = %{{x:.2f}}, γ = {said}: %{{customdata:.2f}}×<extra></extra>",
        **own,
        colorbar={
            "tickvals": ticks,
            "ticktext": ["¼×", "½×", "1×", "2×", "4×"],
            "tickfont": {"size": FONT_SIZE},
            "thickness": 16,
            "outlinewidth": 0,
        },
    )


def way_figure(steps: Sequence[Step], height: int = 330) -> Plain:
    """The speed-up at each station between the formula and the measurement."""
    colours = [MODEL, *[MUTED.mark] * (len(steps) - 2), MEASURED]
    gains = [step.speed_up for step in steps]
    bars = trace(
        "bar",
        x=gains,
        y=[step.name for step in steps],
        orientation="h",
        marker={"color": colours, "cornerradius": 4},
        text=[f"{gain:.2f}×" for gain in gains],
        textposition="outside",
        textfont={"size": FONT_SIZE},
        cliponaxis=False,
        hoverinfo="skip",
    )
    layout = {
        "xaxis": {"range": [0, 1.2 * max([1.0, *gains])], "ticksuffix": "×", "nticks": 5, "tickangle": 0},
        "yaxis": ROWS,
        "shapes": [upright(1, EVEN_LINE)],
        "margin": {"l": 10, "r": 20, "t": 10, "b": 10},
    }
    return plain([bars], layout, height)


def survival_figure(measured: Pooled, low: NDArray[np.float64], high: NDArray[np.float64], height: int = 380) -> Plain:
    """The measured survival against α̂ to the power of i, with the band that so few independent rounds would fill."""
    places = np.arange(1, len(measured.survival) + 1)
    alone = measured.alpha_hat**places
    bars = trace(
        "bar",
        x=places,
        y=measured.survival,
        name="measured",
        width=0.5,
        marker={"color": MEASURED, "cornerradius": 4},
        text=[f"{kept:.2f}" for kept in measured.survival],
        textposition="inside",
        insidetextanchor="start",
        textfont={"size": FONT_SIZE},
        hovertemplate="position %{x}: kept in %{y:.0%} of the rounds<extra></extra>",
    )
    whiskers = {"array": (high - alone).tolist(), "arrayminus": (alone - low).tolist()}
    line = trace(
        "scatter",
        x=places,
        y=alone,
        name="α̂ to the power i: if each guess held by itself",
        mode="lines+markers",
        line={"color": MODEL, "width": 4},
        marker={"size": 11},
        error_y={"type": "data", **whiskers, "thickness": 3, "width": 9},
        customdata=np.stack([low, high], axis=-1),
        hovertemplate="position %{x}: %{y:.2f}, by chance %{customdata[0]:.2f} to %{customdata[1]:.2f}<extra></extra>",
    )
    layout = {
        "xaxis": titled("position i in the round", dtick=1),
        "yaxis": titled("rounds that kept it", tickformat=".0%", range=[0, 1.05]),
    }
    return plain([bars, line], layout, height)
