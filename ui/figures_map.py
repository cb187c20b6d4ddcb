"""Chapter 13's dial and its break-even map with dropped rounds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from ui import breakeven
from ui.breakeven import CURVES, Rain, Rolled
from ui.figures import FONT_SIZE, hatched, styled
from ui.palette import AMBER, BLUE, CRIMSON, GREEN, INK, MUTED, SKY, VERMILION
from ui.pays import Model

UNDER = "rgba(60, 143, 196, 0.16)"
SEA = {"color": SKY.mark, "width": 4}
LOST, WON = VERMILION.mark, GREEN.mark
POINTS = 101
ALPHAS = np.linspace(0, 1, POINTS)


def dial(rolled: Rolled, height: int = 300) -> go.Figure:
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
    figure = go.Figure(
        go.Indicator(mode="gauge+number", value=gain, number=number, gauge=gauge, domain={"y": [0, 0.92]})
    )
    styled(figure, height)
    return figure.update_layout(margin={"l": 40, "r": 40, "t": 30, "b": 20})


def round_bars(rolled: Rolled, height: int = 300) -> go.Figure:
    """How many rounds gained how many tokens. Those below the price of a round, hatched, lost time by themselves."""
    gained = np.arange(1, rolled.model.gamma + 2)
    figure = go.Figure()
    looks = ((True, "slower than without", LOST, "/"), (False, "as fast or faster", WON, ""))
    for lost, name, colour, pattern in looks:
        at = (gained < rolled.model.cost) == lost
        if at.any():
            figure.add_trace(
                go.Bar(
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
            )
    styled(figure, height)
    figure.update_xaxes(
        title_text="tokens gained in a round",
        tickvals=gained if rolled.model.gamma <= 8 else None,
        range=[0.4, max(rolled.model.gamma + 1, rolled.model.cost) + 0.6],
        showgrid=False,
    )
    figure.update_yaxes(visible=False, range=[0, 1.18 * rolled.kept.max()])
    _line(figure, x=rolled.model.cost)
    figure.add_annotation(
        x=rolled.model.cost, y=1.0, yref="paper", yanchor="top", xanchor="left", xshift=6, showarrow=False,
        text=f"price of a round: {rolled.model.cost:.2f}", font={"size": FONT_SIZE},
    )  # fmt: skip
    return figure


def _line(figure: go.Figure, x: float) -> None:
    figure.add_shape(
        type="line", x0=x, x1=x, yref="paper", y0=0, y1=1, line={"color": MUTED.mark, "width": 3, "dash": "dash"}
    )


def landscape(dropped: Rain, height: int = 620) -> go.Figure:
    """Speed-up over acceptance, a curve a draft length, the sea at 1; dropped rounds, sweet spot and cliff."""
    model = dropped.rolled.model
    lengths = sorted({*CURVES, model.gamma})
    ends = [float(breakeven.curve(np.ones(1), gamma, model.c)[0]) for gamma in lengths]
    top = max(1.6, *ends, float(dropped.y.max())) * 1.06
    figure = go.Figure([_contour(gamma, model) for gamma in lengths])
    figure.add_traces(_drops(dropped))
    figure.add_traces(_landmarks(model))
    styled(figure, height)
    figure.update_layout(
        shapes=sea(),
        annotations=[
            *_ends(lengths, ends, model.gamma, top),
            note(0.01, 0.03, f"under water: slower than standard decoding (c = {model.c:.2f})", yanchor="bottom"),
            *_named_landmarks(model, top),
        ],
    )
    figure.update_xaxes(title_text="acceptance rate α", range=[0, 1.1], tickvals=[i / 5 for i in range(6)])
    return figure.update_yaxes(title_text="speed-up", ticksuffix="×", range=[0, top])


def _contour(gamma: int, model: Model) -> go.Scatter:
    mine = gamma == model.gamma
    return go.Scatter(
        x=ALPHAS,
        y=breakeven.curve(ALPHAS, gamma, model.c),
        name=f"γ = {gamma}",
        mode="lines",
        showlegend=False,
        line={"color": INK.mark if not mine else BLUE.mark, "width": 6 if mine else 2},
        hovertemplate=f"γ = {gamma}, α = %{{x:.2f}}: %{{y:.2f}}×<extra></extra>",
    )


def _drops(dropped: Rain) -> list[go.Scatter]:
    """The rounds, those under water as crosses, and their mean with its interval."""
    rolled, game = dropped.rolled, dropped.rolled.game
    sunk = game.accepted + 1 < rolled.model.cost
    traces = [
        go.Scatter(
            x=dropped.x[which],
            y=dropped.y[which],
            name=name,
            mode="markers",
            marker={"color": colour, "symbol": symbol, "size": 7, "opacity": 0.55},
            customdata=game.accepted[which] + 1,
            hovertemplate="a round that gained %{customdata}<extra></extra>",
        )
        for which, name, colour, symbol in (
            (~sunk, "a round above water", WON, "circle"),
            (sunk, "a round under water", LOST, "x-thin-open"),
        )
        if which.any()
    ]
    mean = go.Scatter(
        x=[rolled.model.alpha],
        y=[game.speedup],
        name=f"all {game.rounds} together",
        mode="markers",
        marker={"color": INK.mark, "symbol": "diamond", "size": 18, "line": {"width": 3, "color": "white"}},
        error_y={"array": [game.high - game.speedup], "arrayminus": [game.speedup - game.low], "thickness": 3},
        hovertemplate="all rounds: %{y:.2f}×<extra></extra>",
    )
    return [*traces, mean]


def _landmarks(model: Model) -> list[go.Scatter]:
    """The best γ at this α as a star, and where the chosen curve goes under as a triangle."""
    marks = []
    if model.best:
        best = Model(model.alpha, model.c, model.best)
        marks.append(_mark(model.alpha, best.speed_up, "sweet spot", "star", AMBER.mark, 24))
    cliff = breakeven.edge(model)
    if cliff is not None:
        marks.append(_mark(cliff, 1.0, "cliff", "triangle-down", CRIMSON.mark, 22))
    return marks


def _mark(x: float, y: float, name: str, symbol: str, colour: str, size: int) -> go.Scatter:
    return go.Scatter(
        x=[x], y=[y], name=name, mode="markers", hovertemplate=f"{name}: α = %{{x:.2f}}, %{{y:.2f}}×<extra></extra>",
        marker={"symbol": symbol, "size": size, "color": colour, "line": {"width": 2, "color": "white"}},
    )  # fmt: skip


def _named_landmarks(model: Model, top: float) -> list[dict[str, object]]:
    notes = []
    cliff = breakeven.edge(model)
    if model.best:
        gain = Model(model.alpha, model.c, model.best).speed_up
        notes.append(_arrow(model.alpha, gain, f"sweet spot: γ = {model.best}, {gain:.2f}×", -90, -70))
    if cliff is not None:
        side = -60 if cliff > 0.3 else 60
        notes.append(_arrow(cliff, 1.0, f"cliff of γ = {model.gamma}: α = {cliff:.2f}", side, -50))
    return notes


def _arrow(x: float, y: float, text: str, ax: int, ay: int) -> dict[str, object]:
    return {
        "x": x, "y": y, "text": text, "ax": ax, "ay": ay, "showarrow": True, "arrowhead": 2, "arrowwidth": 2,
        "standoff": 12, "font": {"size": FONT_SIZE}, "arrowcolor": MUTED.mark,
    }  # fmt: skip


def sea() -> list[dict[str, object]]:
    """The water below the pace of standard decoding, and its level."""
    wide = {"xref": "paper", "x0": 0, "x1": 1}
    return [
        {"type": "rect", **wide, "y0": 0, "y1": 1, "fillcolor": UNDER, "line": {"width": 0}, "layer": "below"},
        {"type": "line", **wide, "y0": 1, "y1": 1, "line": SEA, "layer": "below"},
    ]


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


def note(x: float, y: float, text: str, **more: object) -> dict[str, object]:
    """Words at a place of a figure."""
    return {"x": x, "y": y, "text": text, "xanchor": "left", "showarrow": False, "font": {"size": FONT_SIZE}, **more}
