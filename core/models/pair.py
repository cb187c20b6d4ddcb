"""A loaded draft/target pair: what the rest of the program is given."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

import torch
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from core.models.head_model import HeadForCausalLM
from core.models.reader import Reader


@dataclass(frozen=True)
class Identity:
    """What the check at start found: whether a token's logits depend on how passes are grouped.

    `bitwise`: equal to the last bit for every grouping tried. `worst`: the largest difference seen.
    """

    bitwise: bool
    worst: float


@dataclass(frozen=True)
class Costs:
    """Median seconds measured when the dtype was chosen, keyed by dtype: a pass over one position, and over five."""

    one: dict[str, float]
    five: dict[str, float]


@dataclass(frozen=True, eq=False)
class ModelPair:
    """Target, draft and tokenizer on one device.

    Attributes:
        width: constant number of positions of a target pass while decoding; None for natural lengths.
        padding_cost: time of a padded pass over that of a pass of one position; 1.0 where width is None.
        context: the shorter of both models' context lengths, in tokens.
        eos_ids: tokens that end a text.
        reason: one sentence on why this device and dtype.
        head: a multi-token head made for this target, where there is one.
    """

    preset: str
    target: PreTrainedModel
    draft: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    target_name: str
    draft_name: str
    device: torch.device
    dtype: torch.dtype
    context: int
    eos_ids: frozenset[int]
    width: int | None = None
    padding_cost: float = 1.0
    identity: Identity | None = None
    costs: Costs | None = None
    reason: str = ""
    head: HeadForCausalLM | None = None
    _pieces: dict[int, str] = field(default_factory=dict, repr=False)

    @property
    def vocabulary(self) -> int:
        """Size of every p and q: the rows of the target's output."""
        return self.target.config.vocab_size

    @property
    def dtype_name(self) -> str:
        """The dtype in a word: `float32`, `bfloat16`."""
        return str(self.dtype).removeprefix("torch.")

    def target_reader(self) -> Reader:
        """The target with an empty cache."""
        return Reader(self.target, self.width)

    def draft_reader(self) -> Reader:
        """The draft with an empty cache. It never pads: its own grouping cannot change the text."""
        return Reader(self.draft)

    def piece(self, token: int) -> str:
        """The text of one token; bytes that are no text on their own stand as ⟨e2 9c⟩."""
        if token not in self._pieces:
            self._pieces[token] = _piece(self.tokenizer, token)
        return self._pieces[token]


@lru_cache(maxsize=1)
def _byte_of() -> dict[str, int]:
    """GPT-2's printable stand-ins for bytes, inverted (byte-level BPE writes each byte as one character)."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [b for b in range(256) if b not in printable]
    return {chr(b): b for b in printable} | {chr(256 + i): b for i, b in enumerate(others)}


def _piece(tokenizer: PreTrainedTokenizerBase, token: int) -> str:
    text = tokenizer.decode([token], skip_special_tokens=False)
    if "\ufffd" not in text:
        return text
    raw = tokenizer.convert_ids_to_tokens(token) or ""
    values = [_byte_of().get(c) for c in raw]
    return "⟨" + " ".join("?" if v is None else f"{v:02x}" for v in values) + "⟩"
