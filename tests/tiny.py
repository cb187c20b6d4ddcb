"""Hand-made models small enough to enumerate every text they can write."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import torch
from transformers import LlamaConfig, LlamaForCausalLM

from core.decoding.sampling import probabilities
from core.models import ModelPair, attention


class TinyTokenizer:
    """Text is token ids in decimal with blanks between them; id 0 is a token like any other."""

    chat_template = None
    eos_token_id = None

    def __call__(self, text: str, **_: object) -> dict[str, list[int]]:
        return {"input_ids": [int(x) for x in text.split()]}

    def decode(self, ids: Sequence[int], **_: object) -> str:
        return " ".join(str(i) for i in ids)


def tiny_model(seed: int, vocabulary: int = 5, sharpness: float = 4.0, layers: int = 1) -> LlamaForCausalLM:
    """A random Llama whose next-token distributions are far from uniform and depend on the whole text."""
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=16,
        intermediate_size=24,
        num_hidden_layers=layers,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=64,
        initializer_range=0.7,
        attn_implementation=attention.NAME,
    )
    model = LlamaForCausalLM(config).eval()
    with torch.no_grad():
        model.lm_head.weight.mul_(sharpness / model.lm_head.weight.std() / 4)
    return model


def tiny_pair(
    target: LlamaForCausalLM | None = None,
    draft: LlamaForCausalLM | None = None,
    eos_ids: frozenset[int] = frozenset(),
    context: int = 64,
    width: int | None = None,
) -> ModelPair:
    """A pair of tiny models; by default two that agree now and then."""
    target = target or tiny_model(1)
    return ModelPair(
        preset="tiny",
        target=target,
        draft=draft or tiny_model(2),
        tokenizer=TinyTokenizer(),
        target_name="tiny target",
        draft_name="tiny draft",
        device=torch.device("cpu"),
        dtype=target.dtype,
        context=context,
        eos_ids=eos_ids,
        width=width,
    )


def next_distribution(model: LlamaForCausalLM, text: Sequence[int], **warp: float) -> torch.Tensor:
    """p after `text`, [V], computed without any cache."""
    with torch.inference_mode():
        logits = model(input_ids=torch.tensor([list(text)]), use_cache=False).logits[0, -1:]
    settings = {"temperature": 1.0, **warp}
    return probabilities(logits, **settings)[0].double()  # type: ignore[arg-type]


def exact_joint(model: LlamaForCausalLM, prompt: Sequence[int], n: int, **warp: float) -> dict[tuple[int, ...], float]:
    """The probability of every text of n tokens after `prompt`, by enumeration."""
    joint: dict[tuple[int, ...], float] = {}
    vocabulary = model.config.vocab_size
    for text in itertools.product(range(vocabulary), repeat=n):
        mass = 1.0
        for i, token in enumerate(text):
            mass *= float(next_distribution(model, [*prompt, *text[:i]], **warp)[token])
        joint[text] = mass
    return joint
