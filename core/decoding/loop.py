"""The loops: target alone, draft alone, and draft-and-verify. Each yields events as rounds end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch

from core.decoding.drafters import DRAFTERS, draw, fit, now
from core.decoding.events import Committed, Done, Drafted, Event, Prefilled, Verified, fold
from core.decoding.policies import POLICIES
from core.decoding.prompt import prompt_tokens
from core.decoding.record import record_choice
from core.decoding.request import DecodeRequest
from core.decoding.round import Calls, chain_round, tree_round, warp
from core.decoding.rounds import Kind, Prefill, Round
from core.decoding.sampling import Draws
from core.decoding.trace import PairInfo, Stop, Trace
from core.models import ModelPair


def decode(pair: ModelPair, request: DecodeRequest) -> Trace:
    """Run a request to its end.

    Raises:
        RequestError: when the prompt does not fit the pair's context.
    """
    return fold(request, stream(pair, request))


def stream(pair: ModelPair, request: DecodeRequest) -> Iterator[Event]:
    """Run a request, yielding events round by round. Closing the iterator ends the run.

    Raises:
        RequestError: before the first event, for a prompt longer than the context; with the first event, for a
            drafter that this pair does not offer.
    """
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
        p = warp(request, logits)[0]
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
    drafter = DRAFTERS[request.drafter](pair, request, draws, target)
    policy = POLICIES[request.policy](pair, request)
    started = now(pair.device)
    logits = target.read(prompt)
    read = now(pair.device)
    drafter.prefill(prompt)
    drafted = now(pair.device)
    p = warp(request, logits)[0]
    choice = record_choice(pair, "target", draw(request, draws, p, len(prompt)), p, logits[0])
    yield Prefilled(Prefill(tuple(prompt), choice, read - started, drafted - read), choice.text)
    text, index = [*prompt, choice.token], 0
    play = tree_round if request.drafter == "tree" else chain_round
    while (stop := _stop(pair, request, prompt, text)) is None:
        left = min(request.max_new_tokens - (len(text) - len(prompt)), pair.context - len(text))
        # The round adds one token of its own, so a draft as long as what is left would overshoot.
        calls = Calls(pair, request, target, drafter, policy.go_on)
        round_ = play(calls, index, text, min(policy.gamma, left - 1), draws)
        policy.after(round_)
        yield from _round_events(pair, round_)
        text, index = text + list(round_.committed), index + 1
    yield _done(pair, prompt, text, stop)


def _round_events(pair: ModelPair, round_: Round) -> Iterator[Event]:
    # A tree has one time for each level, and its surviving branch may be shorter than it is deep.
    for slot, (position, seconds) in enumerate(zip(round_.positions, round_.draft_times, strict=False)):
        yield Drafted(round_.index, slot, position.token, position.text, seconds)
    yield Verified(round_.index, tuple(x.accepted for x in round_.positions))
    yield Committed(round_, tuple(pair.piece(t) for t in round_.committed))


def _by_model(alone: bool, seconds: float) -> tuple[float, float]:
    return (0.0, seconds) if alone else (seconds, 0.0)


def _stop(pair: ModelPair, request: DecodeRequest, prompt: Sequence[int], text: Sequence[int]) -> Stop | None:
    if text[-1] in pair.eos_ids:
        return "eos"
    if len(text) - len(prompt) >= request.max_new_tokens:
        return "length"
    return "context" if len(text) >= pair.context else None


def _done(pair: ModelPair, prompt: Sequence[int], text: Sequence[int], stop: Stop) -> Done:
    answer = pair.tokenizer.decode(list(text[len(prompt) :]), skip_special_tokens=True)
    return Done(stop, answer, pair_info(pair))
