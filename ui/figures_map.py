"""Chapter 13's dial and its break-even map with dropped rounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ui import breakeven
from ui.breakeven import CURVES, Rain, Rolled
from ui.figures import FONT_SIZE, Plain, Trace, hatched, level, note, plain, titled, trace, upright
from ui.palette import AMBER, BLUE, CRIMSON, GREEN, INK, MUTED, SKY, VERMILION
from ui.pays import Model

UNDER = "rgba(60, 143, 196, 0.16)"
SEA = {"color": SKY.mark, "width": 4}
PRICE = {"color": MUTED.mark, "width": 3, "dash": "dash"}
LOST, WON = VERMILION.mark, GREEN.mark
POINTS = 101
ALPHAS = np.linspace(0, 1, POINTS)
Numbers: TypeAlias = NDArray[np.float64]


def dial(rolled: Rolled, height: int = 300) -> Plain:
    """The speed-up of the rounds played, as a needle over slower and faster; the stroke is the formula's."""
    gain = rolled.game.speedup
    longest = float(max(3, np.ceil(1.2 * max(gain, rolled.model.speed_up))))
    gauge = {
        "axis": {"range": [0, longest], "ticksuffix": "×", "tickfont": {"size": FONT_SIZE}, "nticks": 6},
        "bar": {"color": WON if gain >= 1 else LOST, "thickness": 0.5},
        "bgcolor": "rgba(0,0,0,0)",
        "borderwidth": 0,
        "steps": [
            {"range": [0, 1], "color": "rgba(213, 94, 0, 0.22)"},
            {"range": [1, longest], "color": "rgba(0, 158, 115, 0.16)"},
        ],
        "threshold": {"line": {"color": MUTED.mark, "width": 5}, "thickness": 0.95, "value": rolled.model.speed_up},
    }
    number = {"suffix": "×", "valueformat": ".2f", "font": {"size": 54}}
    needle = trace("indicator", mode="gauge+number", value=gain, number=number, gauge=gauge, domain={"y": [0, 0.92]})
    return plain([needle], {"margin": {"l": 40, "r": 40, "t": 30, "b": 20}}, height)


def round_bars(rolled: Rolled, height: int = 300) -> Plain:
    """How many rounds gained how many tokens. Those below the price of a round, hatched, lost time by themselves."""
    gained = np.arange(1, rolled.model.gamma + 2)
    looks = ((True, "slower than without", LOST, "/"), (False, "as fast or faster", WON, ""))
    price, most = rolled.model.cost, rolled.model.gamma + 1
    bars = [
        trace(
            "bar",
            x=gained[at],
            y=rolled.kept[at],
            name=name,
            width=0.72,
            marker={**hatched(colour, pattern), "cornerradius": 4},
            text=[f"{n:,}" for n in rolled.kept[at]],
            textposition="outside",
            textfont={"size": FONT_SIZE},
            cliponaxis=False,
            hovertemplate="%{y:,} rounds gained %{x}<extra></extra>",
        )
        for lost, name, colour, pattern in looks
        if (at := (gained < price) == lost).any()
    ]
    named = note(price, 1.0, f"price of a round: {price:.2f}", yref="paper", yanchor="top", xshift=6)
    ticks = {"tickvals": gained.tolist()} if most <= 9 else {}
    layout = {
        "xaxis": titled("tokens gained in a round", range=[0.4, max(most, price) + 0.6], showgrid=False, **ticks),
        "yaxis": {"visible": False, "range": [0, 1.18 * int(rolled.kept.max())]},
        "shapes": [upright(price, PRICE)],
        "annotations": [named],
    }
    return plain(bars, layout, height)


def landscape(dropped: Rain, height: int = 620) -> Plain:
    """Speed-up over acceptance, a curve a draft length, the sea at 1; dropped rounds, sweet spot and cliff."""
    model = dropped.rolled.model
    lengths = sorted({*CURVES, model.gamma})
    ends = [float(breakeven.curve(np.ones(1), gamma, model.c)[0]) for gamma in lengths]
    top = max(1.6, *ends, float(dropped.y.max())) * 1.06
    layout = {
        "shapes": sea(),
        "annotations": [
            *_ends(lengths, ends, model.gamma, top),
            note(0.01, 0.03, f"under water: slower, at c = {model.c:.2f}", yanchor="bottom"),
            _named_landmarks(model),
        ],
        "xaxis": titled("acceptance rate α", range=[0, 1.1], tickvals=[i / 5 for i in range(6)]),
        "yaxis": titled("speed-up", ticksuffix="×", range=[0, top]),
    }
    others = [gamma for gamma in lengths if gamma != model.gamma]
    curves = [_contours(others, model.c, INK.mark, 2), _contours([model.gamma], model.c, BLUE.mark, 6)]
    return plain([*curves, *_drops(dropped, top), *_landmarks(model)], layout, height)


def _contours(lengths: Sequence[int], c: float, colour: str, width: int) -> Trace:
    """The curves of these draft lengths, as one line with gaps: each trace costs a browser milliseconds."""
    gap = [np.nan]
    return trace(
        "scatter",
        x=np.tile(np.concatenate([ALPHAS, gap]), len(lengths)).round(4),
        y=np.concatenate([x for gamma in lengths for x in (breakeven.curve(ALPHAS, gamma, c), gap)]).round(4),
        mode="lines",
        showlegend=False,
        line={"color": colour, "width": width},
        customdata=np.repeat(lengths, POINTS + 1),
        hovertemplate="γ = %{customdata}, α = %{x:.2f}: %{y:.2f}×<extra></extra>",
    )


