"""Figures of the rule at one position: what of p and q agrees, where the dart falls, what comes out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.measure.exactness import Band
from ui.figures import FONT_SIZE, Plain, Trace, labels, plain, titled, trace, visible
from ui.palette import INK, LOOKS, PARTS

KEPT = LOOKS["kept"].tone.mark
SHADE = "rgba(127, 123, 115, 0.35)"
LEAST = 1e-4
"""Distances below this are drawn here: a logarithmic axis has no zero."""
STACKED = {"barmode": "stack", "legend": {"traceorder": "normal"}}
ROW, LOW_ROW, MANY = 84, 60, 4
"""Pixels that a token's pair of bars takes; less where there are many tokens."""


@dataclass(frozen=True)
class Split:
    """A token's p and q in parts: what both give, what the draft gives too much, what it gives too little."""

    name: str
    both: float
    eager: float
    shy: float

    @classmethod
    def of(cls, name: str, p: float, q: float) -> Split:
        return cls(name, min(p, q), max(0.0, q - p), max(0.0, p - q))

    @property
    def p(self) -> float:
        return self.both + self.shy

    @property
    def q(self) -> float:
        return self.both + self.eager


def split_bars(rows: Sequence[Split], *, parts: bool = True, replacement: Sequence[float] | None = None) -> Plain:
    """Two bars a token, q above p: green where they agree, hatched where only one of them reaches.

    Args:
        parts: False draws plain bars of p and q, without telling where they agree.
        replacement: the residual r of each token, written at the end of its bar.
    """
    at_q, at_p = ([i + shift for i in range(len(rows))] for shift in (-0.2, 0.2))
    series: tuple[tuple[str, list[float], list[float], str, str], ...]
    if parts:
        series = (
            ("both agree", [r.both for r in rows] * 2, at_q + at_p, KEPT, ""),
            ("draft too eager", [r.eager for r in rows], at_q, PARTS["q"].mark, "/"),
            ("draft too shy", [r.shy for r in rows], at_p, PARTS["residual"].mark, "x"),
        )
    else:
        series = (
            ("draft q", [r.q for r in rows], at_q, PARTS["q"].mark, ""),
            ("target p", [r.p for r in rows], at_p, PARTS["p"].mark, ""),
        )
    traces = [_segments(*one) for one in series]
    left = replacement or [0.0] * len(rows)
    shares = [f" p {r.p:.2f}" + (f" · r {x:.2f}" if x > 0 else "") for r, x in zip(rows, left, strict=True)]
    ends = [r.q for r in rows] + [r.p for r in rows]
    traces.append(labels(ends, at_q + at_p, [f" q {r.q:.2f}" for r in rows] + shares))
    # What stands at the ends of the bars has its room in the margin, however narrow the page.
    room = 130 if replacement else 64
    longest = max((max(r.p, r.q) for r in rows), default=1.0)
    layout = {
        **STACKED,
        "margin": {"l": 10, "r": room, "t": 44, "b": 4},
        "xaxis": {"visible": False, "range": [0, longest], "fixedrange": True},
        "yaxis": {
            "tickvals": list(range(len(rows))),
            "ticktext": [f"<b>{visible(r.name, 18)}</b>  " for r in rows],
            "range": [len(rows) - 0.5, -0.5],
            "showgrid": False,
            "fixedrange": True,
            "tickfont": {"size": FONT_SIZE + 2},
        },
    }
    return plain(traces, layout, 60 + (ROW if len(rows) < MANY else LOW_ROW) * len(rows))


def _segments(name: str, lengths: Sequence[float], at: Sequence[float], colour: str, pattern: str) -> Trace:
    marker: dict[str, object] = {"color": colour}
    if pattern:
        marker = {"color": colour, "pattern": {"shape": pattern, "fillmode": "replace", "solidity": 0.45, "size": 9},
                  "line": {"color": colour, "width": 2}}  # fmt: skip
    return trace(
        "bar",
        name=name,
        x=list(lengths),
        y=list(at),
        width=0.36,
        orientation="h",
        marker=marker,
        hovertemplate=f"{name}: %{{x:.3f}}<extra></extra>",
    )


def dart(chance: float, u: float | None) -> Plain:
    """The line from 0 to 1 on which the number u falls: left of `chance` the guess stays."""
    traces = [
        _segments("stays", [chance], [0], KEPT, ""),
        _segments("falls", [1 - chance], [0], INK.mark, "/"),
    ]
    if u is not None:
        traces.append(
            trace(
                "scatter",
                x=[u],
                y=[-0.34],
                mode="markers+text",
                marker={"symbol": "triangle-down", "size": 20, "color": INK.mark},
                text=[f"<b>u = {u:.3f}</b>"],
                textposition="top center",
                textfont={"size": FONT_SIZE},
                hoverinfo="skip",
                showlegend=False,
                cliponaxis=False,
            )
        )
    # The ends give way where the border between the two would run into them.
    ends = [end for end in (0.0, 1.0) if abs(end - chance) > 0.12]
    layout = {
        **STACKED,
        "margin": {"l": 10, "r": 10, "t": 40, "b": 4},
        "xaxis": {
            "range": [-0.04, 1.04],
            "tickvals": [*ends, chance],
            "ticktext": [*(f"{end:.0f}" for end in ends), f"<b>{chance:.3g}</b>"],
            "tickangle": 0,
            "showgrid": False,
            "fixedrange": True,
            "ticks": "outside",
        },
        "yaxis": {"visible": False, "range": [0.3, -1.2], "fixedrange": True},
    }
    return plain(traces, layout, 170)


