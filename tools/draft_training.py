"""What trains the draft: the data in memory, the forward pass, the loss, the optimiser.

The target's whole distribution over the kept tokens is rebuilt at every position from the
hidden state kept in the shards, so the loss sees all of it, not only the sampled token.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional as F

from core.models.draft_model import DraftForCausalLM

CHUNK = 512  # positions a matrix product takes at once
BLOCK = 64  # of these, positions whose logits are worked on at once: 64 × 8192 floats stay in the cache


@dataclass
class Texts:
    """Texts laid end to end: text i is positions starts[i] … starts[i] + lengths[i] - 1.

    tokens int64 [N]; written bool [N] (by the target); hidden float16 [N, width] and log_z
    float32 [N] give the target's distribution after each position; kind and temperature per text.
    """

    tokens: torch.Tensor
    written: torch.Tensor
    hidden: torch.Tensor
    log_z: torch.Tensor
    lengths: np.ndarray
    temperature: np.ndarray
    kind: np.ndarray
    starts: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.starts = np.concatenate([[0], np.cumsum(self.lengths)[:-1]])

    def __len__(self) -> int:
        return len(self.lengths)


def load_texts(folder: Path, limit: int | None = None) -> Texts:
    """All shards of `folder` (the first `limit` by name). Raises FileNotFoundError when there is none."""
    paths = [p for p in sorted(folder.glob("*.npz")) if not p.name.endswith(".part.npz")][:limit]
    if not paths:
        raise FileNotFoundError(f"No shards (*.npz) in {folder}. Make some with tools.draft_data.")
    parts = [dict(np.load(path)) for path in paths]
    join = {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}
    return Texts(
        torch.from_numpy(join["tokens"].astype(np.int64)),
        torch.from_numpy(join["written"]),
        torch.from_numpy(join["hidden"]),
        torch.from_numpy(join["log_z"]),
        join["lengths"],
        join["temperature"],
        join["kind"],
    )


@dataclass
class Batch:
    """`ids` [B, L], padded at the end, and the n scored positions: `index` [n] into Texts, `flat` [n] into flat ids."""

    ids: torch.Tensor
    index: torch.Tensor
    flat: torch.Tensor


def make_batch(texts: Texts, members: np.ndarray, written_only: bool) -> Batch:
    """Pad the texts `members`; score every position that has a distribution (and, if asked, a written next token)."""
    longest = int(texts.lengths[members].max())
    ids = torch.zeros(len(members), longest, dtype=torch.int64)
    index, flat = [], []
    for row, member in enumerate(members):
        start, length = int(texts.starts[member]), int(texts.lengths[member])
        ids[row, :length] = texts.tokens[start : start + length]
        scored = torch.arange(length - 1)  # the last token of a text has no distribution after it
        if written_only:
            scored = scored[texts.written[start + 1 : start + length]]
        index.append(scored + start)
        flat.append(scored + row * longest)
    return Batch(ids, torch.cat(index), torch.cat(flat))


def epoch(
    lengths: np.ndarray, members: np.ndarray, batch_tokens: int, rng: np.random.Generator
) -> Iterator[np.ndarray]:
    """Every member once, in batches of about `batch_tokens`, texts of like length together, batches in random order."""
    order = rng.permutation(members)
    for pool in np.array_split(order, max(1, len(order) // 512)):
        pool = pool[np.argsort(lengths[pool], kind="stable")]
        batches: list[np.ndarray] = []
        rows: list[int] = []
        longest = 0
        for member in pool:
            longest = max(longest, int(lengths[member]))
            if rows and longest * (len(rows) + 1) > batch_tokens:
                batches.append(np.array(rows))
                rows, longest = [], int(lengths[member])
            rows.append(member)
        batches.append(np.array(rows))
        yield from (batches[i] for i in rng.permutation(len(batches)))


def rotate(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    """Rotary positions on x [B, heads, L, d]; cos and sin [L, d], the sign of the half turn folded into sin."""
    half = x.shape[-1] // 2
    return x * cos + torch.cat([x[..., half:], x[..., :half]], -1) * sin


def hidden_states(draft: DraftForCausalLM, ids: torch.Tensor, drop: float = 0.0) -> torch.Tensor:
    """What `draft.model(ids).last_hidden_state` gives [B, L, width], with fewer passes over memory.

    `drop` is the share of the embeddings, of what each half layer adds and of the result that is dropped.
    A tenth faster than the module's own forward on a CPU, since nothing but the products costs here.
    """
    cfg, model = draft.config, draft.model
    thin = lambda t: F.dropout(t, drop, training=drop > 0)  # noqa: E731
    x = thin(model.embed_tokens(ids))
    cos, sin = (t[0] for t in model.rotary_emb(x, torch.arange(ids.shape[1])[None]))
    half = cos.shape[-1] // 2
    sin = torch.cat([-sin[:, :half], sin[:, half:]], -1)
    split = lambda t: t.unflatten(-1, (-1, cos.shape[-1])).transpose(1, 2)  # noqa: E731
    for layer in model.layers:
        attn, mlp = layer.self_attn, layer.mlp
        y = F.rms_norm(x, (x.shape[-1],), layer.input_layernorm.weight, cfg.rms_norm_eps)
        q, k, v = (split(proj(y)) for proj in (attn.q_proj, attn.k_proj, attn.v_proj))
        y = F.scaled_dot_product_attention(rotate(q, cos, sin), rotate(k, cos, sin), v, is_causal=True, enable_gqa=True)
        x = x + thin(attn.o_proj(y.transpose(1, 2).flatten(2)))
        y = F.rms_norm(x, (x.shape[-1],), layer.post_attention_layernorm.weight, cfg.rms_norm_eps)
        x = x + thin(mlp.down_proj(F.silu(mlp.gate_proj(y)) * mlp.up_proj(y)))
    return thin(F.rms_norm(x, (x.shape[-1],), model.norm.weight, cfg.rms_norm_eps))


@torch.no_grad()
def fit_readout(draft: DraftForCausalLM, texts: Texts, members: np.ndarray, ridge: float = 1e-3) -> torch.Tensor:
    """The matrix A [width, width] that best turns the draft's final hidden state h into the target's, min |h·A − h′|².

    Solved in closed form over the written positions of the texts `members`. With two untrained layers
    this alone accepts a quarter of the tokens, for less work than a hundred training steps.
    """
    width = draft.config.hidden_size
    square, cross = torch.zeros(width, width), torch.zeros(width, width)
    order = members[np.argsort(texts.lengths[members])]
    for part in np.array_split(order, max(1, len(order) // 10)):
        batch = make_batch(texts, part, written_only=True)
        h = hidden_states(draft, batch.ids).flatten(0, 1)[batch.flat]
        square.addmm_(h.T, h)
        cross.addmm_(h.T, texts.hidden[batch.index].float())
    square.diagonal().add_(ridge * square.diagonal().mean())
    return torch.linalg.solve(square, cross)


def _to_gradient(p: torch.Tensor, z: torch.Tensor, tv: float) -> tuple[float, float]:
    """Turn the logits z [n, V] of q, in place, into the gradient of the loss by z; p holds log p and is used up.

    Returns the cross entropy −Σ p log q and Σ min(p, q), both summed over the block.
    """
    p.exp_()
    mass, norm = p.sum(-1, keepdim=True), z.logsumexp(-1, keepdim=True)
    cross = float((mass * norm).sum() - torch.dot(p.flatten(), z.flatten()))
    q = z.sub_(norm).exp_()
    small = torch.minimum(p, q)
    overlap = float(small.sum())
    if tv == 0:
        q.mul_(mass).sub_(p)
    else:
        # d Σ min(p, q) / d logit = q · ([q < p] − Σ q [q < p])
        below = torch.mul(q, q < p, out=small)
        slope = below.addcmul_(q, below.sum(-1, keepdim=True), value=-1)
        q.mul_(mass).sub_(p).mul_(1 - tv).sub_(slope, alpha=tv)
    return cross, overlap


class Distil(torch.autograd.Function):
    """(1 − tv) · KL(p‖q) + tv · (1 − Σ min(p, q)), averaged over positions, with its gradient made on the way.

    Inputs: final hidden states h [n, width] and head [V, width] of the draft; the target's hidden
    [n, width] (any float type), log_z [n] and rows [V, width]; tv in [0, 1]. p is the target's
    probability of each kept token (it sums to less than one: what the others hold is out of reach);
    q = softmax(h · headᵀ). Also returns the mean of Σ min(p, q), which is α at temperature 1.

    One function instead of a chain of operations, because logits of all positions at once
    (2,000 × 8,192 floats, several copies) would go through main memory instead of the cache.
    """

    @staticmethod
    def forward(
        ctx: Any,
        h: torch.Tensor,
        head: torch.Tensor,
        hidden: torch.Tensor,
        log_z: torch.Tensor,
        rows: torch.Tensor,
        tv: float,
        train_head: bool,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        grad_h, grad_head = torch.empty_like(h), torch.zeros_like(head) if train_head else None
        p_space, q_space = torch.empty(2, CHUNK, len(head)).unbind()
        kl = accept = 0.0
        for at in range(0, len(h), CHUNK):
            part = slice(at, at + CHUNK)
            n = len(h[part])
            p = torch.addmm(-log_z[part, None], hidden[part].to(rows.dtype), rows.T, out=p_space[:n])
            z = torch.mm(h[part], head.T, out=q_space[:n])
            for p_block, z_block in zip(p.split(BLOCK), z.split(BLOCK), strict=True):
                cost, overlap = _to_gradient(p_block, z_block, tv)
                kl, accept = kl + cost, accept + overlap
            torch.mm(z, head, out=grad_h[part])
            if grad_head is not None:
                grad_head.addmm_(z.T, h[part])
        ctx.save_for_backward(grad_h.div_(len(h)), None if grad_head is None else grad_head.div_(len(h)))
        kl, accept = kl / len(h), accept / len(h)
        return h.new_tensor((1 - tv) * kl + tv * (1 - accept)), h.new_tensor(accept)

    @staticmethod
    def backward(ctx: Any, scale: torch.Tensor, _: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        grad_h, grad_head = ctx.saved_tensors
        return grad_h * scale, None if grad_head is None else grad_head * scale, None, None, None, None, None


def orthogonal(grad: torch.Tensor, damping: float = 1e-5) -> torch.Tensor:
    """U·Vᵀ of grad = U·S·Vᵀ, as (G·Gᵀ)^(-1/2)·G over the shorter side; directions of next to no gradient stay small.

    Muon's usual five Newton-Schulz steps (Jordan et al. 2024, kellerjordan.github.io/posts/muon) are made
    for bfloat16 on a GPU; on a CPU one eigendecomposition of a 576 × 576 matrix takes half their time.
    """
    x = grad.T if grad.shape[0] > grad.shape[1] else grad
    values, vectors = torch.linalg.eigh(x @ x.T)
    scale = (values.clamp(min=0) + damping * values.sum() + 1e-30).rsqrt()
    x = (vectors * scale) @ (vectors.T @ x)
    return x.T if grad.shape[0] > grad.shape[1] else x


class Muon(torch.optim.Optimizer):
    """Momentum, then every matrix's update made orthogonal; sized as an AdamW step of the same lr is.

    The factor .2 · √max(rows, columns) is from Liu et al. 2025 (arXiv 2502.16982).
    """

    def __init__(self, params: Iterable[torch.Tensor], lr: float, momentum: float = 0.95) -> None:
        super().__init__(params, {"lr": lr, "momentum": momentum})

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # type: ignore[override]
        """One update of every matrix that has a gradient."""
        for group in self.param_groups:
            for weight in (w for w in group["params"] if w.grad is not None):
                state = self.state[weight]
                average = state.setdefault("average", torch.zeros_like(weight))
                average.lerp_(weight.grad, 1 - group["momentum"])
                update = orthogonal(weight.grad.lerp(average, group["momentum"]))
                weight.add_(update, alpha=-group["lr"] * 0.2 * max(weight.shape) ** 0.5)
