"""A round as it is played with a real pair: its two calls, timed, its roll-back, and what the trace keeps of it."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from core.decoding.drafters import Drafter, GoOn, now
from core.decoding.record import record_answer, record_choice, record_positions
from core.decoding.request import DecodeRequest
from core.decoding.rounds import Candidate, Choice, Kind, Node, Position, Round
from core.decoding.rule import ROUNDS, TREE_ROUNDS, Examined
from core.decoding.sampling import Draws, probabilities
from core.models import ModelPair, Reader
from core.models.reader import ancestors, depths

Caches = tuple[tuple[int, int], tuple[int, int]]
"""Lengths (before, after) of the target's cache and the drafter's."""


class Calls:
    """The two calls of a round, timed, and what they returned: the round itself only sees probabilities."""

    def __init__(self, pair: ModelPair, request: DecodeRequest, target: Reader, drafter: Drafter, go_on: GoOn) -> None:
        self.pair, self.request, self.target, self.drafter, self.go_on = pair, request, target, drafter, go_on
        self.before = (target.length, drafter.cached)
        self.began = now(pair.device)

    def propose(self, text: list[int], gamma: int) -> tuple[list[int], Sequence[torch.Tensor]]:
        self.proposal = self.drafter.propose(text, gamma, self.go_on)
        return self.proposal.tokens, self.proposal.q

    def verify(self, text: list[int], guesses: list[int]) -> torch.Tensor:
        began = now(self.pair.device)
        self.logits = self.target.extend([text[-1], *guesses])
        self.target_time = now(self.pair.device) - began
        self.p = warp(self.request, self.logits)
        return self.p

    def propose_tree(self, text: list[int], gamma: int) -> tuple[list[int], Sequence[torch.Tensor], list[int | None]]:
        tokens, q = self.propose(text, gamma)
        return tokens, q, self.proposal.parents or []

    def verify_tree(self, text: list[int], guesses: list[int], parents: list[int | None]) -> torch.Tensor:
        # The text's last token is the root that every branch starts from.
        rooted = [None, *(0 if parent is None else parent + 1 for parent in parents)]
        positions = [len(text) - 1 + depth for depth in depths(rooted)]
        began = now(self.pair.device)
        self.logits = self.target.branch([text[-1], *guesses], ancestors(rooted), positions)
        self.target_time = now(self.pair.device) - began
        self.p = warp(self.request, self.logits)
        return self.p

    def roll_back(self, length: int) -> Caches:
        """Keep `length` tokens in both caches."""
        hidden = self.target.hidden
        self.drafter.accepted(length, None if hidden is None else hidden[: length - self.before[0]])
        self.target.crop(length)
        return (self.before[0], self.target.length), (self.before[1], self.drafter.cached)


def chain_round(calls: Calls, index: int, text: list[int], gamma: int, draws: Draws) -> Round:
    """One round over a chain of guesses."""
    kept, token, uniforms = ROUNDS[calls.request.rule](text, gamma, calls.propose, calls.verify, draws)
    caches = calls.roll_back(len(text) + len(kept))
    overhead = _overhead(calls)
    committed = up_to_eos([*kept, token], calls.pair.eos_ids)
    ended_early = len(committed) <= len(kept)
    proposal, n = calls.proposal, len(calls.proposal.tokens)
    examined = len(committed) if ended_early else len(kept) + 1
    verdicts = [i < len(kept) if i < examined else None for i in range(n)]
    positions: tuple[Position, ...] = ()
    behind: tuple[Candidate, ...] = ()
    if n:
        rows = calls.p[:n], torch.stack(list(proposal.q)), calls.logits[:n], torch.stack(list(proposal.logits))
        positions = record_positions(calls.pair, proposal.tokens, verdicts, uniforms, *rows)
        behind = record_answer(calls.pair, calls.p[n], calls.logits[n])
    at, final = len(kept), None
    if not ended_early:
        kind: Kind = "correction" if at < n else "bonus" if n else "target"
        top = positions[at].top if at < n else behind or None
        final = record_choice(calls.pair, kind, token, calls.p[at], calls.logits[at], top)
    return _round(calls, index, n, positions, committed, final, overhead, caches, behind)


def tree_round(calls: Calls, index: int, text: list[int], gamma: int, draws: Draws) -> Round:
    """One round over a tree of guesses. Without room for a guess it is a plain step."""
    if gamma == 0:
        return chain_round(calls, index, text, 0, draws)
    examined, token = TREE_ROUNDS[calls.request.rule](text, gamma, calls.propose_tree, calls.verify_tree, draws)
    walk = [x for x in examined if x.accepted]
    # The root's entry stays, and of the branches the one that survived.
    calls.target.keep(calls.before[0], [0, *(x.guess + 1 for x in walk)])
    caches = calls.roll_back(len(text) + len(walk))
    overhead = _overhead(calls)
    proposal = calls.proposal
    kept = [proposal.tokens[x.guess] for x in walk]
    committed = up_to_eos([*kept, token], calls.pair.eos_ids)
    ended_early = len(committed) <= len(kept)
    row = _row(walk[-1].guess if walk else None)
    # An end of sequence may lie on the branch: what came behind it was never part of the text.
    walk = walk[: len(committed)]
    # The walk ended at a leaf, or behind candidates that all missed: the last of those stands for the miss.
    missed = [examined[-1]] if not ended_early and not examined[-1].accepted else []
    positions = _branch(calls, walk + missed)
    final = None
    behind: tuple[Candidate, ...] = ()
    if not ended_early:
        if not missed:
            behind = record_answer(calls.pair, calls.p[row], calls.logits[row])
        kind: Kind = "correction" if missed else "bonus"
        top = positions[-1].top if missed else behind
        final = record_choice(calls.pair, kind, token, calls.p[row], calls.logits[row], top)
    tree = _nodes(calls, examined, walk)
    return _round(calls, index, len(proposal.seconds), positions, committed, final, overhead, caches, behind, tree)


def _row(guess: int | None) -> int:
    """Where p behind a guess stands among the target's answers; None is the text itself."""
    return 0 if guess is None else guess + 1


