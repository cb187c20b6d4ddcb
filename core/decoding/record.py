"""From tensors to the figures of a trace. Done after the round, off its clock."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from core.decoding.rounds import TOP, Candidate, Choice, Kind, Position
from core.models import ModelPair


def entropy(probs: torch.Tensor) -> torch.Tensor:
    """Entropy in nats of each row: [n, V] → [n]."""
    return -torch.xlogy(probs, probs).sum(1).clamp(max=0)


def record_positions(
    pair: ModelPair,
    guesses: Sequence[int],
    verdicts: Sequence[bool | None],
    uniforms: Sequence[float | None],
    p: torch.Tensor,
    q: torch.Tensor,
    p_logits: torch.Tensor,
    q_logits: torch.Tensor,
) -> tuple[Position, ...]:
    """What the trace keeps of γ drafted tokens. Tensors are [γ, V]; `uniforms` may be empty (coupled draws)."""
    p_raw, q_raw = p_logits.float().softmax(1), q_logits.float().softmax(1)
    tops = _candidates(pair, p, q, p_raw, q_raw)
    beta = torch.minimum(p, q).sum(1).tolist()
    entropies = zip(entropy(p).tolist(), entropy(q).tolist(), strict=True)
    at = torch.arange(len(guesses)), torch.tensor(guesses)
    values = zip(*(x[at].tolist() for x in (p, q, p_raw, q_raw)), strict=True)
    return tuple(
        Position(
            token=token,
            text=pair.piece(token),
            p=px,
            q=qx,
            p_raw=px_raw,
            q_raw=qx_raw,
            ratio=px / qx,
            u=uniforms[i] if uniforms and verdicts[i] is not None else None,
            accepted=verdicts[i],
            beta=beta[i],
            entropy_p=h_p,
            entropy_q=h_q,
            top=tops[i],
        )
        for i, (token, (px, qx, px_raw, qx_raw), (h_p, h_q)) in enumerate(zip(guesses, values, entropies, strict=True))
    )


def record_choice(
    pair: ModelPair,
    kind: Kind,
    token: int,
    probs: torch.Tensor,
    logits: torch.Tensor,
    top: tuple[Candidate, ...] | None = None,
) -> Choice:
    """What the trace keeps of a token that was not drafted. `probs`, `logits` are [V] of the model that wrote it.

    `top` is given for a correction, whose candidates stand at the missed position already.
    """
    raw = logits[None].float().softmax(1)
    if top is None:
        own, none = probs[None], torch.zeros_like(raw)
        sides = (none, own, none, raw) if kind == "draft" else (own, none, raw, none)
        top = _candidates(pair, *sides)[0]
    return Choice(
        kind=kind,
        token=token,
        text=pair.piece(token),
        p=float(probs[token]),
        p_raw=float(raw[0, token]),
        entropy=float(entropy(probs[None])),
        top=top,
    )


def record_answer(pair: ModelPair, probs: torch.Tensor, logits: torch.Tensor) -> tuple[Candidate, ...]:
    """The first candidates of the target at a place, from its `probs` and `logits` [V] there."""
    none = torch.zeros_like(probs)[None]
    return _candidates(pair, probs[None], none, logits[None].float().softmax(1), none)[0]


def _candidates(
    pair: ModelPair, p: torch.Tensor, q: torch.Tensor, p_raw: torch.Tensor, q_raw: torch.Tensor
) -> list[tuple[Candidate, ...]]:
    """For each row, every token among the first TOP of p, q, p_raw, q_raw or the residual, by falling p_raw."""
    excess = (p - q).clamp(min=0)
    total = excess.sum(1, keepdim=True)
    residual = torch.where(total > 0, excess / total, p)
    sides = (p, q, p_raw, q_raw, residual)
    leaders = torch.cat([x.topk(min(TOP, x.shape[1]), dim=1).indices for x in sides], dim=1)
    figures = torch.stack([x.gather(1, leaders) for x in sides], dim=2).tolist()
    rows = []
    for ids, values in zip(leaders.tolist(), figures, strict=True):
        found = {token: v for token, v in zip(ids, values, strict=True) if any(v)}
        ranked = sorted(found.items(), key=lambda item: (-item[1][2], -item[1][3], item[0]))
        rows.append(tuple(Candidate(token, pair.piece(token), *v) for token, v in ranked))
    return rows
