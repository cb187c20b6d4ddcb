"""What many short runs of a rule gave, and what that says. Plain data."""

from __future__ import annotations

from dataclasses import dataclass

from core.decoding.request import DecodeRequest
from core.measure.exactness import Band, ChiSquare

FALSE_ALARMS = 0.01
"""A run fails where its p-value is below this: one right run in a hundred does."""
SIZES = (500, 2000, 8000)
"""How many runs may be asked for; the number is fixed before the first."""


@dataclass(frozen=True)
class Beginning:
    """What a run's text may begin with: its probability under the target, exactly, and how many runs began so.

    Where `whole` is False it stands for all the texts that begin like this: too few runs are expected to tell them
    apart.
    """

    text: str
    whole: bool
    share: float
    count: int


@dataclass(frozen=True)
class Verdict:
    """`n` runs of a switch on one request, held against the target's own joint distribution.

    Attributes:
        behind: the first token's text, written by the prompt's own pass, the same in all runs.
        length: tokens written behind it.
        beginnings: the likeliest first, their number limited; `rest` has what is not listed.
        outside: runs whose text the target would never write (p = 0).
        distance: total variation between the counts and the target, over the cells that χ² counts in.
        noise: where that distance lies when nothing but sampling noise is at work.
        tokens_per_round: mean over all rounds made (τ); short texts cut their last drafts short.
    """

    request: DecodeRequest
    switch: str
    n: int
    behind: str
    length: int
    beginnings: tuple[Beginning, ...]
    rest: Beginning
    outside: int
    distance: float
    noise: Band
    test: ChiSquare
    tokens_per_round: float

    @property
    def fails(self) -> bool:
        """Whether so uneven a result comes from fewer than one right run in a hundred."""
        return self.test.p_value < FALSE_ALARMS
