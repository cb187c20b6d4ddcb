"""Who said what, as bars: one vote, or the second beside the first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap

from core.classroom.views import Ask, Tally, is_right
from ui.classroom import LETTERS
from ui.content import Question
from ui.figures import Plain, plain, titled, trace, visible
from ui.palette import BLUE, GREEN, MUTED

ROUNDS = {1: ("First vote", MUTED.mark), 2: ("Second vote", BLUE.mark)}
BESIDE = 42
"""Characters of an option's text on one line."""


def results(question: Question, ask: Ask, tallies: Mapping[int, Tally], answer: int) -> Plain:
    """The votes of each round; what is right is marked by a word and by its colour.

    Args:
        tallies: how many said what, by round.
        answer: the option's index, or the number, that is right.
    """
    rounds = {r: tallies.get(r, {}) for r in ([r for r in ROUNDS if r in tallies] or [1])}
    if question.kind == "choice":
        return _choice(question, rounds, answer)
    return _numbers(question, ask, rounds, answer)


def _choice(question: Question, tallies: Mapping[int, Tally], answer: int) -> Plain:
    several = len(tallies) > 1
    labels = [_label(i, text, i == answer) for i, text in enumerate(question.options)]
    bars = []
    # Bars are drawn from the foot upwards, so everything is handed over in reverse.
    for round_ in reversed(list(tallies)):
        tally = tallies[round_]
        shares = [_share(tally, i) for i in range(len(labels))]
        name, colour = ROUNDS[round_]
        bars.append(
            trace(
                "bar",
                y=labels[::-1],
                x=shares[::-1],
                orientation="h",
                name=f"{name} ({sum(tally.values())})",
                marker={"color": _colours(colour, [i == answer for i in range(len(labels))][::-1], not several)},
                text=[f"{tally[i]} · {share:.0f} %" if share else "0" for i, share in enumerate(shares)][::-1],
                textposition="outside",
                cliponaxis=False,
                hoverinfo="skip",
            )
        )
    layout = {
        "showlegend": several,
        "barmode": "group",
        "legend": {"traceorder": "reversed"},
        "bargap": 0.3,
        "xaxis": titled("share of the votes", range=[0, 118], tickvals=[0, 25, 50, 75, 100], ticksuffix=" %"),
    }
    lines = sum(label.count("<br>") + 1 for label in labels)
    return plain(bars, layout, 90 + max(len(labels) * (84 if several else 64), lines * 34))


def _numbers(question: Question, ask: Ask, tallies: Mapping[int, Tally], answer: int) -> Plain:
    several = len(tallies) > 1
    said = list(range(ask.low, ask.high + 1))
    bars = []
    for round_, tally in tallies.items():
        name, colour = ROUNDS[round_]
        bars.append(
            trace(
                "bar",
                x=said,
                y=[tally.get(n, 0) for n in said],
                name=f"{name} ({sum(tally.values())})",
                marker={"color": _colours(colour, [is_right(ask, n, answer) for n in said], not several)},
                text=[str(tally[n]) if tally.get(n) else "" for n in said],
                textposition="outside",
                cliponaxis=False,
                hoverinfo="skip",
            )
        )
    ticks = [n if n != answer else f"<b>{n}<br>✓ right</b>" for n in said]
    most = max((n for tally in tallies.values() for n in tally.values()), default=0)
    layout = {
        "showlegend": several,
        "barmode": "group",
        "xaxis": titled(question.unit, tickvals=said, ticktext=ticks),
        "yaxis": titled("votes", range=[0, max(4, most * 1.2)], dtick=max(1, round(most / 5))),
    }
    return plain(bars, layout, 330)


def _label(index: int, text: str, right: bool) -> str:
    lines = "<br>".join(wrap(visible(text, 400), BESIDE))
    return f"<b>{LETTERS[index]} ✓ right</b> · {lines}" if right else f"<b>{LETTERS[index]}</b> · {lines}"


def _share(tally: Tally, said: int) -> float:
    votes = sum(tally.values())
    return 100 * tally.get(said, 0) / votes if votes else 0.0


def _colours(colour: str, right: Sequence[bool], alone: bool) -> list[str]:
    """One vote alone has what is right in green; two votes keep a colour each."""
    return [GREEN.mark if one and alone else colour for one in right]
