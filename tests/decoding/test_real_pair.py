"""The engine on the real pair: token for token what Transformers' own `generate` writes."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import cycle

import numpy as np
import pytest
import torch
from scipy import stats
from transformers import PreTrainedModel

from core.decoding import DecodeRequest, Trace, decode, score
from core.decoding.prompt import prompt_tokens
from core.decoding.request import POLICY_NAMES, Drafter, Policy
from core.models import ModelPair, load_pair

PROMPTS = [
    ("What is a lighthouse for?", True),
    ("Give me three tips for a calm morning.", True),
    ("Write a Python function that reverses a list.", True),
    ("Write a Python loop that prints the numbers from 1 to 20.", True),
    ("Return a JSON object with the fields name, age and city.", True),
    ("Give me a JSON list of three fruits with their colours.", True),
    ("Write a short letter to my neighbour about noise.", True),
    ("Write an email that asks for a day off.", True),
    ("Tell me a story about a fox and a bridge.", True),
    ("Write four lines about the autumn.", True),
    ("Translate into French: The train leaves at noon.", True),
    ("Repeat this three times: The rain stays mainly in the plain.", True),
    ("List the planets of the solar system.", True),
    ("Explain how a bicycle stays upright.", True),
    ("Summarise in one sentence why bees matter.", True),
    ("Does <b>this</b> work with émojis 🙂 and שלום?", True),
    ("What does <|im_end|> mean?", True),
    ("the cat sat on the", False),
    ("def fibonacci(n):\n    ", False),
    ("Once upon a time", False),
]
GAMMAS = (1, 3, 5, 8)


def ask(prompt: str, chat: bool, **changes: object) -> DecodeRequest:
    return replace(DecodeRequest(prompt, chat=chat, max_new_tokens=32), **changes)  # type: ignore[arg-type]


def generated(pair: ModelPair, reference: PreTrainedModel, prompt: str, chat: bool) -> list[int]:
    ids = torch.tensor([prompt_tokens(pair, prompt, chat)])
    with torch.inference_mode():
        out = reference.generate(
            input_ids=ids, attention_mask=torch.ones_like(ids), do_sample=False, max_new_tokens=32, pad_token_id=2
        )
    return out[0, ids.shape[1] :].tolist()


def check_prompt(pair: ModelPair, reference: PreTrainedModel, prompt: str, chat: bool, gammas: tuple[int, ...]) -> None:
    expected = generated(pair, reference, prompt, chat)
    assert decode(pair, ask(prompt, chat, method="standard")).tokens == expected
    for gamma in gammas:
        assert decode(pair, ask(prompt, chat, gamma=gamma)).tokens == expected, f"γ = {gamma}"


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("prompt", "chat", "gammas"),
    [(*p, g) for p, g in zip(PROMPTS, cycle([(1, 5), (3, 8), (5, 8), (1, 3)]), strict=False)],
)
def test_greedy_text_is_that_of_transformers(pair, reference, prompt, chat, gammas):
    check_prompt(pair, reference, prompt, chat, gammas)


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(("prompt", "chat"), PROMPTS)
def test_greedy_text_is_that_of_transformers_at_every_gamma(pair, reference, prompt, chat):
    check_prompt(pair, reference, prompt, chat, GAMMAS)


OTHERS: tuple[Drafter, ...] = ("lookup", "early_exit", "head", "tree")
"""The sources of guesses beside the draft model."""


@pytest.mark.timeout(600)
@pytest.mark.parametrize("drafter", OTHERS)
def test_every_drafter_writes_the_targets_greedy_text(pair: ModelPair, drafter: Drafter):
    # One prompt for each, and one that repeats itself for the copier; the slow test has them all.
    same_in_both_lanes(pair, *PROMPTS[11 if drafter == "lookup" else 2], 3, drafter=drafter, max_new_tokens=16)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("drafter", OTHERS)
def test_every_drafter_writes_the_targets_text_on_all_prompts(pair: ModelPair, drafter: Drafter):
    for prompt, chat in PROMPTS:
        for gamma in (2, 5):
            same_in_both_lanes(pair, prompt, chat, gamma, drafter=drafter, max_new_tokens=24, branches=3)
        coupled = {"temperature": 1.0, "rule": "coupled", "seed": 5, "max_new_tokens": 16}
        same_in_both_lanes(pair, prompt, chat, 3, drafter=drafter, **coupled)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("policy", [p for p in POLICY_NAMES if p != "fixed"])
def test_every_policy_writes_the_targets_text(pair: ModelPair, policy: Policy):
    for prompt, chat in PROMPTS[::3]:
        same_in_both_lanes(pair, prompt, chat, 4, policy=policy)


@pytest.fixture(scope="module")
def reduced() -> ModelPair:
    """The pair in bfloat16, with passes of constant width."""
    return load_pair("bundled", dtype="bfloat16", device="cpu")


def same_in_both_lanes(pair: ModelPair, prompt: str, chat: bool, gamma: int, **changes: object) -> None:
    speculative = decode(pair, ask(prompt, chat, gamma=gamma, **changes))
    assert speculative.tokens == decode(pair, ask(prompt, chat, method="standard", **changes)).tokens


@pytest.mark.timeout(600)
@pytest.mark.parametrize(("prompt", "chat", "gamma"), [(*PROMPTS[2], 4), (*PROMPTS[17], 6)])
def test_bfloat16_texts_are_equal_at_constant_width(reduced, prompt, chat, gamma):
    assert reduced.width == 7
    same_in_both_lanes(reduced, prompt, chat, gamma, max_new_tokens=10)
    same_in_both_lanes(reduced, prompt, chat, gamma, max_new_tokens=10, temperature=1.0, rule="coupled", seed=gamma)


def test_bfloat16_logits_do_not_depend_on_grouping(reduced):
    assert reduced.identity is not None and reduced.identity.bitwise and reduced.identity.worst == 0.0


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(("prompt", "chat"), PROMPTS)
def test_bfloat16_texts_are_equal_at_constant_width_on_all_prompts(reduced, prompt, chat):
    for gamma in (1, 2, 4, 6):
        same_in_both_lanes(reduced, prompt, chat, gamma)
    same_in_both_lanes(reduced, prompt, chat, 4, temperature=1.0, rule="coupled", seed=3)


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("prompt", "chat"), [PROMPTS[0], PROMPTS[3], PROMPTS[17]])
def test_coupled_texts_are_those_of_standard_sampling(pair, prompt, chat):
    for seed in (0, 7):
        same_in_both_lanes(pair, prompt, chat, 4, temperature=0.8, top_p=0.95, rule="coupled", seed=seed)


@pytest.mark.timeout(600)
def test_the_first_two_tokens_are_distributed_as_the_target_writes_them(pair):
    """Joint of two tokens under top-k 3 against exact p: χ², 240 seeds; a right program fails once in 10,000."""
    prompt, runs = "the cat sat on the", 240
    request = ask(prompt, False, temperature=1.0, top_k=3, gamma=2, max_new_tokens=3)
    counts = Counter(tuple(decode(pair, replace(request, seed=s)).tokens[:2]) for s in range(runs))
    exact = exact_pairs(pair, prompt)
    assert set(counts) <= set(exact) and sum(exact.values()) == pytest.approx(1)
    big = [t for t, mass in exact.items() if mass * runs >= 5]
    observed = np.array([*(counts[t] for t in big), runs - sum(counts[t] for t in big)])
    expected = np.array([*(exact[t] for t in big), 1 - sum(exact[t] for t in big)]) * runs
    keep = expected > 1e-9
    assert stats.chisquare(observed[keep], expected[keep]).pvalue > 1e-4


def exact_pairs(pair: ModelPair, prompt: str) -> dict[tuple[int, int], float]:
    from core.decoding.sampling import probabilities

    before = prompt_tokens(pair, prompt, False)

    def after(text: list[int]) -> dict[int, float]:
        p = probabilities(pair.target_reader().read(text), 1.0, top_k=3)[0]
        return {int(t): float(p[t]) for t in p.nonzero()}

    first = after(before)
    return {(a, b): pa * pb for a, pa in first.items() for b, pb in after([*before, a]).items()}


def test_a_typed_special_token_stays_text(pair):
    plain = prompt_tokens(pair, "Say <|im_end|> twice", True)
    ends = [t for t in plain if t in pair.eos_ids]
    assert len(ends) == 2  # the template's own: after the system's turn and after the user's


def test_a_chat_prompt_is_what_the_template_makes_of_it(pair):
    text = pair.tokenizer.apply_chat_template(
        [{"role": "user", "content": "What is a lighthouse for?"}], tokenize=False, add_generation_prompt=True
    )
    expected = pair.tokenizer(text, add_special_tokens=False)["input_ids"]
    assert prompt_tokens(pair, "What is a lighthouse for?", True) == expected


def test_scores_are_those_of_the_run(pair):
    """Teacher-forced figures agree with what the rounds saw, and the text's first choices are its tokens."""
    trace: Trace = decode(pair, ask(*PROMPTS[0], max_new_tokens=16))
    scored = score(pair, PROMPTS[0][0], trace.tokens)
    assert all(x.rank_p == 0 for x in scored.positions)
    assert [x.token for x in scored.positions] == trace.tokens
    at = 1
    for r in trace.rounds:
        for x in r.positions[: r.accepted]:
            assert scored.positions[at].p == pytest.approx(x.p_raw, abs=2e-3)
            assert scored.positions[at].q == pytest.approx(x.q_raw, abs=2e-3)
            at += 1
        at += r.final is not None
    again = score(pair, PROMPTS[0][0], pair.tokenizer.decode(trace.tokens))
    assert len(again.positions) >= len(trace.tokens) - 1


def test_the_draft_writes_on_its_own(pair):
    trace = decode(pair, ask(*PROMPTS[0], method="draft", max_new_tokens=20))
    assert trace.target_calls == 0 and trace.draft_calls == len(trace.rounds)
    assert len(trace.text.split()) > 5
