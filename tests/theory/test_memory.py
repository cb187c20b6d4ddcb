from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from transformers import GPT2Config, LlamaConfig

from core.theory.memory import BYTES, MemoryPlan, ModelSize, memory_plan, model_size

SMOLLM2 = ModelSize(134_515_008, layers=30, kv_heads=3, head_dim=64)
"""SmolLM2-135M: 30 layers, 9 heads in 3 groups, width 576."""


@pytest.mark.parametrize(("dtype", "a_token"), [("bfloat16", 23_040), ("float16", 23_040), ("float32", 46_080)])
def test_a_token_of_the_target_that_ships(dtype: str, a_token: int) -> None:
    assert SMOLLM2.cache_bytes(dtype) == a_token
    assert memory_plan(SMOLLM2, context=8192, dtype=dtype).target_cache == 8192 * a_token


def test_the_pair_that_ships_worked_out_by_hand() -> None:
    # Two layers of 3,540,096 weights, a head of 8,192 rows, a norm; the embeddings are the target's.
    draft = ModelSize(2 * 3_540_096 + 8192 * 576 + 576, layers=2, kv_heads=3, head_dim=64)
    plan = memory_plan(SMOLLM2, draft, context=1000, dtype="bfloat16")
    assert plan == MemoryPlan(1000, "bfloat16", 269_030_016, 23_040_000, 23_598_720, 1_536_000)
    assert (plan.target, plan.draft, plan.total) == (292_070_016, 25_134_720, 317_204_736)


def test_grouped_queries_keep_less_than_multi_head_attention() -> None:
    # Llama 2 7B has 32 KV heads, Llama 3 8B 8; both have 32 layers, 32 heads and a head of 128.
    mha = model_size(LlamaConfig(num_hidden_layers=32, num_attention_heads=32, hidden_size=4096), 0)
    gqa = model_size(
        LlamaConfig(num_hidden_layers=32, num_attention_heads=32, num_key_value_heads=8, hidden_size=4096), 0
    )
    assert mha.cache_bytes("float16") == 524_288
    assert gqa.cache_bytes("float16") == 131_072


def test_configurations_of_other_families() -> None:
    assert model_size(GPT2Config(), 5) == ModelSize(5, layers=12, kv_heads=12, head_dim=64)
    # Heads wider than their share of the width, as in Qwen3-0.6B.
    wide = SimpleNamespace(
        num_hidden_layers=28, num_attention_heads=16, num_key_value_heads=8, head_dim=128, hidden_size=1024
    )
    assert model_size(wide, 1) == ModelSize(1, 28, 8, 128)
    with pytest.raises(ValueError, match="no layers"):
        model_size(SimpleNamespace(hidden_size=64), 1)


@given(
    layers=st.integers(1, 100), heads=st.integers(1, 64), dim=st.integers(1, 256), context=st.integers(0, 10**6),
    weights=st.integers(0, 10**12), dtype=st.sampled_from(sorted(BYTES)),
)  # fmt: skip
def test_a_pair_is_the_sum_of_two_models(
    layers: int, heads: int, dim: int, context: int, weights: int, dtype: str
) -> None:
    one, other = ModelSize(weights, layers, heads, dim), ModelSize(weights // 3, 1, 2, dim)
    both = memory_plan(one, other, context=context, dtype=dtype)
    apart = [memory_plan(size, context=context, dtype=dtype) for size in (one, other)]
    assert both.total == sum(plan.total for plan in apart)
    assert both.draft == apart[1].target and apart[0].draft == 0


def test_what_cannot_be_planned_is_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        memory_plan(SMOLLM2, context=-1, dtype="float32")
    with pytest.raises(ValueError, match="no dtype 'float3'"):
        memory_plan(SMOLLM2, context=0, dtype="float3")
