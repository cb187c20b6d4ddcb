"""Guesses copied from the text so far: no model at all."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from core.decoding.drafters.base import GoOn, Proposal, now
from core.decoding.request import DecodeRequest
from core.decoding.sampling import Draws
from core.models import ModelPair, Reader

LONGEST = 5
"""Tokens at the text's end that are looked for at most."""


class PromptLookup:
    """Looks for the text's last few tokens earlier on, and guesses that it goes on as it did there.

    The longest match counts, the most recent of equals. A copy has no distribution, so q is declared one-hot: the
    rule then keeps the guess with probability p(x). Where nothing matches there is no guess, and the round is a
    plain step. Source of the idea: Saxena 2023, "Prompt lookup decoding", on GitHub under apoorvumang.
    """

    cached = 0

    def __init__(self, pair: ModelPair, request: DecodeRequest, draws: Draws, target: Reader) -> None:
        self._pair = pair

    def prefill(self, prompt: Sequence[int]) -> None:
        """Nothing to read: the text is looked through when it is asked for."""

    def propose(self, text: list[int], gamma: int, go_on: GoOn) -> Proposal:
        started = now(self._pair.device)
        # Behind an end of sequence nothing is kept, so nothing is copied from there.
        tokens = up_to_end(following(text, gamma), self._pair.eos_ids)
        seconds = now(self._pair.device) - started
        q = torch.zeros(len(tokens), self._pair.vocabulary, device=self._pair.device)
        q[torch.arange(len(tokens)), tokens] = 1.0
        return Proposal(tokens, q.unbind(), q.log().unbind(), (seconds / max(1, len(tokens)),) * len(tokens))

    def accepted(self, length: int, target_hidden: torch.Tensor | None = None) -> None:
        """Nothing is kept from round to round."""


def following(text: Sequence[int], gamma: int) -> list[int]:
    """The up to γ tokens that came after the most recent earlier occurrence of the text's longest possible ending."""
    for n in range(min(LONGEST, len(text) - 1), 0, -1):
        ending = text[-n:]
        for at in range(len(text) - n - 1, -1, -1):
            if text[at] == ending[0] and text[at : at + n] == ending:
                return list(text[at + n : at + n + gamma])
    return []


def up_to_end(tokens: list[int], eos_ids: frozenset[int]) -> list[int]:
    """The tokens before the first end of sequence."""
    return tokens[: next((i for i, token in enumerate(tokens) if token in eos_ids), len(tokens))]