def _branch(calls: Calls, shown: list[Examined]) -> tuple[Position, ...]:
    """The trace's positions of the candidates on the surviving branch, and of the one missed behind it."""
    proposal, parents = calls.proposal, calls.proposal.parents or []
    chosen = [x.guess for x in shown]
    return record_positions(
        calls.pair,
        [proposal.tokens[i] for i in chosen],
        [x.accepted for x in shown],
        [x.u for x in shown],
        torch.stack([x.p for x in shown]),
        torch.stack([proposal.q[i] for i in chosen]),
        calls.logits[[_row(parents[i]) for i in chosen]],
        torch.stack([proposal.logits[i] for i in chosen]),
    )


def _nodes(calls: Calls, examined: list[Examined], walk: list[Examined]) -> tuple[Node, ...]:
    """All guesses of the tree, and what became of each; `walk` are those that stay."""
    seen, stay = {x.guess: x for x in examined}, {x.guess for x in walk}
    nodes = []
    proposal, parents = calls.proposal, calls.proposal.parents or []
    for i, (token, q, parent) in enumerate(zip(proposal.tokens, proposal.q, parents, strict=True)):
        found = seen.get(i)
        p, u = (found.p, found.u) if found else (calls.p[_row(parent)], None)
        verdict = True if i in stay else False if found and not found.accepted else None
        nodes.append(Node(token, calls.pair.piece(token), parent, float(p[token]), float(q[token]), u, verdict))
    return tuple(nodes)


def _round(
    calls: Calls,
    index: int,
    gamma: int,
    positions: tuple[Position, ...],
    committed: list[int],
    final: Choice | None,
    overhead: float,
    caches: Caches,
    behind: tuple[Candidate, ...],
    tree: tuple[Node, ...] = (),
) -> Round:
    return Round(
        index=index,
        gamma=gamma,
        positions=positions,
        committed=tuple(committed),
        final=final,
        draft_times=calls.proposal.seconds,
        target_time=calls.target_time,
        overhead_time=overhead,
        target_cache=caches[0],
        draft_cache=caches[1],
        behind=behind,
        tree=tree,
    )


def _overhead(calls: Calls) -> float:
    """Seconds of the round so far that neither model took."""
    return now(calls.pair.device) - calls.began - sum(calls.proposal.seconds) - calls.target_time


def warp(request: DecodeRequest, logits: torch.Tensor) -> torch.Tensor:
    """The request's distributions [n, V] from a model's logits [n, V]."""
    return probabilities(logits, request.temperature, request.top_k, request.top_p)


def up_to_eos(tokens: list[int], eos_ids: frozenset[int]) -> list[int]:
    """Cut after the first end of sequence: what comes behind it was never part of the text."""
    for i, token in enumerate(tokens):
        if token in eos_ids:
            return tokens[: i + 1]
    return tokens
