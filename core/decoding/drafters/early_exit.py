"""Guesses by the target itself, left after its first layers."""

from __future__ import annotations

import copy
from collections.abc import Sequence

import torch
from torch import nn
from transformers import PreTrainedModel

from core.decoding.drafters.base import GoOn, Proposal, one_by_one
from core.decoding.request import DecodeRequest, RequestError
from core.decoding.sampling import Draws
from core.models import ModelPair, Reader

SHARE = 0.7
"""Part of the target's layers that a guess goes through. Fewer cost less and are hardly ever right in a model that
was not trained for it."""


class EarlyExit:
    """The target's first layers, its last norm and its head: the same weights, and the same cache of those layers.

    While guessing, the guesses' keys and values stand in the target's own cache; they are taken out again before the
    target's pass, which writes them anew. Source of the idea: Elhoushi et al. 2024, "LayerSkip", arXiv 2404.16710.
    """

    def __init__(self, pair: ModelPair, request: DecodeRequest, draws: Draws, target: Reader) -> None:
        self._pair, self._request, self._draws, self._target = pair, request, draws, target
        layers = exit_layer(pair.target)
        self._reader = Reader(shallow(pair.target, layers), cache=target.first_layers(layers))

    @property
    def cached(self) -> int:
        return self._reader.length

    def prefill(self, prompt: Sequence[int]) -> None:
        """The target's pass over the prompt has filled the cache."""

    def propose(self, text: list[int], gamma: int, go_on: GoOn) -> Proposal:
        reader, before = self._reader, self._reader.length
        proposal = one_by_one(self._pair, self._request, self._draws, reader.read, text, before, gamma, go_on)
        reader.crop(before)
        return proposal

    def accepted(self, length: int, target_hidden: torch.Tensor | None = None) -> None:
        """The target's own roll-back is this one's too."""


def exit_layer(target: PreTrainedModel) -> int:
    """Number of the target's layers that guesses go through."""
    return max(1, round(SHARE * target.config.num_hidden_layers))


def can_leave_early(target: PreTrainedModel) -> bool:
    """Whether a model's layers are a plain stack that can be cut."""
    return isinstance(getattr(target.base_model, "layers", None), nn.ModuleList)


def shallow(target: PreTrainedModel, layers: int) -> PreTrainedModel:
    """A view of the first `layers` layers of a model, with its norm and head. Weights are shared, nothing is changed.

    Raises:
        RequestError: for a model that is not built as a stack called `layers`.
    """
    base = target.base_model
    if not can_leave_early(target):
        raise RequestError("This target can't be left early: its layers are not a plain stack. Choose another drafter.")
    view, inner = _view(target), _view(base)
    inner._modules["layers"] = nn.ModuleList(list(base.layers)[:layers])
    view._modules[target.base_model_prefix] = inner
    return view


def _view(module: PreTrainedModel) -> PreTrainedModel:
    """The same module as another object: its parts can be exchanged without touching the original."""
    view = copy.copy(module)
    view._modules = dict(module._modules)
    return view
