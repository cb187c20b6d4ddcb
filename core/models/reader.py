"""One model reading one text: a key-value cache, passes over new tokens, and exact roll-back."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from transformers import PreTrainedModel
from transformers.cache_utils import Cache, DynamicLayer

BLOCK = 256
"""Tokens by which a cache grows."""


class SlabLayer(DynamicLayer):
    """Keys and values in one block of memory: appending writes in place, rolling back moves a mark."""

    keys: torch.Tensor
    values: torch.Tensor
    is_initialized: bool

    def __init__(self) -> None:
        super().__init__()
        self.length = 0

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *args: object, **kwargs: object
    ) -> tuple[torch.Tensor, torch.Tensor]:
        end = self.length + key_states.shape[-2]
        if not self.is_initialized or end > self.keys.shape[-2]:
            self._grow(key_states, value_states, end)
        self.keys[:, :, self.length : end] = key_states
        self.values[:, :, self.length : end] = value_states
        self.length = end
        return self.keys[:, :, :end], self.values[:, :, :end]

    def _grow(self, keys: torch.Tensor, values: torch.Tensor, end: int) -> None:
        room = -(-end // BLOCK) * BLOCK
        old = (self.keys, self.values) if self.is_initialized else (None, None)
        self.keys, self.values = (x.new_zeros(*x.shape[:2], room, x.shape[-1]) for x in (keys, values))
        for slab, before in zip((self.keys, self.values), old, strict=True):
            if before is not None:
                slab[:, :, : self.length] = before[:, :, : self.length]
        self.is_initialized = True

    def get_seq_length(self) -> int:
        return self.length

    def crop(self, tokens_to_remove: int) -> None:
        self.length -= abs(tokens_to_remove)

    def keep(self, base: int, chosen: Sequence[int]) -> None:
        """Of what stands behind `base` tokens, keep only the entries `chosen`, in this order."""
        end = base + len(chosen)
        for slab in (self.keys, self.values):
            slab[:, :, base:end] = slab[:, :, [base + i for i in chosen]]
        self.length = end


class Reader:
    """A model and its cache over one text.

    Args:
        model: a causal language model with full (not sliding) attention.
        width: constant number of positions of each `extend` pass, or None for as many as there are tokens.
            Real tokens come first and padding after them, where causal attention never looks; it is cropped at once.
        cache: to read on with; an empty one of its own if left out.

    Attributes:
        keep_hidden: set it to have `hidden` kept from the next pass on.
        hidden: the last hidden state behind each token of the last pass, [n, width of the model].
    """

    def __init__(self, model: PreTrainedModel, width: int | None = None, cache: Cache | None = None) -> None:
        self.model, self.width = model, width
        self.layers = [SlabLayer() for _ in range(model.config.num_hidden_layers)]
        self.cache = cache or Cache(layers=list(self.layers))
        self.keep_hidden = False
        self.hidden: torch.Tensor | None = None

    @property
    def length(self) -> int:
        """Tokens in the cache."""
        return self.cache.get_seq_length()

    def read(self, tokens: Sequence[int], keep: int = 1) -> torch.Tensor:
        """Feed tokens in a pass of their own length; logits of the last `keep`, [keep, vocabulary]."""
        return self._forward(list(tokens), keep)

    def extend(self, tokens: Sequence[int]) -> torch.Tensor:
        """Feed new tokens in a pass of constant width; logits at each of them, [len(tokens), vocabulary]."""
        n = len(tokens)
        pad = max(0, (self.width or 0) - n)
        logits = self._forward([*tokens, *[0] * pad], n + pad)
        self.crop(self.length - pad)
        self.hidden = None if self.hidden is None else self.hidden[:n]
        return logits[:n]

    def branch(self, tokens: Sequence[int], sees: torch.Tensor, positions: Sequence[int]) -> torch.Tensor:
        """Feed tokens of a tree; logits at each of them, [n, vocabulary].

        Args:
            tokens: n of them.
            sees: bool [n, m + n], which of the last m entries in the cache and of these tokens each one attends to;
                all that stands before those is seen by every one.
            positions: each token's place in its own text.
        """
        n = len(tokens)
        pad = max(0, (self.width or 0) - n)
        # Padding sees itself alone, and nothing sees it.
        sees = torch.block_diag(sees, torch.eye(pad, dtype=torch.bool)) if pad else sees
        mask = torch.zeros(n + pad, self.length + n + pad, dtype=self.model.dtype)
        mask[:, -sees.shape[1] :].masked_fill_(~sees.bool(), -torch.inf)
        places = torch.tensor([[*positions, *[0] * pad]], device=self.model.device)
        tree = {"attention_mask": mask[None, None].to(self.model.device), "position_ids": places}
        logits = self._forward([*tokens, *[0] * pad], n + pad, **tree)
        self.crop(self.length - pad)
        return logits[:n]

    def keep(self, base: int, chosen: Sequence[int]) -> None:
        """Of what was fed behind the first `base` tokens, keep only the entries `chosen` (counted from there)."""
        with torch.inference_mode():
            for layer in self.layers:
                layer.keep(base, chosen)

    def first_layers(self, number: int) -> Cache:
        """The cache of the first layers: the very same entries, not a copy."""
        return Cache(layers=list(self.layers[:number]))

    def crop(self, length: int) -> None:
        """Roll the cache back to `length` tokens.

        Raises:
            ValueError: when there are fewer than that.
        """
        if not 0 <= length <= self.length:
            raise ValueError(f"cannot roll a cache of {self.length} tokens back to {length}")
        if length < self.length:
            self.cache.crop(length - self.length)

    def _forward(self, tokens: list[int], keep: int, **more: torch.Tensor) -> torch.Tensor:
        # A target may write ids that its draft has no row for: read as id 0, they can only cost acceptance.
        known = [t if t < self.model.config.vocab_size else 0 for t in tokens]
        with torch.inference_mode():
            ids = torch.tensor([known], device=self.model.device)
            asked = {"use_cache": True, "logits_to_keep": keep, "output_hidden_states": self.keep_hidden}
            outputs = self.model(input_ids=ids, cache=self.cache, **asked, **more)
            self.hidden = outputs.hidden_states[-1][0] if self.keep_hidden else None
            logits: torch.Tensor = outputs.logits[0]
            return logits


def depths(parents: Sequence[int | None]) -> list[int]:
    """How many guesses lie before each one of a tree, by each one's parent (None where it follows the text)."""
    found: list[int] = []
    for parent in parents:
        found.append(0 if parent is None else found[parent] + 1)
    return found


def ancestors(parents: Sequence[int | None]) -> torch.Tensor:
    """Which guesses of a tree each one builds on, itself included: bool [n, n]."""
    sees = torch.eye(len(parents), dtype=torch.bool)
    for i, parent in enumerate(parents):
        if parent is not None:
            sees[i] |= sees[parent]
    return sees
