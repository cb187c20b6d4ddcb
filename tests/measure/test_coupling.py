"""Coupled draws: the closed form against both marginals, against the published bound, and against real races."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.decoding.sampling import Draws
from core.measure.coupling import coupled_acceptance, coupled_bound, race_joint
from core.measure.exactness import tv


@st.composite
def two_distributions(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    size = draw(st.integers(1, 6))
    rows = [draw(st.lists(st.integers(0, 6), min_size=size, max_size=size).filter(any)) for _ in range(2)]
    return tuple(np.array(row) / sum(row) for row in rows)  # type: ignore[return-value]


@given(two_distributions())
def test_each_race_alone_is_a_draw_from_its_own_distribution(pair):
    p, q = pair
    joint = race_joint(q, p)
    assert (joint >= 0).all()
    assert joint.sum(0) == pytest.approx(p, abs=1e-9) and joint.sum(1) == pytest.approx(q, abs=1e-9)


@given(two_distributions())
def test_acceptance_lies_between_the_bound_and_that_of_rejection(pair):
    p, q = pair
    distance = tv(p, q)
    assert coupled_bound(distance) - 1e-9 <= coupled_acceptance(p, q) <= 1 - distance + 1e-9


def test_real_races_agree_with_the_closed_form():
    """8,000 races against 16 cells; χ² would fail one right run in 10,000."""
    from core.measure.exactness import chi_square

    p, q = np.array([0.5, 0.3, 0.2, 0.0]), np.array([0.2, 0.3, 0.1, 0.4])
    counts = np.zeros((4, 4))
    for seed in range(8000):
        draws = Draws(seed)
        counts[draws.race(torch.tensor(q), 3), draws.race(torch.tensor(p), 3)] += 1
    assert chi_square(counts.ravel(), race_joint(q, p).ravel()).p_value > 1e-4
