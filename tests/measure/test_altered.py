"""Each switch seen failing or passing, by enumeration: every text of two tokens, with its exact probability."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from core.decoding.sampling import Draws
from core.measure.altered import BUILDS, typical
from core.measure.enumeration import outcomes
from core.measure.exactness import tv
from core.measure.short_runs import exact_texts, target_texts, write
from core.measure.switches import SWITCHES, switch
from core.measure.world import World, toy

LOSSY = [s.name for s in SWITCHES if s.group == "changes the text"]
EXACT = [s.name for s in SWITCHES if s.group != "changes the text"]
ROUNDING = 1e-6
"""p and q are float32, as in the loop."""


def distance(name: str, world: World, gamma: int = 1, length: int = 2) -> float:
    texts, right = exact_texts(name, world, length, gamma).texts, dict(target_texts(world, (), length))
    every = sorted({*texts, *right})
    return tv(np.array([texts.get(t, 0.0) for t in every]), np.array([right.get(t, 0.0) for t in every]))


def first_token(name: str, p: list[float], q: list[float]) -> list[float]:
    """What one position comes to under a switch."""
    world = toy(p, q, habits=(0.0, 0.0))
    found = outcomes(lambda draws: write(name, world, (), 1, 1, draws).text)
    return [found.get((x,), 0.0) for x in range(len(p))]


def test_words_and_parts_go_together():
    assert [s.name for s in SWITCHES] == list(BUILDS)
    assert Counter(s.group for s in SWITCHES) == {"as shipped": 1, "changes the text": 8, "exact, only slower": 5}
    with pytest.raises(KeyError):
        switch("nonsense")


@pytest.mark.parametrize("name", LOSSY)
@pytest.mark.parametrize(("p", "q"), [((0.7, 0.3), (0.4, 0.6)), ((0.4, 0.3, 0.2, 0.1), (0.55, 0.25, 0.15, 0.05))])
def test_what_changes_the_text_does_so(name, p, q):
    assert distance(name, toy(p, q, temperature=0.7)) > 0.01


@pytest.mark.parametrize("name", EXACT)
@settings(max_examples=12)
@given(data=st.data())
def test_what_is_exact_is_exact_for_any_two_models(name, data):
    size, gamma = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 2))
    rows = [data.draw(st.lists(st.integers(0, 4), min_size=size, max_size=size).filter(any)) for _ in range(2)]
    p, q = ([x / sum(row) for x in row] for row in rows)
    assert distance(name, toy(p, q, temperature=data.draw(st.sampled_from([0.6, 1.0, 1.5]))), gamma) < ROUNDING


@pytest.mark.parametrize("name", ["no-bonus", "equal", "other-temperature", "coupled"])
def test_what_is_only_slower_gives_fewer_tokens_a_round(name):
    world = toy((0.4, 0.3, 0.2, 0.1), (0.55, 0.25, 0.15, 0.05), temperature=0.7)
    shipped, other = (exact_texts(n, world, 2, 1).tokens_per_round for n in ("shipped", name))
    assert other < shipped - 0.01


def test_a_stale_draft_guesses_worse_once_something_was_rejected():
    world = toy((0.7, 0.3), (0.4, 0.6))
    shipped, stale = (exact_texts(name, world, 4, 2).tokens_per_round for name in ("shipped", "stale-draft"))
    assert stale < shipped - 0.01
    same = toy((0.8, 0.2), (0.8, 0.2), habits=(0.5, 0.5))
    shipped, stale = (exact_texts(name, same, 4, 2).tokens_per_round for name in ("shipped", "stale-draft"))
    assert stale == pytest.approx(shipped)


def test_argmax_drafts_scored_with_softmax():
    assert first_token("argmax", [0.3, 0.5, 0.2], [0.4, 0.3, 0.3]) == pytest.approx([0.75, 0.25, 0], abs=ROUNDING)


def test_a_dropped_low_confidence_token():
    assert first_token("unsure", [0.6, 0.4], [0.6, 0.4]) == pytest.approx([0.84, 0.16], abs=ROUNDING)
    assert first_token("shipped", [0.6, 0.4], [0.6, 0.4]) == pytest.approx([0.6, 0.4], abs=ROUNDING)


def test_typical_acceptance_keeps_all_four():
    p = torch.tensor([0.55, 0.25, 0.1, 0.1])
    assert all(typical(p, x) for x in range(4))
    q = [0.1, 0.2, 0.3, 0.4]
    assert first_token("typical", p.tolist(), q) == pytest.approx(q, abs=ROUNDING)
    # It does refuse something: what the target finds far less likely than the rest.
    assert not typical(torch.tensor([0.95, 0.05]), 1)


def test_accept_if_equal_keeps_the_sum_of_products():
    world = toy((0.5, 0.3, 0.2), (0.2, 0.3, 0.5), habits=(0.0, 0.0))
    assert exact_texts("equal", world, 1, 1).tokens_per_round == pytest.approx(1 + 0.1 + 0.09 + 0.1)
    assert exact_texts("shipped", world, 1, 1).tokens_per_round == pytest.approx(1 + 0.7)


def test_a_text_that_ends_is_not_carried_on():
    base = toy((0.5, 0.5), (0.3, 0.7))
    world = World(lambda text: base.p(text).log(), lambda text: base.q(text).log(), 2, 1.0, eos=frozenset({1}))
    right = dict(target_texts(world, (), 3))
    assert set(right) == {(1,), (0, 1), (0, 0, 1), (0, 0, 0)}
    assert distance("shipped", world, gamma=2, length=3) < ROUNDING


def test_the_same_seed_writes_the_same():
    world = toy((0.4, 0.3, 0.3), (0.2, 0.3, 0.5))
    for name in BUILDS:
        one, other = (write(name, world, (0,), 5, 2, Draws(3)) for _ in range(2))
        assert one == other and len(one.text) == 5
