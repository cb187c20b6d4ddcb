"""The loops on tiny models: caches, endings, seeds, vocabularies, and the distribution of whole texts."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from core.decoding import Committed, DecodeRequest, RequestError, Trace, decode, stream
from core.models import ModelPair
from tests.tiny import exact_joint, next_distribution, tiny_model, tiny_pair

PAIR = tiny_pair()
SAME = tiny_pair(draft=PAIR.target)
ASK = DecodeRequest("1 2 3", temperature=1.0, max_new_tokens=12, gamma=3)

REQUESTS = st.builds(
    DecodeRequest,
    prompt=st.lists(st.sampled_from("01234"), min_size=1, max_size=6).map(" ".join),
    method=st.sampled_from(["speculative", "standard", "draft"]),
    gamma=st.integers(1, 9),
    temperature=st.sampled_from([0.0, 0.3, 1.0, 2.0]),
    top_k=st.sampled_from([None, 1, 2, 4]),
    top_p=st.sampled_from([None, 0.5, 0.9]),
    max_new_tokens=st.integers(1, 14),
    seed=st.integers(0, 2**40),
    rule=st.sampled_from(["rejection", "coupled"]),
)


@settings(max_examples=80)
@given(REQUESTS, st.sampled_from([frozenset(), frozenset({0}), frozenset({4})]))
def test_every_trace_holds_together(request_: DecodeRequest, eos_ids: frozenset[int]):
    trace = decode(replace(PAIR, eos_ids=eos_ids), request_)
    check(trace, eos_ids)
    assert Trace.from_json(trace.to_json()) == trace


def check(trace: Trace, eos_ids: frozenset[int]) -> None:
    """All that must be true of any run, whatever was asked."""
    request, tokens = trace.request, trace.tokens
    prompt = len(trace.prefill.prompt_tokens)
    assert len(tokens) == len(trace.pieces) <= request.max_new_tokens
    assert not set(tokens[:-1]) & eos_ids
    assert (trace.stop == "eos") == (tokens[-1] in eos_ids)
    assert trace.stop != "length" or len(tokens) == request.max_new_tokens
    written = 1
    for r in trace.rounds:
        kept = [x.token for x in r.positions if x.accepted]
        verdicts = [x.accepted for x in r.positions]
        assert verdicts == sorted(verdicts, key=lambda v: {True: 0, False: 1, None: 2}[v])
        assert verdicts.count(False) <= 1
        assert list(r.committed) == kept + ([r.final.token] if r.final else [])
        assert 1 <= len(r.committed) <= len(r.positions) + 1
        assert r.final or r.committed[-1] in eos_ids
        committed = prompt + written + len(r.committed)
        if request.method == "speculative" and r.final:
            assert r.target_cache == (prompt + written - 1, committed - 1)
            full = len(r.positions) > 0 and all(verdicts)
            # With γ = 0 (one token left) the draft is not run and keeps what it had.
            if r.positions:
                assert r.draft_cache[1] == committed - (2 if full else 1)
        # The target answers behind the last guess too, whatever became of the guesses.
        assert bool(r.behind) == bool(r.positions)
        assert abs(sum(c.p for c in r.behind) - bool(r.positions)) < 1e-5
        if r.final and r.final.kind == "bonus":
            assert r.final.top == r.behind
        for x in r.positions:
            assert x.q > 0 and x.ratio == x.p / x.q and 0 <= x.beta <= 1 + 1e-5
            if x.accepted is not None and request.rule == "rejection":
                assert x.u is not None and x.accepted == (torch.tensor(x.q) * x.u < x.p).item()
            else:
                assert x.u is None
        written += len(r.committed)


@settings(max_examples=40)
@given(REQUESTS)
def test_greedy_and_coupled_texts_are_those_of_standard_decoding(request_: DecodeRequest):
    same_text = replace(request_, rule="coupled") if request_.temperature else request_
    a = decode(PAIR, replace(same_text, method="speculative"))
    b = decode(PAIR, replace(same_text, method="standard"))
    assert a.tokens == b.tokens and a.stop == b.stop


def test_the_same_request_gives_the_same_run_and_another_seed_another():
    def figures(trace: Trace) -> list:
        return [(r.positions, r.committed, r.final, r.target_cache, r.draft_cache) for r in trace.rounds]

    assert figures(decode(PAIR, ASK)) == figures(decode(PAIR, ASK))
    assert decode(PAIR, ASK).tokens != decode(PAIR, replace(ASK, seed=1)).tokens


def test_draws_differ_from_round_to_round():
    uniforms = [
        x.u for r in decode(PAIR, replace(ASK, max_new_tokens=40)).rounds for x in r.positions if x.u is not None
    ]
    assert len(set(uniforms)) == len(uniforms) > 10


@pytest.mark.parametrize("gamma", [1, 3, 8])
def test_a_draft_equal_to_the_target_is_always_kept_and_each_round_gains_its_bonus(gamma: int):
    trace = decode(SAME, replace(ASK, gamma=gamma, max_new_tokens=40))
    assert trace.rejected == 0 and trace.alpha_hat == 1
    assert all(r.final and r.final.kind == "bonus" for r in trace.rounds if r.positions)
    assert all(len(r.committed) == r.gamma + 1 for r in trace.rounds)
    assert len(trace.tokens) == 40


def test_the_draft_goes_on_drafting_after_a_full_acceptance_and_after_a_miss():
    for pair in (SAME, PAIR):
        rounds, left = decode(pair, replace(ASK, max_new_tokens=40)).rounds, 39
        for r in rounds:
            assert r.gamma == len(r.positions) == min(3, left - 1)
            left -= len(r.committed)
        assert left == 0 and len(rounds) > 3


def test_positions_hold_the_distributions_of_their_own_prefix():
    """p and q recomputed without any cache: a stale entry or a wrong position id would show."""
    trace = decode(PAIR, replace(ASK, temperature=0.7, max_new_tokens=20))
    text = [*trace.prefill.prompt_tokens, trace.prefill.choice.token]
    for r in trace.rounds:
        for i, x in enumerate(r.positions):
            before = [*text, *(y.token for y in r.positions[:i])]
            p = next_distribution(PAIR.target, before, temperature=0.7)
            q = next_distribution(PAIR.draft, before, temperature=0.7)
            assert (x.p, x.q) == pytest.approx((float(p[x.token]), float(q[x.token])), abs=1e-5)
            assert x.p_raw == pytest.approx(float(next_distribution(PAIR.target, before)[x.token]), abs=1e-5)
            assert x.beta == pytest.approx(float(torch.minimum(p, q).sum()), abs=1e-5)
            excess = (p - q).clamp(min=0)
            for c in x.top:
                assert c.residual == pytest.approx(float(excess[c.token] / excess.sum()), abs=1e-4)
        text += r.committed


def test_padding_to_a_constant_width_leaves_no_trace():
    for width in (4, 7):
        padded, plain = decode(tiny_pair(width=width), ASK), decode(PAIR, ASK)
        assert padded.tokens == plain.tokens
        assert [r.target_cache for r in padded.rounds] == [r.target_cache for r in plain.rounds]


@pytest.mark.parametrize("rule", ["rejection", "coupled"])
@pytest.mark.parametrize(
    "warp", [{"temperature": 1.0}, {"temperature": 0.6, "top_k": 3}, {"temperature": 1.5, "top_p": 0.8}]
)
def test_texts_are_distributed_as_the_target_writes_them(rule, warp: dict):
    """Three tokens against the enumerated joint: χ², 800 seeds; a right program fails once in 10,000 seed sets."""
    pair = tiny_pair(target=tiny_model(1, 4), draft=tiny_model(2, 4))
    joint = exact_joint(pair.target, [1, 2], 3, **warp)
    ask = DecodeRequest("1 2", max_new_tokens=3, gamma=2, rule=rule, **warp)
    runs = 800
    counts = Counter(tuple(decode(pair, replace(ask, seed=s)).tokens) for s in range(runs))
    assert all(joint[text] > 0 for text in counts)
    assert chi_square(joint, counts, runs) > 1e-4


def chi_square(joint: dict, counts: Counter, runs: int) -> float:
    """p-value, texts expected fewer than five times pooled."""
    big = [t for t, mass in joint.items() if mass * runs >= 5]
    observed = [counts[t] for t in big]
    expected = [joint[t] * runs for t in big]
    if runs - sum(expected) > 1e-6 * runs:
        observed.append(runs - sum(observed))
        expected.append(runs - sum(expected))
    expected_array = np.array(expected)
    return float(stats.chisquare(observed, expected_array * sum(observed) / expected_array.sum()).pvalue)


def test_an_end_inside_the_draft_ends_the_text_there():
    """Draft and target agree on everything, so ends are accepted in the middle of drafts."""
    cut = 0
    for seed in range(60):
        trace = decode(replace(SAME, eos_ids=frozenset({2})), replace(ASK, gamma=6, seed=seed, max_new_tokens=30))
        check(trace, frozenset({2}))
        last = trace.rounds[-1] if trace.rounds else None
        if last and last.final is None:
            cut += 1
            after = [x for x in last.positions if x.accepted is None]
            assert len(after) == len(last.positions) - len(last.committed)
            assert last.rejected == 0
    assert cut > 5


def test_without_an_end_of_sequence_the_text_runs_to_its_length():
    assert decode(PAIR, ASK).stop == "length"


@pytest.mark.parametrize("gamma", [1, 5, 32])
def test_a_draft_longer_than_what_is_left_is_cut(gamma: int):
    for length in (1, 2, 3, 7):
        trace = decode(SAME, replace(ASK, gamma=gamma, max_new_tokens=length))
        assert len(trace.tokens) == length
        assert all(len(r.committed) == len(r.positions) + 1 for r in trace.rounds)


def test_the_text_stops_where_the_context_ends():
    for method in ("standard", "speculative", "draft"):
        trace = decode(tiny_pair(context=10), replace(ASK, method=method, max_new_tokens=50, gamma=6))
        assert trace.stop == "context" and len(trace.prefill.prompt_tokens) + len(trace.tokens) == 10


def test_a_prompt_longer_than_the_context_is_refused_in_one_sentence():
    with pytest.raises(RequestError, match="12 tokens.*at most 10"):
        decode(tiny_pair(context=10), replace(ASK, prompt=" ".join("1" * 12)))


@pytest.mark.parametrize(("target_size", "draft_size"), [(5, 9), (9, 5)])
@pytest.mark.parametrize("rule", ["rejection", "coupled"])
def test_unequal_vocabularies_meet_on_the_shared_ids(target_size, draft_size, rule):
    pair = tiny_pair(target=tiny_model(1, target_size), draft=tiny_model(2, draft_size))
    seen = set()
    for seed in range(25):
        trace = decode(pair, replace(ASK, rule=rule, seed=seed))
        check(trace, frozenset())
        seen |= {x.token for x in trace.positions()}
    assert max(seen) < min(target_size, draft_size)


def test_unequal_vocabularies_stay_exact():
    pair = tiny_pair(target=tiny_model(1, 6), draft=tiny_model(2, 3))
    joint = exact_joint(pair.target, [1, 2], 2)
    ask = DecodeRequest("1 2", max_new_tokens=2, gamma=1, temperature=1.0)
    counts = Counter(tuple(decode(pair, replace(ask, seed=s)).tokens) for s in range(800))
    assert chi_square(joint, counts, 800) > 1e-4


def test_an_unknown_drafter_is_refused_in_one_sentence():
    with pytest.raises(RequestError, match="no drafter called 'oracle'"):
        replace(ASK, drafter="oracle")  # type: ignore[arg-type]


def test_equal_logits_are_broken_the_same_way_on_both_sides():
    flat = tiny_model(3)
    with torch.no_grad():
        flat.lm_head.weight.zero_()
    trace = decode(tiny_pair(target=flat, draft=flat), replace(ASK, temperature=0.0))
    assert trace.tokens == [0] * 12 and trace.alpha_hat == 1


def test_events_come_round_by_round_and_closing_ends_the_run():
    events = stream(PAIR, ASK)
    for event in events:
        if isinstance(event, Committed):
            break
    events.close()  # type: ignore[attr-defined]
    with pytest.raises(StopIteration):
        next(events)


def test_metrics_count_all_rounds_and_never_what_was_not_examined():
    trace = decode(PAIR, replace(ASK, max_new_tokens=40))
    kept = sum(x.accepted is True for x in trace.positions())
    missed = sum(x.accepted is False for x in trace.positions())
    assert trace.alpha_hat == kept / (kept + missed)
    assert trace.tau == (len(trace.tokens) - 1) / len(trace.rounds)
    first = sum(r.accepted >= 1 for r in trace.rounds) / sum(bool(r.positions) for r in trace.rounds)
    assert trace.survival[0] == first
    assert trace.survival == sorted(trace.survival, reverse=True)


def test_models_of_the_pair_are_left_as_they_were():
    def weights(pair: ModelPair) -> list[torch.Tensor]:
        return [t.clone() for m in (pair.target, pair.draft) for t in m.state_dict().values()]

    before = weights(PAIR)
    decode(PAIR, ASK)
    assert all(torch.equal(a, b) for a, b in zip(before, weights(PAIR), strict=True))
