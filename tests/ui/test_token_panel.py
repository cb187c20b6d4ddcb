from __future__ import annotations

from dataclasses import replace

import pytest

from core.decoding.rounds import Position
from core.decoding.trace import Trace
from tests.ui.hand_made import choice, guess, speculative
from ui.token_panel import figures, what_happened

TRACE = speculative("A", [([" b"], [" c"], "correction", " d")])


def run(rule: str, temperature: float) -> Trace:
    return replace(TRACE, request=replace(TRACE.request, rule=rule, temperature=temperature))  # type: ignore[arg-type]


def at(accepted: bool | None, p: float, q: float, u: float | None) -> Position:
    return replace(guess(" c", accepted, p, q), u=u)


@pytest.mark.parametrize(
    ("rule", "temperature", "x", "told"),
    [
        ("rejection", 1.0, at(True, 0.2, 0.8, 0.1), "u = 0.100, is below p/q = 0.200 / 0.800 = 0.250"),
        ("rejection", 1.0, at(False, 0.2, 0.8, 0.4), "u = 0.400, is not below p/q = 0.200 / 0.800 = 0.250"),
        ("rejection", 1.0, at(True, 0.8, 0.2, 0.9), "p = 0.800 is not below q = 0.200, so it always stays"),
        ("rejection", 0.0, at(True, 1.0, 1.0, 0.9), "it is the target's own first choice"),
        ("rejection", 0.0, at(False, 0.0, 1.0, 0.9), "the target's first choice is another token"),
        ("coupled", 1.0, at(True, 0.2, 0.8, None), "with the same random draw"),
        ("coupled", 1.0, at(False, 0.2, 0.8, None), "the target's own draw is another token"),
        ("rejection", 1.0, at(None, 0.2, 0.8, None), "not examined"),
    ],
)  # fmt: skip
def test_a_guess_stays_or_falls_by_the_rule_of_its_run(rule: str, temperature: float, x: Position, told: str) -> None:
    said = what_happened(run(rule, temperature), x)
    assert told in said
    assert said.startswith({True: "**Kept.**", False: "**Missed.**", None: "**Dropped"}[x.accepted])


def test_a_correction_comes_from_the_residual_only_where_it_was_drawn_from_it() -> None:
    x = choice("correction", " d")
    assert "drawn from the residual" in what_happened(run("rejection", 1.0), x)
    assert all("residual" not in what_happened(run(*r), x) for r in [("coupled", 1.0), ("rejection", 0.0)])


def test_the_number_drawn_is_among_the_figures_where_one_was() -> None:
    drawn, never = at(True, 0.2, 0.8, 0.1), at(None, 0.2, 0.8, None)
    assert ("u", "0.100") in figures(run("rejection", 1.0), drawn)
    assert "u" not in dict(figures(run("rejection", 1.0), never))