def _drops(dropped: Rain, top: float) -> list[Trace]:
    """The rounds, those under water as crosses, and their mean with its interval.

    All rounds of a kind are one filled outline: a browser draws that many times faster than as many marks or lines.
    """
    rolled, game = dropped.rolled, dropped.rolled.game
    sunk = game.accepted + 1 < rolled.model.cost
    looks = (
        (~sunk, "a round above water", WON, "line-ns-open", [(0, 0.009)]),
        (sunk, "a round under water", LOST, "x-thin-open", [(0.004, 0.007), (-0.004, 0.007)]),
    )
    traces = []
    for which, name, colour, symbol, strokes in looks:
        if not which.any():
            continue
        slants, heights = np.array(strokes, dtype=float).T
        x, y = np.tile(dropped.x[which], len(strokes)), np.tile(dropped.y[which], len(strokes))
        gained = np.tile(game.accepted[which] + 1, len(strokes))
        outline = _strokes(x, y, np.repeat(slants, which.sum()), top * np.repeat(heights, which.sum()))
        filled = trace(
            "scatter",
            x=outline[0],
            y=outline[1],
            mode="none",
            fill="toself",
            fillcolor=colour,
            line={"simplify": False},
            opacity=0.7,
            hoveron="points",
            customdata=np.concatenate([np.repeat(gained, 5), gained[::-1]]),
            hovertemplate="a round that gained %{customdata}<extra></extra>",
            showlegend=False,
        )
        marker = {"color": colour, "symbol": symbol, "size": 11, "line": {"color": colour, "width": 2}}
        traces += [filled, trace("scatter", x=[None], y=[None], name=name, mode="markers", marker=marker)]
    mean = trace(
        "scatter",
        x=[rolled.model.alpha],
        y=[game.speedup],
        name=f"all {game.rounds} together",
        mode="markers",
        marker={"color": INK.mark, "symbol": "diamond", "size": 18, "line": {"width": 3, "color": "white"}},
        error_y={"array": [game.high - game.speedup], "arrayminus": [game.speedup - game.low], "thickness": 3},
        hovertemplate="all rounds: %{y:.2f}×<extra></extra>",
    )
    return [*traces, mean]


def _strokes(x: Numbers, y: Numbers, across: Numbers, up: Numbers, half: float = 0.0014) -> NDArray[np.float32]:
    """The outline of strokes through these places, [2, 6 × strokes]: round each one, and from its foot to the next.

    At the end it goes back from foot to foot, so that the ways between strokes enclose nothing.

    Args:
        across, up: from a stroke's middle to its upper end.
        half: half of its width.
    """
    left, right = x - across - half, x + across - half
    foot, head = y - up, y + up
    around = np.stack([[left, left + 2 * half, right + 2 * half, right, left], [foot, foot, head, head, foot]])
    feet = np.stack([left[::-1], foot[::-1]])
    return np.concatenate([around.transpose(0, 2, 1).reshape(2, -1), feet], axis=1).astype(np.float32)


def _landmarks(model: Model) -> list[Trace]:
    """The best γ at this α as a star, and where the chosen curve goes under as a triangle."""
    marks = []
    if model.best:
        best = Model(model.alpha, model.c, model.best)
        marks.append(_mark(model.alpha, best.speed_up, "sweet spot", "star", AMBER.mark, 24))
    cliff = breakeven.edge(model)
    if cliff is not None:
        marks.append(_mark(cliff, 1.0, "cliff", "triangle-down", CRIMSON.mark, 22))
    return marks


def _mark(x: float, y: float, name: str, symbol: str, colour: str, size: int) -> Trace:
    return trace(
            "scatter",
        x=[x], y=[y], name=name, mode="markers", hovertemplate=f"{name}: α = %{{x:.2f}}, %{{y:.2f}}×<extra></extra>",
        marker={"symbol": symbol, "size": size, "color": colour, "line": {"width": 2, "color": "white"}},
    )  # fmt: skip


def _named_landmarks(model: Model) -> dict[str, object]:
    """What the marks stand for, in the corner that the curves leave free; an arrow takes a browser some 10 ms."""
    lines = []
    if model.best:
        lines.append(f"★ sweet spot: γ = {model.best}, {Model(model.alpha, model.c, model.best).speed_up:.2f}×")
    if (cliff := breakeven.edge(model)) is not None:
        lines.append(f"▼ cliff of γ = {model.gamma}: α = {cliff:.2f}")
    corner = {"xref": "x domain", "yref": "y domain", "yanchor": "top", "align": "left"}
    return note(0.01, 0.98, "<br>".join(lines), **corner)


def sea() -> list[dict[str, object]]:
    """The water below the pace of standard decoding, and its level."""
    deep = {"xref": "x domain", "x0": 0, "x1": 1, "y0": 0, "y1": 1}
    water = {"type": "rect", **deep, "fillcolor": UNDER, "line": {"width": 0}, "layer": "below"}
    return [water, level(1, SEA, layer="below")]


def _ends(lengths: Sequence[int], ends: Sequence[float], mine: int, top: float) -> list[dict[str, object]]:
    """Each curve's γ at its right end. Where ends lie too close for their labels, the chosen one goes first."""
    order = sorted(range(len(lengths)), key=lambda i: (lengths[i] != mine, -ends[i]))
    placed: list[int] = []
    for i in order:
        if all(abs(ends[i] - ends[j]) > 0.045 * top for j in placed):
            placed.append(i)
    return [
        note(1.008, ends[i], f"<b>γ = {lengths[i]}</b>" if lengths[i] == mine else f"γ = {lengths[i]}") for i in placed
    ]
