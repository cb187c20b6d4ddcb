"""What a guess and a check cost on this machine, in target passes: what a policy weighs them by."""

from __future__ import annotations

from functools import lru_cache
from statistics import fmean

from core.decoding.drafters import DRAFTERS, now
from core.decoding.request import DecodeRequest, Drafter
from core.decoding.sampling import Draws
from core.models import ModelPair, Reader
from core.theory.closed_forms import Curve, pass_cost

CONTEXT, GUESSES, REPEATS = 48, 3, 7
LENGTHS = (1, 3, 5)


@lru_cache(maxsize=16)
def costs(pair: ModelPair, drafter: Drafter) -> tuple[float, Curve]:
    """c, and the curve of a pass over n positions, measured at the first call: the quickest of a few, since what else
    a machine does only ever adds.

    A second here. A policy that decided by the times of its own run would give another text each time it is run.

    Raises:
        RequestError: when the pair does not offer this drafter.
    """
    request = DecodeRequest("costs", drafter=drafter)
    target = pair.target_reader()
    source = DRAFTERS[drafter](pair, request, Draws(0), target)
    length = min(CONTEXT, pair.context // 2)
    # A text that repeats itself, so that a drafter which looks things up finds something.
    text = [i % max(2, min(length // 2, pair.vocabulary)) for i in range(length)]
    target.read(text[:-1])
    last = None if target.hidden is None else target.hidden[-1:]
    source.prefill(text[:-1])
    steps: list[float] = []
    passes: dict[int, list[float]] = {n: [] for n in LENGTHS}
    for repeat in range(REPEATS + 1):
        proposal = source.propose(text, GUESSES, lambda _: True)
        taken = {n: _timed(pair, target, text[-1:] * n) for n in LENGTHS}
        source.accepted(len(text) - 1, last)
        if repeat:  # the first is a rehearsal
            steps += [fmean(proposal.seconds)] if proposal.seconds else []
            for n, seconds in taken.items():
                passes[n].append(seconds)
    times = [min(passes[n]) for n in LENGTHS]
    # A noisy moment must not make a longer pass look cheaper than a shorter one.
    times = [max(times[: i + 1]) for i in range(len(times))]
    return min(steps) / times[0] if steps else 0.0, pass_cost(LENGTHS, times)


def _timed(pair: ModelPair, target: Reader, tokens: list[int]) -> float:
    before = target.length
    began = now(pair.device)
    target.extend(tokens)
    seconds = now(pair.device) - began
    target.crop(before)
    return seconds
