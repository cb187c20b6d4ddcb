"""The rule itself: exact in every case that can be enumerated, and at every boundary where others slipped."""

from __future__ import annotations

from fractions import Fraction
from math import lcm

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from core.decoding.rule import coupled_round, rejection_round, residual

PARTS = 6
"""Probabilities in sixths: every acceptance p/q is then a fraction with a denominator up to six."""
GRID = lcm(*range(1, PARTS + 1))
"""As many equally spaced u as settle each such fraction exactly."""


class Script:
    """Draws whose uniforms are given, and whose samples are remembered instead of drawn."""

    def __init__(self, u: list[float]) -> None:
        self.u, self.asked = u, torch.empty(0)

    def uniforms(self, n: int) -> list[float]:
        return self.u[:n]

    def sample(self, probs: torch.Tensor) -> int:
        self.asked = probs
        return -1


def one_round(
    p: list[torch.Tensor], q: list[torch.Tensor], guesses: list[int], u: list[float]
) -> tuple[int, torch.Tensor]:
    """(length of the accepted prefix, distribution that the round's own token is drawn from)."""
    script = Script(u)
    kept, _, _ = rejection_round([], len(guesses), lambda t, g: (guesses, q), lambda t, x: torch.stack(p), script)  # type: ignore[arg-type]
    return len(kept), script.asked


def fractions(draw_from: st.DrawFn, size: int) -> list[int]:
    cuts = sorted(draw_from(st.lists(st.integers(0, PARTS), min_size=size - 1, max_size=size - 1)))
    return [b - a for a, b in zip([0, *cuts], [*cuts, PARTS], strict=True)]


@st.composite
def two_distributions(draw_from: st.DrawFn) -> tuple[list[int], list[int]]:
    size = draw_from(st.integers(2, 4))
    return fractions(draw_from, size), fractions(draw_from, size)


@settings(max_examples=60)
@given(two_distributions())
def test_one_position_reproduces_p_exactly(sixths):
    """Every guess and every u on a grid that decides each acceptance exactly; no sampling anywhere."""
    p6, q6 = sixths
    p, q = torch.tensor(p6) / PARTS, torch.tensor(q6) / PARTS
    out = [Fraction(0)] * len(p6)
    for x, mass in enumerate(q6):
        if mass == 0:
            continue
        for k in range(GRID):
            # Half a step off the grid, so that rounding cannot decide a tie.
            kept, final = one_round([p, p], [q], [x], [(k + 0.5) / GRID])
            weight = Fraction(mass, PARTS * GRID)
            if kept:
                out[x] += weight
            else:
                for y, share in enumerate(final.tolist()):
                    out[y] += weight * Fraction(share).limit_denominator(PARTS * PARTS)
    assert out == [Fraction(n, PARTS) for n in p6]


@given(two_distributions())
def test_residual_is_the_normalised_excess_and_never_nan(sixths):
    p, q = (torch.tensor(x) / PARTS for x in sixths)
    r = residual(p, q)
    assert torch.isfinite(r).all() and float(r.sum()) == pytest.approx(1, abs=1e-6)
    if sixths[0] != sixths[1]:
        excess = [max(0, a - b) for a, b in zip(*sixths, strict=True)]
        assert r.tolist() == pytest.approx([e / sum(excess) for e in excess], abs=1e-6)


def test_equal_distributions_fall_back_to_p():
    p = torch.tensor([0.25, 0.75])
    assert residual(p, p).tolist() == p.tolist()


def test_u_zero_never_keeps_a_token_that_the_target_rules_out():
    p, q = torch.tensor([0.0, 1.0]), torch.tensor([0.5, 0.5])
    assert one_round([p, p], [q], [0], [0.0])[0] == 0


def test_u_zero_keeps_any_token_that_the_target_allows():
    p, q = torch.tensor([1e-6, 1 - 1e-6]), torch.tensor([0.5, 0.5])
    assert one_round([p, p], [q], [0], [0.0])[0] == 1


def test_the_correction_comes_from_the_distributions_of_the_missed_position():
    p = [torch.tensor(x) for x in ([1.0, 0, 0], [0, 0.2, 0.8], [0, 0, 1.0], [0.4, 0.3, 0.3])]
    q = [torch.tensor(x) for x in ([1.0, 0, 0], [0.5, 0.5, 0], [1.0, 0, 0])]
    kept, final = one_round(p, q, [0, 0, 0], [0.5, 0.5, 0.5])
    assert kept == 1
    assert final.tolist() == pytest.approx([0, 0, 1])


def test_the_bonus_comes_from_the_last_distribution():
    p = [torch.tensor(x) for x in ([1.0, 0], [1.0, 0], [0.3, 0.7])]
    kept, final = one_round(p, [p[0], p[1]], [0, 0], [0.99, 0.99])
    assert kept == 2 and final.tolist() == pytest.approx([0.3, 0.7])


def test_a_round_without_guesses_is_a_plain_step():
    kept, final = one_round([torch.tensor([0.3, 0.7])], [], [], [])
    assert kept == 0 and final.tolist() == pytest.approx([0.3, 0.7])


def test_greedy_keeps_equal_tokens_and_corrects_to_the_targets_own():
    p, q = torch.tensor([0.0, 1.0, 0.0]), torch.tensor([1.0, 0.0, 0.0])
    assert one_round([p, p], [p], [1], [0.999])[0] == 1
    kept, final = one_round([p, p], [q], [0], [0.0])
    assert kept == 0 and final.tolist() == [0, 1, 0]


def test_a_one_hot_draft_is_kept_with_p_and_replaced_by_the_others():
    """Prompt lookup and argmax drafts: q is one-hot whatever the draft's softmax said."""
    p, q = torch.tensor([0.3, 0.5, 0.2]), torch.tensor([1.0, 0.0, 0.0])
    assert one_round([p, p], [q], [0], [0.29])[0] == 1
    kept, final = one_round([p, p], [q], [0], [0.31])
    assert kept == 0 and final.tolist() == pytest.approx([0, 5 / 7, 2 / 7])


class Race:
    """Coupled draws with the targets' tokens given by position."""

    def __init__(self, own: dict[int, int]) -> None:
        self.own = own

    def race(self, probs: torch.Tensor, position: int) -> int:
        return self.own[position]


def test_coupled_rounds_write_the_targets_own_draws():
    p = [torch.tensor([0.5, 0.5])] * 4
    race = Race({10: 1, 11: 0, 12: 1, 13: 0})
    text = list(range(10))
    kept, token, _ = coupled_round(text, 3, lambda t, g: ([1, 0, 0], []), lambda t, x: torch.stack(p), race)  # type: ignore[arg-type]
    assert (kept, token) == ([1, 0], 1)
    kept, token, _ = coupled_round(text, 3, lambda t, g: ([1, 0, 1], []), lambda t, x: torch.stack(p), race)  # type: ignore[arg-type]
    assert (kept, token) == ([1, 0, 1], 0)


def test_the_round_fits_on_a_slide():
    """At most seventeen lines of code, docstring aside."""
    import ast
    import inspect

    tree = ast.parse(inspect.getsource(rejection_round)).body[0]
    assert isinstance(tree, ast.FunctionDef) and tree.end_lineno
    docstring = tree.body[0]
    assert docstring.end_lineno
    assert tree.end_lineno - (docstring.end_lineno - docstring.lineno + 1) <= 17
