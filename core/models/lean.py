"""A pass of a small Llama without Transformers' frame around it.

In a draft of two layers that frame (dispatching, masks for every kind of attention, recording of outputs) takes
longer than much of the arithmetic, and a guess has to be cheap. The modules and their weights are the model's own, and
so is the function: `tests/models/test_lean.py` compares the two. Training and `generate` go the usual way.
"""

from __future__ import annotations

from typing import TypeGuard

import torch
from torch.nn import functional as F
from transformers.cache_utils import Cache
from transformers.models.llama.modeling_llama import LlamaAttention, LlamaModel, LlamaRMSNorm

Turn = tuple[torch.Tensor, torch.Tensor]
"""Cosines and sines of the rotary embedding, each [1, 1, n, d]."""


def is_plain(cache: Cache | None, mask: torch.Tensor | None) -> TypeGuard[Cache]:
    """Whether a pass is one that `last_hidden` is for: one text read on, nothing to be learnt, no padding before it."""
    return cache is not None and not torch.is_grad_enabled() and (mask is None or mask.ndim == 4)


def last_hidden(
    model: LlamaModel,
    embedded: torch.Tensor,
    cache: Cache,
    mask: torch.Tensor | None = None,
    positions: torch.Tensor | None = None,
) -> torch.Tensor:
    """The last hidden state behind each of n new tokens, [1, n, width], after the final norm; the cache grows by n.

    Args:
        embedded: the tokens' embeddings, [1, n, width].
        mask: additive [1, 1, n, cached + n]; left out, each token sees itself and all before it.
        positions: place of each token, [1, n]; left out, they follow what is in the cache.
    """
    n, before = embedded.shape[1], cache.get_seq_length()
    if positions is None:
        positions = torch.arange(before, before + n, device=embedded.device)[None]
    if mask is None and n > 1:
        mask = torch.full((n, before + n), -torch.inf, dtype=embedded.dtype, device=embedded.device).triu_(before + 1)
    cos, sin = model.rotary_emb(embedded, positions)
    hidden, turn = embedded, (cos[:, None], sin[:, None])
    for layer in model.layers:
        hidden = hidden + _attended(layer.self_attn, _normed(layer.input_layernorm, hidden), cache, mask, turn)
        x, mlp = _normed(layer.post_attention_layernorm, hidden), layer.mlp
        hidden = hidden + mlp.down_proj(mlp.act_fn(mlp.gate_proj(x)) * mlp.up_proj(x))
    return _normed(model.norm, hidden)


def _attended(
    own: LlamaAttention, x: torch.Tensor, cache: Cache, mask: torch.Tensor | None, turn: Turn
) -> torch.Tensor:
    heads = (*x.shape[:2], -1, own.head_dim)
    q, k, v = (project(x).view(heads).transpose(1, 2) for project in (own.q_proj, own.k_proj, own.v_proj))
    keys, values = cache.update(_turned(k, turn), v, own.layer_idx)
    seen = F.scaled_dot_product_attention(_turned(q, turn), keys, values, attn_mask=mask, enable_gqa=True)
    out: torch.Tensor = own.o_proj(seen.transpose(1, 2).reshape(*x.shape[:2], -1))
    return out


def _turned(x: torch.Tensor, turn: Turn) -> torch.Tensor:
    """Rotary embedding of queries or keys [1, heads, n, d]."""
    cos, sin = turn
    first, second = x.chunk(2, -1)
    return x * cos + torch.cat((-second, first), -1) * sin


def _normed(norm: LlamaRMSNorm, x: torch.Tensor) -> torch.Tensor:
    return F.rms_norm(x, x.shape[-1:], norm.weight, norm.variance_epsilon)
