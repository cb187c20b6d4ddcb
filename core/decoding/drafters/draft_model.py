"""Guesses by a second, smaller language model."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from core.decoding.drafters.base import GoOn, Proposal, one_by_one
from core.decoding.request import DecodeRequest
from core.decoding.sampling import Draws
from core.models import ModelPair, Reader


class DraftModel:
    """The pair's draft, with a cache of its own."""

    def __init__(self, pair: ModelPair, request: DecodeRequest, draws: Draws, target: Reader) -> None:
        self._pair, self._request, self._draws = pair, request, draws
        self._reader = pair.draft_reader()

    @property
    def cached(self) -> int:
        return self._reader.length

    def prefill(self, prompt: Sequence[int]) -> None:
        self._reader.read(prompt)

    def propose(self, text: list[int], gamma: int, go_on: GoOn) -> Proposal:
        reader = self._reader
        return one_by_one(self._pair, self._request, self._draws, reader.read, text, reader.length, gamma, go_on)

    def accepted(self, length: int, target_hidden: torch.Tensor | None = None) -> None:
        self._reader.crop(min(length, self._reader.length))
