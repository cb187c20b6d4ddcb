"""Rounds of one position, played many times."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.decoding.rounds import Candidate, Position
from core.measure.exactness import Replacement, chi_square, output_distribution
from core.measure.toy import MOST, REST, Handful, handful, play, read_back, with_share, written_out

P, Q = (0.1, 0.2, 0.7, 0.0), (0.6, 0.1, 0.0, 0.3)
RULES: list[Replacement] = ["residual", "target", "argmax", "keep"]

shares = st.lists(st.integers(0, 9), min_size=2, max_size=6).filter(any).map(lambda w: tuple(x / sum(w) for x in w))


@pytest.mark.parametrize("rule", RULES)
def test_what_comes_out_is_distributed_as_the_exact_output(rule: Replacement) -> None:
    """Fixed seed; a right program fails for one seed in 10,000."""
    exact = output_distribution(np.array(P), np.array(Q), rule)
    assert chi_square(play(P, Q, rule, 100_000, 1).output(), exact).p_value > 1e-4


@pytest.mark.parametrize("rule", ["target", "argmax", "keep"])
def test_every_wrong_rule_is_seen(rule: Replacement) -> None:
    assert chi_square(play(P, Q, rule, 20_000, 1).output(), np.array(P)).p_value < 1e-6


def test_guesses_stay_in_the_ratio_of_p_and_q() -> None:
    """Four standard deviations: a right program fails for about one seed in 5,000."""
    rounds = play((0.6, 0.4), (0.8, 0.2), "residual", 100_000, 3)
    stayed = rounds.stayed / rounds.guessed
    assert stayed[0] == pytest.approx(0.75, abs=4 * (0.75 * 0.25 / 80_000) ** 0.5)
    assert stayed[1] == 1
    assert rounds.guessed.sum() == len(rounds) == rounds.output().sum() == 100_000


@pytest.mark.parametrize("rule", RULES)
def test_more_draws_begin_with_the_same_draws(rule: Replacement) -> None:
    few, many = play(P, Q, rule, 100, 5), play(P, Q, rule, 1000, 5)
    for name in ("guess", "u", "kept", "written"):
        assert (getattr(many, name)[:100] == getattr(few, name)).all()
    assert (many.output(100) == few.output()).all()
    assert (play(P, Q, rule, 100, 6).u != few.u).any()


@given(shares, st.data(), st.sampled_from(RULES))
@settings(max_examples=60)
def test_nothing_impossible_is_guessed_kept_or_written(
    p: tuple[float, ...], data: st.DataObject, rule: Replacement
) -> None:
    q = data.draw(shares.filter(lambda x: len(x) == len(p)) if len(p) < 3 else st.permutations(p).map(tuple))
    rounds = play(p, q, rule, 200, data.draw(st.integers(0, 9)))
    target, draft = np.array(p), np.array(q)
    assert (draft[rounds.guess] > 0).all()
    assert (target[rounds.guess[rounds.kept]] > 0).all()
    if rule != "keep":
        assert (target[rounds.written] > 0).all()
    assert (rounds.written[rounds.kept] == rounds.guess[rounds.kept]).all()


def test_equal_distributions_never_miss() -> None:
    assert play((0.3, 0.7), (0.3, 0.7), "residual", 10_000, 0).kept.all()


def test_no_rounds_are_no_rounds_and_too_many_are_refused() -> None:
    assert play(P, Q, "residual", 0, 0).output().tolist() == [0, 0, 0, 0]
    with pytest.raises(ValueError):
        play(P, Q, "residual", MOST + 1, 0)
    with pytest.raises(ValueError):
        play(P, Q[:3], "residual", 1, 0)


def test_a_million_rounds_take_a_fifth_of_a_second() -> None:
    """Processor time, the best of three, so that a busy machine does not fail it."""
    spent = []
    for seed in range(3):
        start = time.process_time()
        play(P, Q, "residual", MOST, seed).output()
        spent.append(time.process_time() - start)
    assert min(spent) < 0.2


@given(shares, st.data(), st.integers(0, 100))
def test_a_share_is_set_and_the_others_keep_their_proportions(
    before: tuple[float, ...], data: st.DataObject, percent: int
) -> None:
    index, share = data.draw(st.integers(0, len(before) - 1)), percent / 100
    after = with_share(before, index, share)
    assert after[index] == share and sum(after) == pytest.approx(1) and min(after) >= 0
    others = [(a, b) for i, (a, b) in enumerate(zip(after, before, strict=True)) if i != index]
    if before[index] < 1 and share < 1:
        scale = (1 - share) / (1 - before[index])
        assert all(a == pytest.approx(b * scale) for a, b in others)


def position(*candidates: tuple[float, float]) -> Position:
    top = tuple(Candidate(i, f" t{i}", p, q, p, q, 0.0) for i, (p, q) in enumerate(candidates))
    return Position(0, " t0", *candidates[0], *candidates[0], 1.0, 0.5, True, 0.5, 0.0, 0.0, top)


def test_a_real_position_is_cut_to_what_p_or_q_likes_most() -> None:
    few = handful(position((0.1, 0.0), (0.3, 0.01), (0.05, 0.6), (0.02, 0.02)), most=2)
    assert few.names == (" t2", " t1", REST)
    assert few.p == pytest.approx((0.05, 0.3, 0.65)) and few.q == pytest.approx((0.6, 0.01, 0.39))
    assert few.beta == pytest.approx(0.05 + 0.01 + 0.39)


def test_no_rest_where_nothing_is_left_and_one_where_a_token_stands_alone() -> None:
    assert handful(position((0.25, 0.5), (0.75, 0.5))).names == (" t1", " t0")
    alone = handful(position((1.0, 1.0), (0.0, 0.0)))
    assert alone.names == (" t0", REST) and alone.p == alone.q == (1.0, 0.0)


@given(shares, st.data())
def test_shares_come_back_from_their_text_to_the_thousandth(p: tuple[float, ...], data: st.DataObject) -> None:
    q = tuple(data.draw(st.permutations(p)))
    real = Handful(tuple("abcdef"[: len(p)]), p, p)
    back = read_back(real, written_out(real, p, q))
    assert back and sum(back.p) == pytest.approx(1) and sum(back.q) == pytest.approx(1)
    assert back.p == pytest.approx(p, abs=0.001) and back.q == pytest.approx(q, abs=0.001)


def test_shares_of_another_position_or_nonsense_are_not_taken() -> None:
    one, other = Handful(("a", "b"), (0.5, 0.5), (0.5, 0.5)), Handful(("a", "c"), (0.5, 0.5), (0.5, 0.5))
    text = written_out(one, (0.2, 0.8), (1.0, 0.0))
    assert read_back(one, text) == Handful(("a", "b"), (0.2, 0.8), (1.0, 0.0))
    assert read_back(other, text) is None
    mark = text.split("_")[0]
    for spoilt in ("", "x", f"{mark}_1.2_3", f"{mark}_200.800", f"{mark}_200.801_0.1000", f"{mark}_-1.1001_0.1000",
                   f"{mark}_a.b_c.d", f"{text}_1"):  # fmt: skip
        assert read_back(one, spoilt) is None
