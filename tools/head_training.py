"""The head's forward pass in training: all positions at once, one guess deep or several.

At depth 1 the head reads the target's own hidden states. At depth d it reads what it made of them itself at depth
d − 1, one position before, and attends to the target's up to d positions back, as while drafting. Training on its
own guesses too is from Zhang et al. 2024, "Learning harmonized representations", arXiv 2408.15766.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
from torch.nn import functional as F

from core.models.head_model import HeadForCausalLM
from tools.draft_training import Texts, rotate


def true_hidden(texts: Texts, members: np.ndarray, length: int) -> torch.Tensor:
    """The target's hidden state behind each token of the texts `members`, [B, length, width]; zeros behind a text."""
    places = zip(texts.starts[members], texts.lengths[members], strict=True)
    rows = [texts.hidden[start : start + n].float() for start, n in places]
    return torch.stack([F.pad(row, (0, 0, 0, length - len(row))) for row in rows])


def depths(
    head: HeadForCausalLM, readout: torch.Tensor, ids: torch.Tensor, hidden: torch.Tensor, deepest: int, drop: float
) -> Iterator[torch.Tensor]:
    """Guessed hidden states [B, L, width] at each depth, 1 to `deepest`; where a depth has none yet, those of depth 1.

    ids [B, L]; hidden [B, L, width] is the target's behind each token; readout [width, width] is applied last.
    """
    embedded = head.model.embed_tokens(ids)
    keys: list[torch.Tensor] = []
    values: list[torch.Tensor] = []
    read = hidden
    for depth in range(1, deepest + 1):
        # The first token of a text has nothing before it; a chat's is always the same mark.
        before = F.pad(read, (0, 0, 1, 0))[:, :-1]
        out = _layer(head, torch.cat([embedded, before], -1), keys, values, drop) @ readout
        # Behind the first tokens there is no chain this deep: what stands there must not count as a guess.
        read = out if depth == 1 else torch.cat([read[:, : depth - 1], out[:, depth - 1 :]], 1)
        yield read


def _layer(
    head: HeadForCausalLM, mixed: torch.Tensor, keys: list[torch.Tensor], values: list[torch.Tensor], drop: float
) -> torch.Tensor:
    """The one layer and its norm on [B, L, 2 · width]; its keys and values join those of the depths before."""
    cfg, model, layer = head.config, head.model, head.model.layers[0]
    thin = lambda t: F.dropout(t, drop, training=drop > 0)  # noqa: E731
    x = head.fuse(thin(mixed))
    cos, sin = (t[0] for t in model.rotary_emb(x, torch.arange(x.shape[1])[None]))
    half = cos.shape[-1] // 2
    sin = torch.cat([-sin[:, :half], sin[:, half:]], -1)
    split = lambda t: t.unflatten(-1, (-1, cos.shape[-1])).transpose(1, 2)  # noqa: E731
    y = F.rms_norm(x, (x.shape[-1],), layer.input_layernorm.weight, cfg.rms_norm_eps)
    q, k, v = (split(proj(y)) for proj in (layer.self_attn.q_proj, layer.self_attn.k_proj, layer.self_attn.v_proj))
    keys.append(rotate(k, cos, sin))
    values.append(v)
    x = x + thin(layer.self_attn.o_proj(_attend(rotate(q, cos, sin), keys, values).transpose(1, 2).flatten(2)))
    y = F.rms_norm(x, (x.shape[-1],), layer.post_attention_layernorm.weight, cfg.rms_norm_eps)
    x = x + thin(layer.mlp.down_proj(F.silu(layer.mlp.gate_proj(y)) * layer.mlp.up_proj(y)))
    return thin(F.rms_norm(x, (x.shape[-1],), model.norm.weight, cfg.rms_norm_eps))


def _attend(q: torch.Tensor, keys: list[torch.Tensor], values: list[torch.Tensor]) -> torch.Tensor:
    """Attention of depth d = len(keys) at each position j: to depth 1 up to j − d + 1, then to depth m at j − d + m."""
    depth = len(keys)
    if depth == 1:
        return F.scaled_dot_product_attention(q, keys[0], values[0], is_causal=True, enable_gqa=True)
    group = q.shape[1] // keys[0].shape[1]
    keys, values = ([t.repeat_interleave(group, 1) for t in side] for side in (keys, values))
    scale, length = q.shape[-1] ** -0.5, q.shape[2]
    hidden = torch.ones(length, length, dtype=torch.bool).triu(2 - depth)
    scores = [(q @ keys[0].transpose(-1, -2) * scale).masked_fill(hidden, -torch.inf)]
    shifted = []
    for m in range(2, depth + 1):
        back = depth - m
        k, v = (F.pad(side[m - 1], (0, 0, back, 0))[:, :, :length] for side in (keys, values))
        own = (q * k).sum(-1, keepdim=True) * scale
        # The first positions have no chain this long; their answers are not used.
        scores.append(own)
        shifted.append(v)
    weights = torch.cat(scores, -1).softmax(-1)
    out = weights[..., :length] @ values[0]
    for i, v in enumerate(shifted):
        out = out + weights[..., length + i, None] * v
    return out
