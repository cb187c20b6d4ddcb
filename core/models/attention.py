"""Attention as plain matrix products, so that a token's logits do not depend on how passes are grouped.

Fused kernels choose their blocking by the shape they see, and in bfloat16 the rounding follows the blocking:
greedy text then differs between one-token and several-token passes. Two plain products and a float32
softmax, in passes of constant width, give the same bits each time. The query heads that share a key head
become rows of one product, so keys and values are never repeated in memory.
"""

from __future__ import annotations

import torch
from torch import nn
from transformers import AttentionInterface, AttentionMaskInterface

NAME = "grouped"


def grouped_attention(
    module: nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    scaling: float,
    dropout: float = 0.0,
    **kwargs: object,
) -> tuple[torch.Tensor, None]:
    """Scaled dot-product attention for Transformers' attention interface.

    Args:
        query: [batch, heads, n, d]; key, value: [batch, key heads, T, d].
        attention_mask: additive [1, 1, n, T], or None where every query sees every key.

    Returns:
        [batch, n, heads, d] and None (weights are not kept).
    """
    batch, heads, n, d = query.shape
    kv_heads = key.shape[1]
    rows = query.reshape(batch, kv_heads, heads // kv_heads * n, d)
    scores = (rows @ key.transpose(-1, -2)) * scaling
    if attention_mask is not None:
        scores = scores.view(batch, kv_heads, -1, n, key.shape[2]) + attention_mask[:, :, None]
        scores = scores.view(batch, kv_heads, -1, key.shape[2])
    weights = scores.softmax(-1, dtype=torch.float32).to(query.dtype)
    return (weights @ value).view(batch, heads, n, d).transpose(1, 2), None


def causal_mask(
    batch_size: int,
    q_length: int,
    kv_length: int,
    q_offset: int = 0,
    kv_offset: int = 0,
    dtype: torch.dtype = torch.float32,
    device: torch.device | str = "cpu",
    **kwargs: object,
) -> torch.Tensor | None:
    """Additive causal mask [1, 1, n, T] for Transformers' mask interface; None for a single query."""
    if q_length == 1:
        return None
    queries = torch.arange(q_length, device=device)[:, None] + q_offset
    hidden = torch.arange(kv_length, device=device)[None, :] + kv_offset > queries
    return torch.zeros(1, 1, q_length, kv_length, dtype=dtype, device=device).masked_fill_(hidden, -torch.inf)


AttentionInterface.register(NAME, grouped_attention)
AttentionMaskInterface.register(NAME, causal_mask)
