"""What a pair takes in memory: the weights of both models, and their notes on the text so far (the KV caches).

For each token of the text, each layer of a model keeps a key and a value for each of its KV heads:

    bytes a token = 2 × layers × kv_heads × head_dim × bytes a number

With grouped queries (GQA) several attention heads share one KV head, so that kv_heads is smaller than the number of
attention heads; with plain multi-head attention (MHA) the two are equal. Source of the formula: Pope et al.,
"Efficiently Scaling Transformer Inference", MLSys 2023, arXiv 2211.05102; of grouped queries: Ainslie
et al. 2023, arXiv 2305.13245.

No model is loaded for any of this. What a program needs beside weights and caches (activations, repacked copies of
weights, the program itself) comes on top.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

BYTES = {"float32": 4, "bfloat16": 2, "float16": 2, "int8": 1}
"""Bytes of one number, by dtype."""


@dataclass(frozen=True)
class ModelSize:
    """What decides how much memory a model takes.

    `weights` is the number of weights that the model stores itself: what a draft borrows from its target counts for
    the target.
    """

    weights: int
    layers: int
    kv_heads: int
    head_dim: int

    def cache_bytes(self, dtype: str) -> int:
        """Bytes that one token of text takes in the KV cache."""
        return 2 * self.layers * self.kv_heads * self.head_dim * number_bytes(dtype)


@dataclass(frozen=True)
class MemoryPlan:
    """Bytes of each part at a text of `context` tokens; a part of the draft is 0 where there is none."""

    context: int
    dtype: str
    target_weights: int
    target_cache: int
    draft_weights: int
    draft_cache: int

    @property
    def target(self) -> int:
        """What standard decoding needs."""
        return self.target_weights + self.target_cache

    @property
    def draft(self) -> int:
        """What drafting adds to it."""
        return self.draft_weights + self.draft_cache

    @property
    def total(self) -> int:
        return self.target + self.draft


def number_bytes(dtype: str) -> int:
    """Bytes of one number.

    Raises:
        ValueError: for a dtype that is not in `BYTES`.
    """
    if dtype not in BYTES:
        raise ValueError(f"There is no dtype {dtype!r} here: choose one of {', '.join(BYTES)}.")
    return BYTES[dtype]


def model_size(config: Any, weights: int) -> ModelSize:
    """The size of a model by its Transformers configuration and its number of weights.

    A configuration without `num_key_value_heads` means multi-head attention, one without `head_dim` that the width
    is shared out evenly among the heads.

    Raises:
        ValueError: for a configuration without attention layers.
    """
    layers, heads = getattr(config, "num_hidden_layers", None), getattr(config, "num_attention_heads", None)
    if not layers or not heads:
        raise ValueError("This configuration names no layers and attention heads, so its cache has no known size.")
    return ModelSize(
        weights=weights,
        layers=layers,
        kv_heads=getattr(config, "num_key_value_heads", None) or heads,
        head_dim=getattr(config, "head_dim", None) or config.hidden_size // heads,
    )


def memory_plan(target: ModelSize, draft: ModelSize | None = None, *, context: int, dtype: str) -> MemoryPlan:
    """Weights and caches of a pair, or of a target alone, for one text of `context` tokens, all numbers in `dtype`.

    >>> memory_plan(ModelSize(135_000_000, 30, 3, 64), context=1000, dtype="bfloat16").target_cache
    23040000

    Raises:
        ValueError: for a negative context or an unknown dtype.
    """
    if context < 0:
        raise ValueError("A text has no negative number of tokens.")
    return MemoryPlan(
        context=context,
        dtype=dtype,
        target_weights=target.weights * number_bytes(dtype),
        target_cache=context * target.cache_bytes(dtype),
        draft_weights=draft.weights * number_bytes(dtype) if draft else 0,
        draft_cache=context * draft.cache_bytes(dtype) if draft else 0,
    )
