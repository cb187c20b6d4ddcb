"""One position over a handful of tokens: cut from a real one, changed by hand, played a million times, seeded."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2s

import numpy as np

from core.decoding.rounds import Position
from core.measure.exactness import Array, Replacement, residual

MOST = 1_000_000
"""Rounds that `play` takes at most."""


REST = "all others"
NOTHING = 1e-6
THOUSAND = 1000


@dataclass(frozen=True)
class Handful:
    """A few tokens by name, with p and q; both sum to 1. The last one stands for all other tokens."""

    names: tuple[str, ...]
    p: tuple[float, ...]
    q: tuple[float, ...]

    @property
    def beta(self) -> float:
        """β = Σ min(p, q) of these few."""
        return sum(map(min, self.p, self.q))


def handful(x: Position, most: int = 5) -> Handful:
    """A real position cut to the tokens that p or q likes most, and the rest as one more (where there is any)."""
    known = [c for c in x.top if max(c.p, c.q) > 0]
    picked = sorted(known, key=lambda c: (-max(c.p, c.q), c.token))[:most]
    p, q = ([getattr(c, side) for c in picked] for side in ("p", "q"))
    names, rest_p, rest_q = [c.text for c in picked], max(0.0, 1 - sum(p)), max(0.0, 1 - sum(q))
    if max(rest_p, rest_q) > NOTHING or len(picked) < 2:
        names, p, q = [*names, REST], [*p, rest_p], [*q, rest_q]
    return Handful(tuple(names), *(tuple(x / sum(side) for x in side) for side in (p, q)))


def written_out(real: Handful, p: tuple[float, ...], q: tuple[float, ...]) -> str:
    """p and q in thousandths as a short text, good for this very position only."""
    shares = "_".join(".".join(str(n) for n in _thousandths(side)) for side in (p, q))
    return f"{_mark(real)}_{shares}"


def read_back(real: Handful, text: str) -> Handful | None:
    """What `written_out` wrote, or None where the text makes no sense or belongs to another position."""
    mark, *sides = text.split("_")
    try:
        p, q = (tuple(int(n) for n in side.split(".")) for side in sides)
    except ValueError:
        return None
    fits = all(len(side) == len(real.names) and min(side) >= 0 and sum(side) == THOUSAND for side in (p, q))
    if mark != _mark(real) or not fits:
        return None
    return Handful(real.names, tuple(n / THOUSAND for n in p), tuple(n / THOUSAND for n in q))


def _mark(real: Handful) -> str:
    """A short name for a position, from its tokens and how likely they are."""
    told = repr((real.names, _thousandths(real.p), _thousandths(real.q)))
    return blake2s(told.encode("utf-8", "replace"), digest_size=3).hexdigest()


def _thousandths(shares: tuple[float, ...]) -> list[int]:
    """Whole thousandths that sum to a thousand: rounded down, and what is left goes to the largest remainders."""
    exact = [s * THOUSAND for s in shares]
    whole = [int(x) for x in exact]
    by_remainder = sorted(range(len(exact)), key=lambda i: whole[i] - exact[i])
    for i in by_remainder[: THOUSAND - sum(whole)]:
        whole[i] += 1
    return whole


@dataclass(frozen=True)
class Rounds:
    """What happened in each round, [n]: the token guessed, the number drawn in [0, 1), the verdict, the token written.

    `size` is the number of tokens V.
    """

    guess: Array
    u: Array
    kept: Array
    written: Array
    size: int

    def __len__(self) -> int:
        return len(self.guess)

    @property
    def guessed(self) -> Array:
        """How often each token was guessed, [V]."""
        return np.bincount(self.guess, minlength=self.size)

    @property
    def stayed(self) -> Array:
        """How often each token was guessed and kept, [V]."""
        return np.bincount(self.guess[self.kept], minlength=self.size)

    def output(self, first: int | None = None) -> Array:
        """How often each token was written, in the first so many rounds or in all, [V]."""
        return np.bincount(self.written[:first], minlength=self.size)


@lru_cache(maxsize=4)
def play(p: tuple[float, ...], q: tuple[float, ...], replacement: Replacement, n: int, seed: int) -> Rounds:
    """Play n rounds: guess x from q, keep it if u·q(x) < p(x), else write what `replacement` says.

    The first rounds are the same whatever n is, so that draws add up; and every rule meets the same random numbers.

    Raises:
        ValueError: for more than `MOST` rounds, or distributions of different sizes.
    """
    if not 0 <= n <= MOST or len(p) != len(q):
        raise ValueError(f"0 to {MOST:,} rounds over one set of tokens.")
    target, draft = np.array(p), np.array(q)
    guesses, verdicts, replacements = (np.random.default_rng([seed, part]) for part in range(3))
    guess = _pick(draft, guesses.random(n))
    u = verdicts.random(n)
    kept = u * draft[guess] < target[guess]
    # One number a round, needed or not: else a round's replacement would depend on how many misses came before it.
    instead = replacements.random(n)
    missed = ~kept
    written = guess.copy()
    if replacement == "argmax":
        written[missed] = int(target.argmax())
    elif replacement != "keep":
        weights = residual(target, draft) if replacement == "residual" else target
        written[missed] = _pick(weights, instead[missed])
    return Rounds(guess, u, kept, written, len(p))


def with_share(shares: tuple[float, ...], index: int, share: float) -> tuple[float, ...]:
    """The distribution with one token's share set, and the others grown or shrunk in proportion; the sum stays 1."""
    others = sum(shares) - shares[index]
    if others <= 0:
        even = (1 - share) / (len(shares) - 1)
        return tuple(share if i == index else even for i in range(len(shares)))
    factor = (1 - share) / others
    return tuple(share if i == index else s * factor for i, s in enumerate(shares))


def _pick(weights: Array, u: Array) -> Array:
    """A token for each u in [0, 1), by the cumulated weights; never one of weight 0."""
    cumulative = weights.cumsum()
    token = np.searchsorted(cumulative, u * cumulative[-1], side="right")
    # Rounding can carry u past the end: the last token of any weight then holds it.
    return np.minimum(token, int(weights.nonzero()[0][-1])).astype(np.int16)
