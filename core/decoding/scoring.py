"""Teacher forcing: what both models would have said at each token of a text that is already there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from core.decoding.drafters import fit
from core.decoding.prompt import prompt_tokens
from core.decoding.request import RequestError
from core.models import ModelPair

FIRST = 5


@dataclass(frozen=True)
class ScoredPosition:
    """One token of the text. p and q are raw (temperature 1, no cut-off); rank 0 is a model's first choice.

    `top_p` and `top_q` hold (token, text, probability) of each model's first five.
    """

    token: int
    text: str
    p: float
    q: float
    rank_p: int
    rank_q: int
    top_p: tuple[tuple[int, str, float], ...]
    top_q: tuple[tuple[int, str, float], ...]


@dataclass(frozen=True)
class Scored:
    """A text seen by both models after the same beginning."""

    positions: tuple[ScoredPosition, ...]


def score(pair: ModelPair, prompt: str, text: str | Sequence[int], chat: bool = True) -> Scored:
    """Score `text` (a string, or the token ids of an answer) as the continuation of `prompt`, one pass a model.

    Raises:
        RequestError: when there is nothing to score, or prompt and text exceed the context.
    """
    before = prompt_tokens(pair, prompt, chat)
    is_text = isinstance(text, str)
    tokens = pair.tokenizer(text, add_special_tokens=False, split_special_tokens=True)["input_ids"] if is_text else text
    tokens = list(tokens)
    if not tokens:
        raise RequestError("There is no text to score: write a few words first.")
    if len(before) + len(tokens) > pair.context:
        raise RequestError(f"Prompt and text are longer than the {pair.context:,} tokens that this pair reads.")
    feed = before + tokens[:-1]
    p = pair.target_reader().read(feed, keep=len(tokens)).float().softmax(1)
    q = fit(pair.draft_reader().read(feed, keep=len(tokens)), pair.vocabulary).float().softmax(1)
    return Scored(tuple(_position(pair, t, p[i], q[i]) for i, t in enumerate(tokens)))


def _position(pair: ModelPair, token: int, p: torch.Tensor, q: torch.Tensor) -> ScoredPosition:
    def first(probs: torch.Tensor) -> tuple[tuple[int, str, float], ...]:
        best = probs.topk(FIRST)
        return tuple((t, pair.piece(t), x) for t, x in zip(best.indices.tolist(), best.values.tolist(), strict=True))

    def rank(probs: torch.Tensor) -> int:
        # Among equals the lower id comes first, as in greedy decoding.
        return int((probs > probs[token]).sum() + (probs[:token] == probs[token]).sum())

    return ScoredPosition(
        token=token,
        text=pair.piece(token),
        p=float(p[token]),
        q=float(q[token]),
        rank_p=rank(p),
        rank_q=rank(q),
        top_p=first(p),
        top_q=first(q),
    )
