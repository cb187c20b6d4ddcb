"""Is a run's text the target's own? Many short runs of a rule, held against the target's exact joint distribution."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import NamedTuple

import numpy as np

from core.decoding.request import DecodeRequest, RequestError
from core.decoding.round import up_to_eos
from core.decoding.sampling import Draws
from core.measure.altered import BUILDS
from core.measure.enumeration import outcomes
from core.measure.exactness import LEAST_EXPECTED, chi_square, pool, tv, tv_band
from core.measure.verdict import SIZES, Beginning, Verdict
from core.measure.world import Text, World

LENGTH = 3
"""Tokens that a run writes behind the first. With γ = 2 these hold corrections, a bonus and later rounds."""
ROOM = 16
"""Tokens that the models may read behind the prompt: what was written, and what was not rolled back."""
LISTED = 12
"""Beginnings that a verdict names."""
LISTING = 0.4
"""Share of the progress that working out the target's distribution takes."""
TURN = 0.03
"""Seconds after which others may have a turn."""


@dataclass(frozen=True)
class Written:
    """A run's text, the rounds it took, and the tokens those rounds gave (some may lie beyond the text)."""

    text: Text
    rounds: int
    gained: int


def write(
    name: str, world: World, start: Text, length: int, gamma: int, draws: Draws, longest: int | None = None
) -> Written:
    """Run a rule round by round, as the loop does, until `length` tokens stand behind `start` or the text ends.

    Where the text may have `longest` tokens behind `start`, drafts are cut to what is left, as in the loop.
    """
    parts, text = BUILDS[name](world, draws), list(start)
    rounds = 0
    while len(text) - len(start) < length and not world.ended(text):
        left = longest - (len(text) - len(start)) if longest else gamma + 1
        kept, token, _ = parts.round(text, min(gamma, left - 1), parts.propose, parts.verify, draws)
        text += up_to_eos([*kept, token], world.eos)
        rounds += 1
    new = text[len(start) :]
    return Written(tuple(new[:length]), rounds, len(new))


def target_texts(world: World, start: Text, length: int, least: float = 0.0) -> Iterator[tuple[Text, float]]:
    """The target's own joint distribution behind `start`: each text of `length` tokens and its probability.

    A beginning of probability under `least` is not looked into: it stands for all texts that begin so. The
    probabilities add up to 1 all the same.
    """
    waiting: list[tuple[Text, float]] = [((), 1.0)]
    while waiting:
        begun, mass = waiting.pop()
        p = world.p((*start, *begun)).double()
        tokens = p.nonzero()[:, 0]
        shares = (p[tokens] / p.sum() * mass).tolist()
        for token, share in zip(tokens.tolist(), shares, strict=True):
            text = (*begun, token)
            if len(text) == length or world.ended(text) or share < least:
                yield text, share
            else:
                waiting.append((text, share))


class Exact(NamedTuple):
    """The probability of every text under a rule, and its mean tokens a round (τ)."""

    texts: dict[Text, float]
    tokens_per_round: float


def exact_texts(name: str, world: World, length: int, gamma: int) -> Exact:
    """What a rule writes, by walking through all its draws: for worlds of a few tokens."""
    found = outcomes(lambda draws: write(name, world, (), length, gamma, draws))
    texts: dict[Text, float] = {}
    for written, share in found.items():
        texts[written.text] = texts.get(written.text, 0.0) + float(share)
    gained, rounds = (sum(getattr(w, name) * share for w, share in found.items()) for name in ("gained", "rounds"))
    return Exact(texts, float(gained / rounds))


def short_runs(
    world: World, request: DecodeRequest, switch: str, n: int, piece: Callable[[int], str]
) -> Generator[float, None, Verdict]:
    """n runs of a switch, each with draws of its own, and the verdict. Yields progress, 0 to 1, between turns.

    The first token is the target's first choice in every run: the prompt's own pass gives it, and no rule is at work.

    Raises:
        RequestError: for a test that is not offered, or where the answer is over with its first token.
    """
    if n not in SIZES or switch not in BUILDS:
        raise RequestError("There is no such test: choose a rule and a number of runs on the page.")
    start = (int(world.p(()).argmax()),)
    if world.ended(start):
        raise RequestError("The answer ends with its first token: choose another prompt.")
    turn, done, exact = Turn(), 0.0, dict[Text, float]()
    for text, share in target_texts(world, start, LENGTH, LEAST_EXPECTED / n):
        exact[text], done = share, done + share
        if turn.over():
            yield LISTING * min(done, 1.0)
    # Seeds of its own for each switch: with shared luck one unlucky seed would fail several right rules at once.
    first = (request.seed * len(BUILDS) + list(BUILDS).index(switch)) * max(SIZES)
    counts: Counter[Text | None] = Counter()
    rounds = gained = 0
    for i in range(n):
        draws = Draws(first + i)
        written = write(switch, world, start, LENGTH, request.gamma, draws, longest=LENGTH)
        counts[_cell(written.text, exact)] += 1
        rounds, gained = rounds + written.rounds, gained + written.gained
        if turn.over():
            yield LISTING + (1 - LISTING) * (i + 1) / n
    return _verdict(world, request, switch, exact, counts, piece, start, gained / rounds)


class Turn:
    """Says now and then that others may have a turn."""

    def __init__(self) -> None:
        self._began = perf_counter()

    def over(self) -> bool:
        if perf_counter() - self._began < TURN:
            return False
        self._began = perf_counter()
        return True


def _cell(text: Text, exact: dict[Text, float]) -> Text | None:
    """The cell that a text is counted in; None for one that the target never writes."""
    begun = (text[:length] for length in range(len(text), 0, -1))
    return next((cell for cell in begun if cell in exact), None)


def _verdict(
    world: World,
    request: DecodeRequest,
    switch: str,
    exact: dict[Text, float],
    counts: Counter[Text | None],
    piece: Callable[[int], str],
    start: Text,
    tokens_per_round: float,
) -> Verdict:
    def words(text: Text) -> str:
        return "".join(map(piece, text))

    n, ranked = counts.total(), sorted(exact, key=lambda text: -exact[text])
    right, counted = (np.array([table[text] for text in ranked]) for table in (exact, counts))
    groups = pool(right, n)
    # Behind the pooled cells, and pooled with none of them, stands what the target never writes.
    shares = np.append(np.bincount(groups, right), 0.0)
    found = np.append(np.bincount(groups, counted), counts[None])
    shown = [Beginning(words(t), len(t) == LENGTH or world.ended(t), exact[t], counts[t]) for t in ranked[:LISTED]]
    return Verdict(
        request=request,
        switch=switch,
        n=n,
        behind=words(start),
        length=LENGTH,
        beginnings=tuple(shown),
        rest=Beginning("", False, float(right[LISTED:].sum()), int(counted[LISTED:].sum())),
        outside=counts[None],
        distance=tv(shares, found / n),
        noise=tv_band(shares, n),
        test=chi_square(found, shares),
        tokens_per_round=tokens_per_round,
    )
