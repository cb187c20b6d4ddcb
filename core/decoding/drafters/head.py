"""Guesses by a head that carries the target's own hidden state on, token by token."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from transformers.cache_utils import Cache

from core.decoding.drafters.base import GoOn, Proposal, one_by_one
from core.decoding.request import DecodeRequest, RequestError
from core.decoding.sampling import Draws
from core.models import ModelPair, Reader
from core.models.reader import SlabLayer


class MultiTokenHead:
    """The pair's head. Entry j of its cache is token j with the target's hidden state behind token j − 1.

    Guesses are read with hidden states that the head made up itself; those entries are taken out again, and what was
    kept is read anew with the target's own. See `core.models.head_model`.
    """

    def __init__(self, pair: ModelPair, request: DecodeRequest, draws: Draws, target: Reader) -> None:
        if pair.head is None:
            raise RequestError("This pair has no multi-token head: choose another drafter.")
        self._pair, self._request, self._draws, self._target = pair, request, draws, target
        self._head, self._cache = pair.head, Cache(layers=[SlabLayer()])
        target.keep_hidden = True
        # Hidden states that go with the next entries, the oldest first: those of tokens that were not read yet.
        self._waiting = torch.zeros(1, self._head.config.hidden_size, dtype=pair.dtype, device=pair.device)

    @property
    def cached(self) -> int:
        return self._cache.get_seq_length()

    def prefill(self, prompt: Sequence[int]) -> None:
        self.accepted(len(prompt), self._target.hidden)
        self._read(list(prompt), self._waiting[:-1])
        self._waiting = self._waiting[-1:]

    def propose(self, text: list[int], gamma: int, go_on: GoOn) -> Proposal:
        hidden = self._waiting

        def step(fresh: list[int]) -> torch.Tensor:
            nonlocal hidden
            hidden = self._read(fresh, hidden)
            with torch.inference_mode():
                return self._head.full_logits(hidden)

        proposal = one_by_one(self._pair, self._request, self._draws, step, text, self.cached, gamma, go_on)
        if proposal.tokens:
            self._waiting = self._waiting[:0]
            self._crop(len(text))
        return proposal

    def accepted(self, length: int, target_hidden: torch.Tensor | None = None) -> None:
        assert target_hidden is not None
        self._crop(length)
        self._waiting = torch.cat([self._waiting, target_hidden])

    def _read(self, tokens: Sequence[int], hidden: torch.Tensor) -> torch.Tensor:
        """Read tokens with the hidden state before each [n, width]; the guessed one behind the last, [1, width]."""
        with torch.inference_mode():
            ids = torch.tensor([list(tokens)], device=self._pair.device)
            return self._head.features(self._head.fused(ids, hidden[None]), self._cache)[0, -1:]

    def _crop(self, length: int) -> None:
        if length < self.cached:
            self._cache.crop(length - self.cached)
