"""The loops: target alone, draft alone, and draft-and-verify. Each yields events as rounds end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch

from core.decoding.drafters import DRAFTERS, Drafter, Proposal, draw, fit, now
from core.decoding.events import Committed, Done, Drafted, Event, Prefilled, Verified, fold
from core.decoding.prompt import prompt_tokens
from core.decoding.record import record_answer, record_choice, record_positions
from core.decoding.request import DecodeRequest, RequestError
from core.decoding.rule import ROUNDS
from core.decoding.sampling import Draws, probabilities
from core.decoding.trace import Candidate, Kind, PairInfo, Position, Prefill, Round, Stop, Trace
from core.models import ModelPair, Reader


def decode(pair: ModelPair, request: DecodeRequest) -> Trace:
    """Run a request to its end.

    Raises:
        RequestError: when the prompt does not fit the pair's context.
    """
    return fold(request, stream(pair, request))


def stream(pair: ModelPair, request: DecodeRequest) -> Iterator[Event]:
    """Run a request, yielding events round by round. Closing the iterator ends the run.

    Raises:
        RequestError: before the first event, for a prompt longer than the context or a drafter that is not there.
    """
    if request.drafter not in DRAFTERS:
        raise RequestError(f"There is no drafter called {request.drafter!r}: choose one of {', '.join(DRAFTERS)}.")
    prompt = prompt_tokens(pair, request.prompt, request.chat)
    run = _speculative if request.method == "speculative" else _plain
    return run(pair, request, prompt)


def pair_info(pair: ModelPair) -> PairInfo:
    """The pair as a trace describes it."""
    return PairInfo(
        preset=pair.preset,
        target=pair.target_name,
        draft=pair.draft_name,
        device=str(pair.device),
        dtype=pair.dtype_name,
        width=pair.width,
        padding_cost=pair.padding_cost,
    )


def _plain(pair: ModelPair, request: DecodeRequest, prompt: list[int]) -> Iterator[Event]:
    """One model writes token after token."""
    alone = request.method == "draft"
    reader = pair.draft_reader() if alone else pair.target_reader()
    kind: Kind = "draft" if alone else "target"
    draws, text = Draws(request.seed), list(prompt)

    def next_token(logits: torch.Tensor) -> tuple[int, torch.Tensor]:
        p = _warp(request, logits)[0]
        return draw(request, draws, p, len(text)), p

    started = now(pair.device)
    logits = fit(reader.read(prompt), pair.vocabulary)
    seconds = now(pair.device) - started
    token, p = next_token(logits)
    choice = record_choice(pair, kind, token, p, logits[0])
    yield Prefilled(Prefill(tuple(prompt), choice, *_by_model(alone, seconds)), choice.text)
    text.append(token)
    while (stop := _stop(pair, request, prompt, text)) is None:
        before, began = reader.length, now(pair.device)
        logits = fit(reader.extend(text[-1:]), pair.vocabulary)
        seconds = now(pair.device) - began
        token, p = next_token(logits)
        overhead = now(pair.device) - began - seconds
        choice = record_choice(pair, kind, token, p, logits[0])
        caches = (before, reader.length)
        yield Committed(
            Round(
                index=len(text) - len(prompt) - 1,
                gamma=0,
                positions=(),
                committed=(token,),
                final=choice,
                draft_times=(seconds,) if alone else (),
                target_time=0.0 if alone else seconds,
                overhead_time=overhead,
                target_cache=(0, 0) if alone else caches,
                draft_cache=caches if alone else (0, 0),
            ),
            (choice.text,),
        )
        text.append(token)
    yield _done(pair, prompt, text, stop)


def _speculative(pair: ModelPair, request: DecodeRequest, prompt: list[int]) -> Iterator[Event]:
    """Draft ahead, verify in one pass, keep what holds; again until the text ends."""
    draws, target = Draws(request.seed), pair.target_reader()
    drafter = DRAFTERS[request.drafter](pair, request, draws)
    started = now(pair.device)
    logits = target.read(prompt)
    read = now(pair.device)
    drafter.prefill(prompt)
    drafted = now(pair.device)
    p = _warp(request, logits)[0]
    choice = record_choice(pair, "target", draw(request, draws, p, len(prompt)), p, logits[0])
    yield Prefilled(Prefill(tuple(prompt), choice, read - started, drafted - read), choice.text)
    text, index = [*prompt, choice.token], 0
    while (stop := _stop(pair, request, prompt, text)) is None:
        left = min(request.max_new_tokens - (len(text) - len(prompt)), pair.context - len(text))
        seen = _Seen(pair, request, target, drafter)
        # The round adds one token of its own, so a draft as long as what is left would overshoot.
        kept, token, uniforms = ROUNDS[request.rule](
            text, min(request.gamma, left - 1), seen.propose, seen.verify, draws
        )
        caches = seen.roll_back(len(text) + len(kept))
        overhead = now(pair.device) - seen.began - sum(seen.proposal.seconds) - seen.target_time
        committed = up_to_eos([*kept, token], pair.eos_ids)
        round_ = _record(seen, index, kept, token, uniforms, committed, overhead, caches)
        yield from _round_events(pair, round_, seen.proposal)
        text, index = text + committed, index + 1
    yield _done(pair, prompt, text, stop)


class _Seen:
    """The two calls of a round, timed, and what they returned: the round itself only sees probabilities."""

    def __init__(self, pair: ModelPair, request: DecodeRequest, target: Reader, drafter: Drafter) -> None:
        self.pair, self.request, self.target, self.drafter = pair, request, target, drafter
        self.before = (target.length, drafter.cached)
        self.began = now(pair.device)

    def propose(self, text: list[int], gamma: int) -> tuple[list[int], list[torch.Tensor]]:
        self.proposal = self.drafter.propose(text, gamma)
        return self.proposal.tokens, self.proposal.q

    def verify(self, text: list[int], guesses: list[int]) -> torch.Tensor:
        began = now(self.pair.device)
        self.logits = self.target.extend([text[-1], *guesses])
        self.target_time = now(self.pair.device) - began
        self.p = _warp(self.request, self.logits)
        return self.p

    def roll_back(self, length: int) -> tuple[tuple[int, int], tuple[int, int]]:
        """Keep `length` tokens in both caches; lengths (before, after) of the target's and the draft's."""
        self.target.crop(length)
        self.drafter.accepted(length)
        return (self.before[0], self.target.length), (self.before[1], self.drafter.cached)


def _record(
    seen: _Seen,
    index: int,
    kept: list[int],
    token: int,
    uniforms: list[float],
    committed: list[int],
    overhead: float,
    caches: tuple[tuple[int, int], tuple[int, int]],
) -> Round:
    guesses, n = seen.proposal.tokens, len(seen.proposal.tokens)
    ended_early = len(committed) <= len(kept)
    examined = len(committed) if ended_early else len(kept) + 1
    verdicts = [i < len(kept) if i < examined else None for i in range(n)]
    positions: tuple[Position, ...] = ()
    behind: tuple[Candidate, ...] = ()
    if n:
        q, q_logits = torch.stack(seen.proposal.q), torch.stack(seen.proposal.logits)
        positions = record_positions(seen.pair, guesses, verdicts, uniforms, seen.p[:n], q, seen.logits[:n], q_logits)
        behind = record_answer(seen.pair, seen.p[n], seen.logits[n])
    at, final = len(kept), None
    if not ended_early:
        kind: Kind = "correction" if at < n else "bonus" if n else "target"
        top = positions[at].top if at < n else behind or None
        final = record_choice(seen.pair, kind, token, seen.p[at], seen.logits[at], top)
    return Round(
        index=index,
        gamma=n,
        positions=positions,
        committed=tuple(committed),
        final=final,
        draft_times=seen.proposal.seconds,
        target_time=seen.target_time,
        overhead_time=overhead,
        target_cache=caches[0],
        draft_cache=caches[1],
        behind=behind,
    )


def _round_events(pair: ModelPair, round_: Round, proposal: Proposal) -> Iterator[Event]:
    for slot, (position, seconds) in enumerate(zip(round_.positions, proposal.seconds, strict=True)):
        yield Drafted(round_.index, slot, position.token, position.text, seconds)
    yield Verified(round_.index, tuple(x.accepted for x in round_.positions))
    yield Committed(round_, tuple(pair.piece(t) for t in round_.committed))


def _warp(request: DecodeRequest, logits: torch.Tensor) -> torch.Tensor:
    return probabilities(logits, request.temperature, request.top_k, request.top_p)


def _by_model(alone: bool, seconds: float) -> tuple[float, float]:
    return (0.0, seconds) if alone else (seconds, 0.0)


def up_to_eos(tokens: list[int], eos_ids: frozenset[int]) -> list[int]:
    """Cut after the first end of sequence: what comes behind it was never part of the text."""
    for i, token in enumerate(tokens):
        if token in eos_ids:
            return tokens[: i + 1]
    return tokens


def _stop(pair: ModelPair, request: DecodeRequest, prompt: Sequence[int], text: Sequence[int]) -> Stop | None:
    if text[-1] in pair.eos_ids:
        return "eos"
    if len(text) - len(prompt) >= request.max_new_tokens:
        return "length"
    return "context" if len(text) >= pair.context else None


def _done(pair: ModelPair, prompt: Sequence[int], text: Sequence[int], stop: Stop) -> Done:
    answer = pair.tokenizer.decode(list(text[len(prompt) :]), skip_special_tokens=True)
    return Done(stop, answer, pair_info(pair))
