"""What a round is made of: tokens with their figures, guesses, choices. Plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

TOP = 12
"""How many candidates of each distribution a position keeps."""


# A trace holds thousands of these: without slots each would carry a dictionary.
@dataclass(frozen=True, slots=True)
class Candidate:
    """One token of the vocabulary at one position, under each distribution."""

    token: int
    text: str
    p: float
    q: float
    p_raw: float
    q_raw: float
    residual: float


@dataclass(frozen=True)
class Position:
    """A drafted token and what the rule did with it.

    `p`, `q` are as the rule used them (after temperature, top-k, top-p); `p_raw`, `q_raw`
    at temperature 1 without cut-offs. `accepted` is None where a miss (or an end of
    sequence) came before: never examined. `u` is the uniform drawn, None where none was.
    `top` holds every token among the first `TOP` of p, q, p_raw, q_raw or the residual.
    Entropies are in nats.
    """

    token: int
    text: str
    p: float
    q: float
    p_raw: float
    q_raw: float
    ratio: float
    u: float | None
    accepted: bool | None
    beta: float
    entropy_p: float
    entropy_q: float
    top: tuple[Candidate, ...] = ()

    @property
    def top_p(self) -> list[Candidate]:
        """The most probable tokens under p, at most `TOP`, none of probability 0."""
        return _first(self.top, "p")

    @property
    def top_q(self) -> list[Candidate]:
        """The most probable tokens under q, at most `TOP`, none of probability 0."""
        return _first(self.top, "q")


@dataclass(frozen=True, slots=True)
class Node:
    """A guess in a tree. `parent` is an index in the round's tree, None behind the text.

    p is what was left of the target's when the candidate's turn came (the target's own where it was never examined),
    q the chance it was drawn with once its elder siblings were out. `accepted` is True on the branch that survived,
    False for a candidate that was examined and missed, None for one that never was.
    """

    token: int
    text: str
    parent: int | None
    p: float
    q: float
    u: float | None
    accepted: bool | None


Kind = Literal["correction", "bonus", "target", "draft"]


@dataclass(frozen=True)
class Choice:
    """A token written without having been drafted: correction, bonus, or the only token of a plain step.

    `p` and `p_raw` are the writing model's probabilities (the draft's where `kind` is "draft").
    A correction was sampled from the residual, so its chance there stands in `top`.
    """

    kind: Kind
    token: int
    text: str
    p: float
    p_raw: float
    entropy: float
    top: tuple[Candidate, ...] = ()


@dataclass(frozen=True)
class Prefill:
    """The prompt's own pass, from which the first token comes. Times in seconds, 0.0 for a model that took no part."""

    prompt_tokens: tuple[int, ...]
    choice: Choice
    target_time: float
    draft_time: float


@dataclass(frozen=True)
class Round:
    """Draft, one target pass, keep or mend. A standard run has rounds without positions.

    `committed` are the tokens that joined the text; `final` is the correction, bonus or plain token
    (None when an end of sequence was accepted inside the draft, or cut before it).
    `behind` holds the target's first candidates at the place after the last guess, whether the bonus token was
    drawn from there or not (empty without guesses; their q and residual are 0).
    Times in seconds: one entry a draft step, the verification pass, and everything else.
    Cache lengths in tokens, before the round and after its roll-back.
    `tree` holds all guesses where they form a tree; `positions` are then those of the branch that survived, and behind
    them the last candidate missed, if any; a position's p is what earlier candidates left of the target's.
    """

    index: int
    gamma: int
    positions: tuple[Position, ...]
    committed: tuple[int, ...]
    final: Choice | None
    draft_times: tuple[float, ...]
    target_time: float
    overhead_time: float
    target_cache: tuple[int, int]
    draft_cache: tuple[int, int]
    behind: tuple[Candidate, ...] = ()
    tree: tuple[Node, ...] = ()

    @property
    def guesses(self) -> int:
        """Tokens guessed, in a chain or a tree."""
        return len(self.tree) or len(self.positions)

    @property
    def accepted(self) -> int:
        """Length of the accepted prefix."""
        return sum(p.accepted is True for p in self.positions)

    @property
    def rejected(self) -> int:
        """1 if the round has a miss, else 0."""
        return sum(p.accepted is False for p in self.positions)

    @property
    def seconds(self) -> float:
        """Draft steps, verification pass and overhead together."""
        return sum(self.draft_times) + self.target_time + self.overhead_time


def _first(candidates: tuple[Candidate, ...], name: str) -> list[Candidate]:
    ranked = sorted((c for c in candidates if getattr(c, name) > 0), key=lambda c: (-getattr(c, name), c.token))
    return ranked[:TOP]
