"""Does this pair fit together, and into this machine? Answered before weights are read."""

from __future__ import annotations

from pathlib import Path

import psutil
import torch
from transformers import PreTrainedConfig, PreTrainedTokenizerBase

from core.models.errors import ModelError

PROBE = 'Two cats, 12 mats: naïve café! {"a": [1, 2]}\n\tdef f(x): return x — 你好 🙂'
HEADROOM = 1.3
"""Weights are not all: caches, activations and packed copies need their share."""


def check_tokenizers(target: PreTrainedTokenizerBase, draft: PreTrainedTokenizerBase) -> None:
    """Token ids must mean the same on both sides, or the draft's guesses are noise.

    Raises:
        ModelError: when a probe text or a vocabulary entry differs.
    """
    if target(PROBE)["input_ids"] != draft(PROBE)["input_ids"]:
        raise ModelError(
            "Target and draft cut the same text into different tokens: choose a draft with the target's tokenizer."
        )
    theirs, ours = draft.get_vocab(), target.get_vocab()
    if any(theirs.get(text, i) != i for text, i in ours.items()):
        raise ModelError("Target and draft number their tokens differently: choose a draft of the same family.")


def check_config(config: PreTrainedConfig, name: str) -> None:
    """Draft-and-verify rolls caches back, which needs full attention in every layer.

    Raises:
        ModelError: for sliding windows and for models without attention caches.
    """
    kinds = set(getattr(config, "layer_types", None) or ["full_attention"])
    sliding = getattr(config, "sliding_window", None) and getattr(config, "use_sliding_window", True)
    if kinds != {"full_attention"} or (sliding and not getattr(config, "layer_types", None)):
        raise ModelError(f"{name} keeps only part of its cache (sliding or linear attention): it can't be rolled back.")


def context_length(config: PreTrainedConfig) -> int:
    """Tokens that a model can read, by its configuration."""
    for key in ("max_position_embeddings", "n_positions"):
        if isinstance(value := getattr(config, key, None), int) and value > 0:
            return value
    return 2048


def check_memory(weight_bytes: int, device: torch.device) -> None:
    """Refuse what will not fit, before the machine starts to swap.

    Raises:
        ModelError: when weights and their head-room exceed the free memory of `device`.
    """
    free = torch.cuda.mem_get_info(device)[0] if device.type == "cuda" else psutil.virtual_memory().available
    need = weight_bytes * HEADROOM
    if need > free:
        raise ModelError(
            f"This pair needs about {need / 1e9:.1f} GB of memory and {free / 1e9:.1f} GB are free: "
            "close other programs, or choose a smaller pair."
        )


def parameters_on_disk(folder: Path) -> int:
    """Parameters in a folder's safetensors files, from their headers alone."""
    from safetensors import safe_open

    total = 0
    for path in folder.glob("*.safetensors"):
        with safe_open(path, framework="pt") as file:
            for name in file.keys():  # noqa: SIM118 (not a dict)
                size = 1
                for n in file.get_slice(name).get_shape():
                    size *= n
                total += size
    return total
