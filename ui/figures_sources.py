"""Figures of chapter 14: sources of guesses in bars, and a tree of guesses."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from core.decoding.rounds import Node, Round
from ui.figures import FONT_SIZE, hatched, styled
from ui.figures import visible as label
from ui.palette import LOOKS, MUTED, PARTS
from ui.sources import Row


def speed_bars(rows: Sequence[Row]) -> go.Figure:
    """Speed-up of each source, with the sea level of standard decoding at 1."""
    figure = go.Figure(
        go.Bar(
            x=[r.speed_up for r in rows],
            y=[r.source.title for r in rows],
            orientation="h",
            marker={**_by_gain(rows), "cornerradius": 4},
            text=[f"{r.speed_up:.2f}×" for r in rows],
            textposition="outside",
            cliponaxis=False,
            hovertemplate="%{y}: %{x:.2f} times standard decoding<extra></extra>",
        )
    )
    styled(figure, 90 + 58 * len(rows))
    figure.add_vline(x=1, line={"color": MUTED.mark, "width": 3, "dash": "dash"})
    figure.update_xaxes(title_text="speed-up (hatched: slower than without)", range=[0, 1.3 * max(1.2, *_speeds(rows))])
    figure.update_yaxes(autorange="reversed", showgrid=False)
    return figure


def round_bars(rows: Sequence[Row]) -> go.Figure:
    """What a mean round of each source costs, in target passes, and the tokens it brings (diamonds)."""
    figure = go.Figure()
    parts = (
        ("guessing", [r.drafting for r in rows], PARTS["q"].mark, "/"),
        ("checking", [r.checking for r in rows], PARTS["p"].mark, ""),
        ("the rest", [r.other for r in rows], MUTED.mark, "."),
    )
    names = [r.source.title for r in rows]
    for name, values, colour, pattern in parts:
        figure.add_bar(
            x=values,
            y=names,
            name=name,
            orientation="h",
            marker=hatched(colour, pattern),
            hovertemplate="%{y}, " + name + ": %{x:.2f} target passes<extra></extra>",
        )
    figure.add_scatter(
        x=[r.tau for r in rows],
        y=names,
        name="tokens it brings",
        mode="markers",
        marker={
            "symbol": "diamond",
            "size": 17,
            "color": LOOKS["kept"].tone.mark,
            "line": {"width": 2, "color": "#FBF9F4"},
        },
        hovertemplate="%{y}: %{x:.2f} tokens a round<extra></extra>",
    )
    styled(figure, 130 + 58 * len(rows))
    figure.update_layout(barmode="stack")
    figure.update_xaxes(title_text="target passes a round; tokens a round", rangemode="tozero")
    figure.update_yaxes(autorange="reversed", showgrid=False)
    return figure


def _by_gain(rows: Sequence[Row]) -> dict[str, object]:
    """Green where a source pays, hatched in another colour where it costs time."""
    pays = [r.speed_up >= 1 for r in rows]
    colours = [LOOKS["kept" if gain else "correction"].tone.mark for gain in pays]
    return hatched(colours, ["" if gain else "/" for gain in pays])


def _speeds(rows: Sequence[Row]) -> list[float]:
    return [r.speed_up for r in rows]


STATES = {
    True: ("stays", "kept", "circle"),
    False: ("examined, missed", "correction", "x"),
    None: ("never examined", "discarded", "circle-open"),
}


def tree_figure(r: Round, before: str, after: str) -> go.Figure:
    """A round's tree from left to right: the text's last token, the candidates level by level, the token added.

    `before` is the text's last token, `after` the correction or bonus ("" where an end was kept).
    """
    places = layout(r.tree)
    figure = go.Figure()
    for node, (x, y) in zip(r.tree, places, strict=True):
        from_x, from_y = (0, 0.0) if node.parent is None else places[node.parent]
        kept = node.accepted is True
        figure.add_scatter(
            x=[from_x, x],
            y=[from_y, y],
            mode="lines",
            line={
                "color": LOOKS["kept" if kept else "discarded"].tone.mark,
                "width": 5 if kept else 2,
                "dash": "solid" if kept else "dot",
            },
            hoverinfo="skip",
            showlegend=False,
        )
    for verdict, (name, state, symbol) in STATES.items():
        chosen = [(n, place) for n, place in zip(r.tree, places, strict=True) if n.accepted is verdict]
        if chosen:
            _nodes(figure, chosen, name, LOOKS[state].tone.mark, symbol)  # type: ignore[index]
    _ends(figure, r, places, before, after)
    styled(figure, 460)
    deepest = max((x for x, _ in places), default=0)
    figure.update_xaxes(visible=False, range=[-0.35, deepest + 1.7])
    figure.update_yaxes(visible=False)
    return figure


def _nodes(
    figure: go.Figure, chosen: list[tuple[Node, tuple[int, float]]], name: str, colour: str, symbol: str
) -> None:
    figure.add_scatter(
        x=[x for _, (x, _) in chosen],
        y=[y for _, (_, y) in chosen],
        mode="markers+text",
        name=name,
        text=[label(n.text, 16) for n, _ in chosen],
        # A line may come in from the left, above or below: the right side is free.
        textposition="top right",
        textfont={"size": FONT_SIZE},
        marker={"size": 18, "color": colour, "symbol": symbol, "line": {"width": 3, "color": colour}},
        customdata=[[n.p, n.q] for n, _ in chosen],
        hovertemplate="p %{customdata[0]:.3f}, q %{customdata[1]:.3f}<extra></extra>",
        cliponaxis=False,
    )


def _ends(figure: go.Figure, r: Round, places: list[tuple[int, float]], before: str, after: str) -> None:
    """The text's last token at the left, and the token that the target added behind the surviving branch."""
    start = (0, 0.0, label(before, 16), "text so far", MUTED.mark, "square")
    ends: list[tuple[float, float, str, str, str, str]] = [start]
    path = [place for n, place in zip(r.tree, places, strict=True) if n.accepted]
    if r.final:
        x, y = path[-1] if path else (0, 0.0)
        tone = LOOKS["bonus" if r.final.kind == "bonus" else "correction"].tone.mark
        # Below whatever stands at that level, so that it covers no candidate.
        level = [height for at, height in places if at == x + 1]
        end = (x + 0.9, min(level) - 0.8 if level else y)
        figure.add_scatter(
            x=[x, end[0]],
            y=[y, end[1]],
            mode="lines",
            line={"color": tone, "width": 3, "dash": "dash"},
            hoverinfo="skip",
            showlegend=False,
        )
        ends.append((*end, label(after, 16), r.final.kind, tone, "square"))
    for at, height, text, name, colour, symbol in ends:
        figure.add_scatter(
            x=[at],
            y=[height],
            mode="markers+text",
            text=[text],
            textposition="bottom center",
            textfont={"size": FONT_SIZE},
            name=name,
            marker={"size": 18, "color": colour, "symbol": symbol},
            hoverinfo="skip",
            cliponaxis=False,
        )


def layout(tree: Sequence[Node]) -> list[tuple[int, float]]:
    """Where each node stands: its level to the right, leaves one below the other, parents amid their children."""
    children: dict[int | None, list[int]] = {}
    for i, node in enumerate(tree):
        children.setdefault(node.parent, []).append(i)
    places: dict[int, tuple[int, float]] = {}
    next_leaf = 0.0

    def put(i: int, level: int) -> float:
        nonlocal next_leaf
        below = [put(child, level + 1) for child in children.get(i, [])]
        if not below:
            next_leaf -= 1
        y = sum(below) / len(below) if below else next_leaf
        places[i] = (level, y)
        return y

    roots = [put(i, 1) for i in children.get(None, [])]
    middle = sum(roots) / len(roots) if roots else 0.0
    return [(places[i][0], places[i][1] - middle) for i in range(len(tree))]
