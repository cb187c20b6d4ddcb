"""Figures of chapter 14: sources of guesses in bars, and a tree of guesses."""

from __future__ import annotations

from collections.abc import Sequence

from core.decoding.rounds import Node, Round
from ui.figures import FONT_SIZE, ROWS, Plain, Trace, hatched, plain, titled, trace, upright
from ui.figures import visible as label
from ui.palette import LOOKS, MUTED, PARTS
from ui.sources import Row


def speed_bars(rows: Sequence[Row]) -> Plain:
    """Speed-up of each source, with the sea level of standard decoding at 1."""
    bars = trace(
        "bar",
        x=[r.speed_up for r in rows],
        y=[r.source.title for r in rows],
        orientation="h",
        marker={**_by_gain(rows), "cornerradius": 4},
        text=[f"{r.speed_up:.2f}×" for r in rows],
        textposition="outside",
        cliponaxis=False,
        hovertemplate="%{y}: %{x:.2f} times standard decoding<extra></extra>",
    )
    longest = max([1.2, *(r.speed_up for r in rows)])
    layout = {
        "shapes": [upright(1, {"color": MUTED.mark, "width": 3, "dash": "dash"})],
        "xaxis": titled("speed-up (hatched: slower)", range=[0, 1.3 * longest]),
        "yaxis": ROWS,
    }
    return plain([bars], layout, 90 + 58 * len(rows))


def round_bars(rows: Sequence[Row]) -> Plain:
    """What a mean round of each source costs, in target passes, and the tokens it brings (diamonds)."""
    parts = (
        ("guessing", [r.drafting for r in rows], PARTS["q"].mark, "/"),
        ("checking", [r.checking for r in rows], PARTS["p"].mark, ""),
        ("the rest", [r.other for r in rows], MUTED.mark, "."),
    )
    names = [r.source.title for r in rows]
    bars = [
        trace(
            "bar",
            x=values,
            y=names,
            name=name,
            orientation="h",
            marker=hatched(colour, pattern),
            hovertemplate="%{y}, " + name + ": %{x:.2f} target passes<extra></extra>",
        )
        for name, values, colour, pattern in parts
    ]
    gained = trace(
        "scatter",
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
    layout = {
        "barmode": "stack",
        "xaxis": titled("target passes a round; tokens a round", rangemode="tozero"),
        "yaxis": ROWS,
    }
    return plain([*bars, gained], layout, 130 + 58 * len(rows))


def _by_gain(rows: Sequence[Row]) -> dict[str, object]:
    """Green where a source pays, hatched in another colour where it costs time."""
    pays = [r.speed_up >= 1 for r in rows]
    colours = [LOOKS["kept" if gain else "correction"].tone.mark for gain in pays]
    return hatched(colours, ["" if gain else "/" for gain in pays])


STATES = {
    True: ("stays", "kept", "circle"),
    False: ("examined, missed", "correction", "x"),
    None: ("never examined", "discarded", "circle-open"),
}


def tree_figure(r: Round, before: str, after: str) -> Plain:
    """A round's tree from left to right: the text's last token, the candidates level by level, the token added.

    `before` is the text's last token, `after` the correction or bonus ("" where an end was kept).
    """
    places = layout(r.tree)
    traces: list[Trace] = []
    for node, place in zip(r.tree, places, strict=True):
        start = (0, 0.0) if node.parent is None else places[node.parent]
        tone = LOOKS["kept" if node.accepted else "discarded"].tone.mark
        traces.append(_branch(start, place, tone, *((5, "solid") if node.accepted else (2, "dot"))))
    for verdict, (name, state, symbol) in STATES.items():
        chosen = [(n, place) for n, place in zip(r.tree, places, strict=True) if n.accepted is verdict]
        if chosen:
            traces.append(_nodes(chosen, name, LOOKS[state].tone.mark, symbol))  # type: ignore[index]
    traces += _ends(r, places, before, after)
    deepest = max((x for x, _ in places), default=0)
    axes = {"xaxis": {"visible": False, "range": [-0.35, deepest + 1.7]}, "yaxis": {"visible": False}}
    return plain(traces, axes, 460)


def _branch(start: tuple[float, float], end: tuple[float, float], colour: str, width: int, dash: str) -> Trace:
    return trace(
        "scatter",
        x=[start[0], end[0]],
        y=[start[1], end[1]],
        mode="lines",
        line={"color": colour, "width": width, "dash": dash},
        hoverinfo="skip",
        showlegend=False,
    )


def _nodes(chosen: list[tuple[Node, tuple[int, float]]], name: str, colour: str, symbol: str) -> Trace:
    return trace(
        "scatter",
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


def _ends(r: Round, places: list[tuple[int, float]], before: str, after: str) -> list[Trace]:
    """The text's last token at the left, and the token that the target added behind the surviving branch."""
    start = _end((0, 0.0), before, "text so far", MUTED.mark)
    if not r.final:
        return [start]
    path = [place for n, place in zip(r.tree, places, strict=True) if n.accepted]
    x, y = path[-1] if path else (0, 0.0)
    tone = LOOKS["bonus" if r.final.kind == "bonus" else "correction"].tone.mark
    # Below whatever stands at that level, so that it covers no candidate.
    level = [height for at, height in places if at == x + 1]
    end = (x + 0.9, min(level) - 0.8 if level else y)
    return [_branch((x, y), end, tone, 3, "dash"), start, _end(end, after, r.final.kind, tone)]


def _end(place: tuple[float, float], text: str, name: str, colour: str) -> Trace:
    return trace(
        "scatter",
        x=[place[0]],
        y=[place[1]],
        mode="markers+text",
        text=[label(text, 16)],
        textposition="bottom center",
        textfont={"size": FONT_SIZE},
        name=name,
        marker={"size": 18, "color": colour, "symbol": "square"},
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