@dataclass(frozen=True)
class Tally:
    """Something counted beside what it should be. `seen` is None while nothing was counted."""

    name: str
    seen: float | None
    expected: float
    said: str


def tallies(rows: Sequence[Tally], colours: Sequence[str]) -> Plain:
    """Bars of what was counted, each with a mark where theory puts it."""
    at = list(range(len(rows)))
    counted = trace(
        "bar",
        name="counted",
        x=[r.seen or 0.0 for r in rows],
        y=at,
        width=0.36,
        orientation="h",
        marker={"color": list(colours), "cornerradius": 4},
        hoverinfo="skip",
        showlegend=False,
    )
    theory = trace(
        "scatter",
        name="what theory says",
        x=[r.expected for r in rows],
        y=at,
        mode="markers",
        marker={"symbol": "line-ns", "size": 30, "line": {"width": 5, "color": LOOKS["correction"].tone.mark}},
        hoverinfo="skip",
        showlegend=False,
    )
    ends = [max(r.seen or 0.0, r.expected) for r in rows]
    names = [f"{r.name} · theory: {r.said} = {_percent(r.expected)}" for r in rows]
    shares = ["–" if r.seen is None else f" <b>{_percent(r.seen)}</b>" for r in rows]
    said = labels([*ends, *[0.0] * len(rows)], [*at, *(i - 0.45 for i in at)], shares + names)
    layout = {
        "margin": {"l": 0, "r": 90, "t": 4, "b": 4},
        "xaxis": {"visible": False, "range": [0, 1], "fixedrange": True},
        "yaxis": {"visible": False, "range": [len(rows) - 0.6, -0.75], "fixedrange": True},
    }
    return plain([counted, theory, said], layout, 10 + 74 * len(rows))


def _percent(share: float) -> str:
    return f"{share * 100:.1f} %"


def outputs(names: Sequence[str], p: Sequence[float], exact: Sequence[float], sampled: Sequence[float]) -> Plain:
    """Token by token: the target's p, what was written, and what the rule gives in the long run."""
    at = list(range(len(names)))
    bars = [
        trace(
            "bar",
            name=name,
            x=[i + shift for i in at],
            y=list(shares),
            width=0.36,
            marker={"color": colour, "pattern": {"shape": pattern, "fillmode": "replace", "solidity": 0.5},
                    "line": {"color": colour, "width": 2 if pattern else 0}},
            hovertemplate=f"{name}: %{{y:.4f}}<extra></extra>",
        )
        for name, shares, shift, colour, pattern in (
            ("target p", p, -0.2, PARTS["p"].mark, ""),
            ("written, counted", sampled, 0.2, INK.mark, "/"),
        )
    ]  # fmt: skip
    long_run = trace(
        "scatter",
        name="written, exactly",
        x=[i + 0.2 for i in at],
        y=list(exact),
        mode="markers",
        marker={"symbol": "diamond", "size": 15, "color": LOOKS["correction"].tone.mark},
        hovertemplate="exactly: %{y:.4f}<extra></extra>",
    )
    texts = [visible(name, 14) for name in names]
    top = max([*p, *exact, *sampled, 0.01])
    layout = {
        "xaxis": {"tickvals": at, "ticktext": texts, "showgrid": False, "fixedrange": True},
        "yaxis": titled("share", tickformat=".0%", range=[0, 1.12 * top], fixedrange=True),
    }
    return plain([*bars, long_run], layout, 350)


def distance(ns: Sequence[int], bands: Sequence[Band], seen: Sequence[tuple[int, float]], exact: float) -> Plain:
    """Total variation between what was written and p, draw by draw, over the band that sampling noise alone gives.

    `bands` stands for `ns`; `seen` is (draws, distance), as far as one has drawn.
    """
    traces = _noise(ns, bands)
    if exact > 0.0005:
        traces.append(
            trace(
                "scatter",
                x=[ns[0], ns[-1]],
                y=[exact, exact],
                name=f"this rule, exactly: {exact:.3f}",
                mode="lines",
                line={"color": LOOKS["correction"].tone.mark, "width": 4, "dash": "dash"},
                hoverinfo="skip",
            )
        )
    counted = trace(
        "scatter",
        x=[n for n, _ in seen],
        y=[max(tv, LEAST) for _, tv in seen],
        name="counted",
        mode="lines+markers",
        line={"color": PARTS["p"].mark, "width": 4},
        marker={"size": 11},
        hovertemplate="%{x:,} draws: %{y:.4f}<extra></extra>",
    )
    decades = {10: "10", 100: "100", 1000: "1k", 10_000: "10k", 100_000: "100k", 1_000_000: "1M"}
    draws = {"tickvals": list(decades), "ticktext": list(decades.values()), "range": [0.9, 6.2]}
    ticks = [0.001, 0.01, 0.1, 1]
    shares = {"tickvals": ticks, "ticktext": [str(t) for t in ticks], "range": [-4, 0.1]}
    layout = {"xaxis": titled("draws", type="log", **draws), "yaxis": titled("distance (TV)", type="log", **shares)}
    return plain([*traces, counted], layout, 350)


def _noise(ns: Sequence[int], bands: Sequence[Band]) -> list[Trace]:
    """A band as two lines: its upper end, and its lower one with the space between them filled."""
    edge = {"x": list(ns), "mode": "lines", "line": {"width": 0}, "hoverinfo": "skip"}
    name = f"noise alone, {bands[0].level * 100:.0f} % of the time"
    lows = [max(b.low, LEAST) for b in bands]
    return [
        trace("scatter", y=[b.high for b in bands], showlegend=False, **edge),
        trace("scatter", y=lows, name=name, fill="tonexty", fillcolor=SHADE, **edge),
    ]
