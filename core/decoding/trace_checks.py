"""Whether a trace from a file could be of a run: a file may be damaged, or made to do harm."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields, is_dataclass
from math import isfinite

from core.decoding.request import MAX_GAMMA, MAX_NEW_TOKENS
from core.decoding.rounds import TOP, Candidate, Choice, Node, Position, Round
from core.decoding.trace import Trace

LONGEST_TEXT = 200_000
"""Characters of any one text; a token's own is far shorter."""
LONGEST_PIECE = 1000
MOST_TOKENS = 10_000_000
"""Above any vocabulary, and any context."""
MOST_SECONDS = 100_000.0
MOST_NATS = 100.0
MOST_NODES = 2000
"""A tree of 4 branches that is 32 deep has under 800."""
SLACK = 1e-3
"""Sums of 16-bit figures may lie that much beside what they should be."""


def possible(trace: Trace) -> bool:
    """Whether every figure, text and length of the trace is one that a run can have, and its parts agree."""
    return (
        _sound(trace)
        and _pair(trace)
        and len(trace.rounds) <= MAX_NEW_TOKENS
        and len(trace.pieces) == len(trace.tokens) <= MAX_NEW_TOKENS
        and all(len(piece) <= LONGEST_PIECE for piece in trace.pieces)
        and _tokens(trace.prefill.prompt_tokens)
        and _seconds((trace.prefill.target_time, trace.prefill.draft_time))
        and _choice(trace.prefill.choice)
        and all(r.index == i and _round(r) for i, r in enumerate(trace.rounds))
    )


def _sound(value: object) -> bool:
    """Whether numbers are finite and not beyond 64 bits, and texts of sensible length, however deep they lie."""
    if isinstance(value, str):
        return len(value) <= LONGEST_TEXT
    if isinstance(value, int | float):
        return isfinite(value) and abs(value) < 2**63
    if isinstance(value, tuple):
        return all(map(_sound, value))
    if is_dataclass(value):
        return all(_sound(getattr(value, f.name)) for f in fields(value))
    return value is None


def _pair(trace: Trace) -> bool:
    pair = trace.pair
    names = (pair.preset, pair.target, pair.draft, pair.device, pair.dtype)
    return (
        all(len(name) <= LONGEST_PIECE for name in names)
        and (pair.width is None or 1 <= pair.width <= LONGEST_PIECE)
        and 0.01 <= pair.padding_cost <= 100
    )


def _round(r: Round) -> bool:
    kept = [x.token for x in r.positions if x.accepted]
    ends = [r.final.token] if r.final else []
    return (
        0 <= r.gamma <= MOST_TOKENS
        and len(r.positions) <= MAX_GAMMA
        and _in_turn([x.accepted for x in r.positions])
        and list(r.committed) == kept + ends
        and bool(r.committed)
        and all(map(_position, r.positions))
        and (r.final is None or _choice(r.final))
        and _candidates(r.behind)
        and _tree(r.tree)
        and _seconds((*r.draft_times, r.target_time, r.overhead_time))
        and _tokens((*r.committed, *r.target_cache, *r.draft_cache))
    )


def _tree(nodes: Sequence[Node]) -> bool:
    """Whether each node hangs on one before it: a tree without rings."""
    return len(nodes) <= MOST_NODES and all(
        (x.parent is None or 0 <= x.parent < i) and _token(x.token, x.text) and _shares((x.p, x.q, x.u or 0.0))
        for i, x in enumerate(nodes)
    )


def _in_turn(verdicts: Sequence[bool | None]) -> bool:
    """Kept guesses, then at most one that missed, then those never examined."""
    order = {True: 0, False: 1, None: 2}
    return [order[v] for v in verdicts] == sorted(order[v] for v in verdicts) and verdicts.count(False) <= 1


def _position(x: Position) -> bool:
    return (
        _token(x.token, x.text)
        and _shares((x.p, x.q, x.p_raw, x.q_raw, x.beta, x.u or 0.0))
        and x.ratio >= 0
        and _nats(x.entropy_p, x.entropy_q)
        and _candidates(x.top)
    )


def _choice(x: Choice) -> bool:
    return _token(x.token, x.text) and _shares((x.p, x.p_raw)) and _nats(x.entropy) and _candidates(x.top)


def _candidates(top: Sequence[Candidate]) -> bool:
    return len(top) <= 5 * TOP and all(
        _token(c.token, c.text) and _shares((c.p, c.q, c.p_raw, c.q_raw, c.residual)) for c in top
    )


def _token(token: int, text: str) -> bool:
    return 0 <= token < MOST_TOKENS and len(text) <= LONGEST_PIECE


def _tokens(numbers: Iterable[int]) -> bool:
    return all(0 <= n < MOST_TOKENS for n in numbers)


def _shares(values: Iterable[float]) -> bool:
    return all(0 <= x <= 1 + SLACK for x in values)


def _nats(*values: float) -> bool:
    return all(-SLACK <= x <= MOST_NATS for x in values)


def _seconds(values: Iterable[float]) -> bool:
    # What is left of a difference of clocks may be a hair below 0.
    return all(-SLACK <= x <= MOST_SECONDS for x in values)
