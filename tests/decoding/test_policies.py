"""How γ goes on from round to round."""

from __future__ import annotations

from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.decoding import DecodeRequest, decode, policies
from core.decoding.policies import Confidence, Goodput, Heuristic
from core.decoding.rounds import Round
from core.theory.closed_forms import pass_cost, round_cost
from tests.tiny import tiny_pair
from tests.ui.hand_made import choice, guess, guess_round, plain_round

PAIR = tiny_pair()
SAME = tiny_pair(draft=PAIR.target)
ASK = DecodeRequest("1 2 3", temperature=1.0, gamma=2, max_new_tokens=30)


def full(n: int) -> Round:
    return guess_round(0, [guess("x", True)] * n, choice("bonus", "y"))


MISS = guess_round(0, [guess("x", False)], choice("correction", "y"))


@pytest.fixture
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    """A draft step that costs a tenth of a pass, and checks that are free."""
    monkeypatch.setattr(policies, "costs", lambda pair, drafter: (0.1, pass_cost([1, 9], [1.0, 1.0])))


def test_the_heuristic_goes_up_by_two_and_down_by_one_within_bounds() -> None:
    policy, seen = Heuristic(PAIR, replace(ASK, gamma=3)), []
    for round_ in (full(3), MISS, full(4), full(6), full(8), *[MISS] * 10):
        policy.after(round_)
        seen.append(policy.gamma)
    assert seen == [5, 4, 6, 8, 8, 7, 6, 5, 4, 3, 2, 1, 1, 1, 1]
    assert [policies.longest(replace(PAIR, width=w)) for w in (7, 1, 64)] == [6, 1, 32]


def test_a_plain_step_teaches_the_heuristic_nothing() -> None:
    policy = Heuristic(PAIR, ASK)
    policy.after(plain_round(0, "target", "x"))
    assert policy.gamma == 2


def test_the_confident_go_on_and_the_unsure_keep_what_they_drew() -> None:
    def sure(first: float) -> bool:
        return Confidence(PAIR, ASK).go_on(torch.tensor([first, 0.3, 0.7 - first]).log())

    assert sure(0.41) and not sure(0.39)
    trace = decode(PAIR, replace(ASK, policy="confidence", gamma=6, max_new_tokens=60))
    # Far from the end of the text, where a draft is cut to what is left to write.
    early = trace.rounds[:8]
    lengths = [len(r.positions) for r in early]
    assert min(lengths) >= 1 and len(set(lengths)) > 1
    # All but the last guess of a short draft were made by a confident drafter.
    short = [r.positions for r in early if len(r.positions) < 6]
    assert all(max(c.q_raw for c in x.top) >= 0.4 for xs in short for x in xs[:-1])
    assert all(max(c.q_raw for c in xs[-1].top) < 0.4 for xs in short)


def test_goodput_drafts_longer_where_guesses_hold_and_stops_where_they_do_not(cheap: None) -> None:
    policy = Goodput(PAIR, ASK)
    first = policy.gamma
    for _ in range(20):
        policy.after(full(policy.gamma))
    assert policy.gamma == 8 > first >= 1
    offs = []
    for _ in range(200):
        offs.append(policy.gamma)
        policy.after(MISS if policy.gamma else plain_round(0, "target", "x"))
    # Switched off, and looked in on now and then with one guess, which costs a tenth of a pass.
    assert set(offs[60:]) == {0, 1} and offs[60:].count(1) <= 140 * Goodput.SHARE / 0.1 + 1
    while not policy.gamma:
        policy.after(plain_round(0, "target", "x"))
    for _ in range(20):
        policy.after(full(policy.gamma) if policy.gamma else plain_round(0, "target", "x"))
    assert policy.gamma > 1


@given(hits=st.lists(st.integers(0, 8), max_size=150))
def test_goodput_never_loses_more_than_its_stake_and_its_share(hits: list[int]) -> None:
    """Whatever is kept of each draft, by the costs that the policy knows."""
    c, verify = 0.2, pass_cost([1, 9], [1.0, 1.8])
    with patch.object(policies, "costs", lambda pair, drafter: (c, verify)):
        policy = Goodput(PAIR, ASK)
    written = spent = 0.0
    for kept in hits:
        gamma = policy.gamma
        kept = min(kept, gamma)
        guesses = [guess("x", True)] * kept + [guess("x", False)] * (kept < gamma)
        guesses += [guess("x", None)] * (gamma - len(guesses))
        policy.after(guess_round(0, guesses, choice("bonus", "y")) if gamma else plain_round(0, "target", "x"))
        written += kept + 1
        spent += float(round_cost(gamma, c, verify))
        assert spent <= written * (1 + Goodput.SHARE) + Goodput.STAKE + 1e-9


def test_goodput_switches_a_useless_draft_off_and_a_perfect_one_up(cheap: None) -> None:
    up = decode(SAME, replace(ASK, policy="goodput", max_new_tokens=60))
    assert max(r.gamma for r in up.rounds) == 8
    assert decode(PAIR, replace(ASK, policy="goodput")).tokens == decode(PAIR, replace(ASK, policy="goodput")).tokens


def test_costs_are_measured_once_and_are_costs() -> None:
    c, checks = policies.costs(PAIR, "draft")
    one, three, five = checks(np.array([1.0, 3.0, 5.0]))
    assert 0 < c < 50 and one == 1 and five >= three >= 1
    assert policies.costs(PAIR, "draft")[0] == c and 0 <= policies.costs(PAIR, "lookup")[0] < 1
