"""What both models say after any beginning: the ground that the rule, and every altered rule, stands on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING

import numpy as np
import torch

from core.decoding.drafters import fit
from core.decoding.sampling import probabilities

if TYPE_CHECKING:
    from core.models import Reader

Text = tuple[int, ...]
Logits = Callable[[Text], torch.Tensor]
"""A model's logits [V] for the token after a text."""

MEMORY = 192 * 2**20
"""Bytes of logits, and of distributions, that are kept for each model."""


class World:
    """p and q after any text, [V], each worked out once.

    Args:
        target, draft: logits [V] after a text (what stands before the text is theirs to know).
        vocabulary: V.
        temperature, top_k: the request's warp.
        eos: tokens that end a text.
    """

    def __init__(
        self,
        target: Logits,
        draft: Logits,
        vocabulary: int,
        temperature: float,
        top_k: int | None = None,
        eos: frozenset[int] = frozenset(),
    ) -> None:
        self.eos = eos

        # Both close over their arguments only, so that what they hold goes as soon as the world does.
        @lru_cache(MEMORY // (4 * vocabulary))
        def warped(text: Text, of_target: bool, share: float) -> torch.Tensor:
            logits = (target if of_target else draft)(text)
            return probabilities(logits[None], share * temperature, top_k)[0]

        @lru_cache(MEMORY // (4 * vocabulary))
        def raw(text: Text, of_target: bool) -> torch.Tensor:
            return probabilities((target if of_target else draft)(text)[None], 1.0)[0]

        self._warped, self._raw = warped, raw

    def p(self, text: Sequence[int]) -> torch.Tensor:
        """The target's distribution, warped as the request says."""
        return self._warped(tuple(text), True, 1.0)

    def q(self, text: Sequence[int], heat: float = 1.0) -> torch.Tensor:
        """The draft's, warped the same way, at `heat` times the request's temperature."""
        return self._warped(tuple(text), False, heat)

    def ended(self, text: Sequence[int]) -> bool:
        """Whether a text is over."""
        return bool(text) and text[-1] in self.eos

    def raw_p(self, text: Sequence[int]) -> torch.Tensor:
        """The target's at temperature 1 without a cut-off."""
        return self._raw(tuple(text), True)

    def raw_q(self, text: Sequence[int]) -> torch.Tensor:
        """The draft's at temperature 1 without a cut-off."""
        return self._raw(tuple(text), False)


def by_prefix(reader: Reader, prompt: Sequence[int], vocabulary: int) -> Logits:
    """A model's logits [V] after the prompt and any text, each computed once: one pass over what is new in the text."""
    first = fit(reader.read(prompt), vocabulary)[0]
    start, fed = len(prompt), list[int]()

    @lru_cache(MEMORY // (first.element_size() * vocabulary))
    def logits(text: Text) -> torch.Tensor:
        if not text:
            return first
        # The last token is fed in any case: its logits are what is wanted.
        same = sum(1 for _ in takewhile(lambda both: both[0] == both[1], zip(fed, text[:-1], strict=False)))
        reader.crop(start + same)
        answer = fit(reader.extend(text[same:]), vocabulary)[-1].clone()
        fed[:] = text
        return answer

    return logits


def toy(
    p: Sequence[float], q: Sequence[float], temperature: float = 1.0, habits: tuple[float, float] = (-0.8, 0.4)
) -> World:
    """A world of a few tokens in which p and q are what the two models say first, after the warp.

    Each time a token has been written it changes its weight by the factor e^habit (target's, draft's): at first the
    target avoids saying things twice, and the draft repeats itself. So the second token depends on the first, and on
    whatever else a model believes to have been written.
    """

    def model(first: Sequence[float], habit: float) -> Logits:
        with np.errstate(divide="ignore"):
            base = torch.from_numpy(np.log(np.asarray(first, dtype=np.float64)))

        def logits(text: Text) -> torch.Tensor:
            written = torch.bincount(torch.tensor(text, dtype=torch.long), minlength=len(base))
            return temperature * (base + habit * written)

        return logits

    return World(model(p, habits[0]), model(q, habits[1]), len(p), temperature)
