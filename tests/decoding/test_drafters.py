"""Every source of guesses on tiny models: the target's text, its distribution, its caches."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import LlamaForCausalLM

from core.decoding import DecodeRequest, RequestError, Trace, decode
from core.decoding.drafters.early_exit import shallow
from core.decoding.drafters.lookup import following
from core.decoding.request import DRAFTER_NAMES, Drafter
from core.models import attention
from core.models.head_model import HeadForCausalLM
from core.models.reader import Reader, ancestors
from tests.decoding.test_loop import chi_square
from tests.tiny import exact_joint, tiny_model, tiny_pair

DRAFTERS = DRAFTER_NAMES


def tiny_head(target: LlamaForCausalLM) -> HeadForCausalLM:
    """A random head for a tiny target, with rows for all tokens but the last."""
    torch.manual_seed(7)
    config = type(target.config)(**{**target.config.to_dict(), "num_hidden_layers": 1, "draft_rows": 4})
    config._attn_implementation = attention.NAME
    head = HeadForCausalLM(config).eval()
    with torch.no_grad():
        for weight in head.parameters():
            if weight.dim() == 2:
                weight.normal_(std=0.5)
    head.share_embedding(target)
    return head


TARGET = tiny_model(1, layers=3)
HEAD = tiny_head(TARGET)
PAIR = replace(tiny_pair(target=TARGET), head=HEAD)
ASK = DecodeRequest("1 2 3", temperature=1.0, max_new_tokens=12, gamma=3)

REQUESTS = st.builds(
    DecodeRequest,
    prompt=st.lists(st.sampled_from("01234"), min_size=1, max_size=8).map(" ".join),
    drafter=st.sampled_from(DRAFTERS),
    gamma=st.integers(1, 5),
    branches=st.integers(1, 4),
    policy=st.sampled_from(["fixed", "heuristic", "confidence"]),
    temperature=st.sampled_from([0.0, 0.5, 1.0]),
    top_k=st.sampled_from([None, 1, 3]),
    max_new_tokens=st.integers(1, 14),
    seed=st.integers(0, 2**40),
    rule=st.sampled_from(["rejection", "coupled"]),
)


@settings(max_examples=25)
@given(REQUESTS, st.sampled_from([frozenset(), frozenset({0}), frozenset({4})]))
def test_every_drafters_trace_holds_together(request_: DecodeRequest, eos_ids: frozenset[int]):
    trace = decode(replace(PAIR, eos_ids=eos_ids), request_)
    check(trace, eos_ids)
    assert Trace.from_json(trace.to_json()) == trace


def check(trace: Trace, eos_ids: frozenset[int]) -> None:
    prompt, written = len(trace.prefill.prompt_tokens), 1
    for r in trace.rounds:
        kept = [x.token for x in r.positions if x.accepted]
        assert list(r.committed) == kept + ([r.final.token] if r.final else [])
        assert r.final or r.committed[-1] in eos_ids
        assert [x.accepted for x in r.positions].count(False) <= 1
        if r.final:
            end = prompt + written + len(r.committed) - 1
            assert r.target_cache == (prompt + written - 1, end) and r.draft_cache[1] <= end
        check_tree(r.tree, kept)
        written += len(r.committed)
    assert len(trace.tokens) <= trace.request.max_new_tokens and not set(trace.tokens[:-1]) & eos_ids


def check_tree(tree: tuple, kept: list[int]) -> None:
    assert [n.token for n in tree if n.accepted] == (kept if tree else [])
    for i, node in enumerate(tree):
        assert node.parent is None or (node.parent < i and (node.accepted is None or tree[node.parent].accepted))
        siblings = [n.token for n in tree if n.parent == node.parent]
        assert len(set(siblings)) == len(siblings)


@settings(max_examples=20)
@given(REQUESTS)
def test_greedy_and_coupled_texts_are_the_targets_own(request_: DecodeRequest):
    asked = replace(request_, rule="coupled") if request_.temperature else request_
    assert decode(PAIR, asked).tokens == decode(PAIR, replace(asked, method="standard")).tokens


@pytest.mark.parametrize("drafter", [d for d in DRAFTERS if d != "draft"])
def test_texts_are_distributed_as_the_target_writes_them(drafter: Drafter):
    # 200 texts of three tokens, a fixed seed, false alarms one in ten thousand.
    ask = replace(ASK, drafter=drafter, max_new_tokens=3, gamma=2, branches=3)
    joint = exact_joint(PAIR.target, [1, 2, 3], 3)
    counts = Counter(tuple(decode(PAIR, replace(ask, seed=s)).tokens) for s in range(200))
    assert chi_square(joint, counts, 200) > 1e-4


@pytest.mark.parametrize("drafter", DRAFTERS)
def test_a_short_draft_stops_drafting_and_a_long_one_does_not_stay_behind(drafter: Drafter):
    trace = decode(PAIR, replace(ASK, drafter=drafter, max_new_tokens=40, gamma=2))
    assert drafter == "lookup" or all(r.positions for r in trace.rounds[:-2])


def test_the_longest_and_latest_match_is_looked_up():
    assert following([1, 2, 3, 9, 2, 3, 4, 2, 3], 2) == [4, 2]
    assert following([1, 2, 3, 9, 1, 2, 4, 1, 2], 3) == [4, 1, 2]
    assert following([5, 1, 2, 3, 7, 9, 2, 3, 8, 1, 2, 3], 1) == [7]  # three tokens count more than the latest two
    assert following([1, 2, 3], 4) == [] and following([1], 4) == [] and following([1, 1, 1], 4) == [1]


def test_lookup_copies_no_end_of_sequence():
    trace = decode(replace(PAIR, eos_ids=frozenset({2})), replace(ASK, prompt="1 2 3 1", drafter="lookup"))
    assert all(x.token != 2 for r in trace.rounds for x in r.positions)


def test_leaving_early_with_all_layers_is_the_target_and_changes_nothing_of_it():
    before = [p.clone() for p in TARGET.parameters()]
    layers = list(TARGET.model.layers)
    view = shallow(TARGET, 3)
    ids = torch.tensor([[1, 2, 3]])
    with torch.inference_mode():
        assert torch.equal(view(ids).logits, TARGET(ids).logits)
        assert not torch.equal(shallow(TARGET, 1)(ids).logits, TARGET(ids).logits)
    assert list(TARGET.model.layers) == layers
    assert all(torch.equal(a, b) for a, b in zip(before, TARGET.parameters(), strict=True))


def test_early_exit_has_no_cache_of_its_own():
    for r in decode(PAIR, replace(ASK, drafter="early_exit")).rounds:
        assert r.draft_cache == r.target_cache


def test_a_pair_without_a_head_says_so():
    with pytest.raises(RequestError, match="no multi-token head"):
        decode(tiny_pair(), replace(ASK, drafter="head"))


def test_the_head_reads_the_same_whether_token_by_token_or_all_at_once():
    # What a run has in the head's cache must be what one pass over the true hidden states makes.
    trace = decode(PAIR, DecodeRequest("1 2 3 4 0", drafter="head", gamma=1, max_new_tokens=3, temperature=1.0))
    text = [1, 2, 3, 4, 0, trace.tokens[0]]
    reader = PAIR.target_reader()
    reader.keep_hidden = True
    reader.read(text)
    assert reader.hidden is not None
    hidden = torch.cat([torch.zeros(1, 16), reader.hidden[:-1]])
    with torch.inference_mode():
        at_once = HEAD.features(HEAD.fused(torch.tensor([text]), hidden[None]))[0, -1]
        q = HEAD.full_logits(at_once[None]).softmax(1)[0]
    first = trace.rounds[0].positions[0]
    assert abs(first.q_raw - float(q[first.token])) < 1e-5


def test_a_tree_pass_says_of_each_branch_what_the_branch_alone_would():
    text, tokens, parents = [1, 2, 3], [4, 0, 1, 2, 3], [None, None, 0, 1, 2]
    reader = PAIR.target_reader()
    reader.read(text)
    rows = reader.branch(tokens, ancestors(parents), [3, 3, 4, 4, 5])
    for row, branch in zip(rows, [[4], [0], [4, 1], [0, 2], [4, 1, 3]], strict=True):
        alone = Reader(TARGET)
        assert torch.allclose(row, alone.read([*text, *branch])[0], atol=1e-5)
    reader.keep(3, [0, 2])
    assert reader.length == 5 and torch.allclose(reader.read([3])[0], rows[4], atol=1e-5)


def test_a_padded_tree_pass_is_the_same():
    tokens, parents = [4, 0, 1], [None, None, 0]
    plain, padded = (Reader(TARGET, width) for width in (None, 7))
    for reader in (plain, padded):
        reader.read([1, 2, 3])
    sees = ancestors(parents)
    assert torch.allclose(plain.branch(tokens, sees, [3, 3, 4]), padded.branch(tokens, sees, [3, 3, 4]), atol=1e-5)
    assert padded.length == 6
