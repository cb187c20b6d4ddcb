"""A multi-token head: one layer that carries the target's last hidden state on by one token at a time.

Where a draft model reads the text from its beginning, the head is handed what the target already made of it: the
final hidden state h behind each token. From h at one position and the embedding of the token after it, it makes its
own guess at the next h, reads the next token off that, and goes on from there. So it is half a draft model in
size, and knows more. Sources of the idea: Li et al. 2024, "EAGLE", arXiv 2401.15077; DeepSeek-AI 2024,
"DeepSeek-V3" (multi-token prediction), arXiv 2412.19437.

    head = load_head(Path("models/smollm2-head"), target, torch.float32)
    x = head.fused(ids, hidden)                   # ids and hidden [batch, n(, width)]: token j, and h of the one before
    features = head.features(x)                   # [batch, n, width]: a guess at h behind token j
    head.kept_logits(features)                    # [batch, n, V], column i is token kept_ids[i]
"""

from __future__ import annotations

from pathlib import Path

import torch
from torch import nn
from transformers import LlamaConfig, PreTrainedModel
from transformers.cache_utils import Cache

from core.models.draft_model import DraftForCausalLM, loaded
from core.models.lean import is_plain, last_hidden


class HeadForCausalLM(DraftForCausalLM):
    """The head's weights: `fuse` [2 · width → width], one Llama layer and its norm, `readout` [width → width], and a
    row for each kept token. It shares the target's embeddings, as a draft does."""

    def __init__(self, config: LlamaConfig) -> None:
        super().__init__(config)
        width = config.hidden_size
        self.fuse = nn.Linear(2 * width, width, bias=False)
        self.readout = nn.Linear(width, width, bias=False)

    def fused(self, ids: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        """The layer's input [batch, n, width] from tokens [batch, n] and the hidden state before each."""
        mixed: torch.Tensor = self.fuse(torch.cat([self.model.embed_tokens(ids), hidden], -1))
        return mixed

    def features(self, fused: torch.Tensor, cache: Cache | None = None) -> torch.Tensor:
        """A guess at the target's hidden state behind each token, [batch, n, width]; a cache grows by n."""
        if is_plain(cache, None):
            hidden = last_hidden(self.model, fused, cache)
        else:
            hidden = self.model(inputs_embeds=fused, cache=cache, use_cache=cache is not None).last_hidden_state
        guessed: torch.Tensor = self.readout(hidden)
        return guessed


def load_head(folder: Path, target: PreTrainedModel, dtype: torch.dtype) -> HeadForCausalLM:
    """The head saved in `folder`, on the target's device, with the target's embeddings shared.

    Raises as `core.models.draft_model.load_draft` does.
    """
    return loaded(HeadForCausalLM, folder, target, dtype)
