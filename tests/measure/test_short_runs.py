"""Short runs: the target's own joint, the count of what was written, and the verdict."""

from __future__ import annotations

import pytest

from core.decoding import DecodeRequest, RequestError
from core.measure.latency import drain
from core.measure.short_runs import short_runs, target_texts
from core.measure.verdict import Verdict
from core.measure.world import World, by_prefix, toy
from core.serving.opening import _exactness
from tests.tiny import exact_joint, next_distribution, tiny_pair

P, Q = (0.4, 0.3, 0.2, 0.1), (0.55, 0.25, 0.15, 0.05)
REQUEST = DecodeRequest("1 2 3", gamma=2, temperature=0.7, seed=5, chat=False)


def verdict(name: str, n: int = 500, request: DecodeRequest = REQUEST) -> Verdict:
    return drain(short_runs(toy(P, Q, request.temperature or 1.0), request, name, n, str))


def test_the_targets_joint_is_that_of_the_plain_model():
    pair = tiny_pair()
    world = World(by_prefix(pair.target_reader(), [1, 2], 5), by_prefix(pair.draft_reader(), [1, 2], 5), 5, 1.0)
    assert dict(target_texts(world, (), 2)) == pytest.approx(exact_joint(pair.target, [1, 2], 2), abs=1e-6)


def test_logits_are_those_of_the_text_whatever_was_asked_before():
    pair = tiny_pair()
    world = World(by_prefix(pair.target_reader(), [1], 5), by_prefix(pair.draft_reader(), [1], 5), 5, 1.0)
    for text in ([], [2, 3, 4], [2, 3], [2], [2, 3, 1], [0, 0], [2, 3, 4, 1]):
        assert world.p(text).tolist() == pytest.approx(next_distribution(pair.target, [1, *text]).tolist(), abs=1e-6)
        assert world.q(text).tolist() == pytest.approx(next_distribution(pair.draft, [1, *text]).tolist(), abs=1e-6)


def test_unlikely_beginnings_stand_for_what_begins_so():
    world = toy(P, Q)
    whole, cut = dict(target_texts(world, (), 3)), dict(target_texts(world, (), 3, least=0.05))
    assert sum(cut.values()) == pytest.approx(1) and len(cut) < len(whole)
    for text, share in cut.items():
        assert share == pytest.approx(sum(s for t, s in whole.items() if t[: len(text)] == text))


def test_a_verdict_counts_every_run():
    v = verdict("shipped")
    assert sum(b.count for b in v.beginnings) + v.rest.count + v.outside == v.n == 500
    assert sum(b.share for b in v.beginnings) + v.rest.share == pytest.approx(1)
    assert [b.share for b in v.beginnings] == sorted((b.share for b in v.beginnings), reverse=True)
    assert v.behind == "0" and v.outside == 0 and 1 < v.tokens_per_round < 3


@pytest.mark.parametrize(("name", "fails"), [("shipped", False), ("coupled", False), ("argmax", True)])
def test_the_verdict(name, fails):
    """500 runs at a fixed seed, failing at 1 %: what is exact would fail at one seed in a hundred."""
    v = verdict(name)
    assert v.fails == fails
    assert v.noise.low < v.noise.high and (v.distance > v.noise.high) == fails


def test_another_seed_is_another_sample_and_the_same_seed_the_same():
    asked = [DecodeRequest("1", gamma=2, temperature=0.7, seed=seed) for seed in (1, 1, 2)]
    one, again, other = (verdict("shipped", request=request) for request in asked)
    assert one == again and one.beginnings != other.beginnings


def test_progress_rises_to_the_end():
    steps = list(short_runs(toy(P, Q), REQUEST, "shipped", 500, str))
    assert steps == sorted(steps) and steps and 0 < steps[-1] <= 1


def test_greedy_runs_all_write_one_text():
    pair = tiny_pair()
    v = drain(_exactness(pair, DecodeRequest("1 2", gamma=2, temperature=0.0, chat=False), "shipped", 500))
    assert (v.beginnings[0].share, v.beginnings[0].count) == (1.0, 500)
    assert v.test.p_value == 1 and v.distance == 0 and not v.fails
    wrong = drain(_exactness(pair, DecodeRequest("1 2", gamma=2, temperature=0.0, chat=False), "raw-p", 500))
    assert wrong.outside > 0 and wrong.test.p_value == 0 and wrong.fails


def test_what_cannot_be_tested_is_said_in_one_sentence():
    with pytest.raises(RequestError, match="choose a rule"):
        verdict("nonsense")
    with pytest.raises(RequestError, match="choose a rule"):
        verdict("shipped", 501)
    with pytest.raises(RequestError, match="first token"):
        drain(_exactness(tiny_pair(eos_ids=frozenset(range(5))), REQUEST, "shipped", 500))
    with pytest.raises(RequestError, match="shorten it"):
        drain(_exactness(tiny_pair(), DecodeRequest("1 " * 60, chat=False), "shipped", 500))
