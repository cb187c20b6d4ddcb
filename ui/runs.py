"""The runs of a visit, in a few figures each: what chapters compare, after a reload too."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from math import isfinite
from typing import TYPE_CHECKING

from core.decoding.request import DecodeRequest, Drafter, Method, Policy
from core.decoding.trace import PairInfo, Trace
from ui import content
from ui.visit import Store

if TYPE_CHECKING:
    from core.serving.opening import PairFacts

MOST = 128
"""Runs that a visit remembers; the oldest go first."""
OWN = "Own"
"""The kind of a visitor's own prompt."""


@dataclass(frozen=True)
class Run:
    """A run's figures. Times are sums over all rounds in seconds, a standard run's on the fastest clock.

    Attributes:
        pair: both models, device and dtype.
        asked: names prompt, temperature, cut-offs and seed, whatever the method; not the length.
        prompt: the curated prompt's id, or empty for a visitor's own.
        width: positions of every target pass, or None where a pass has its own length.
        tokens: those after the first, which comes from the prompt's pass.
        rounds: of draft and verification, or target passes where nothing is drafted.
        c_hat: ĉ; None unless both models ran.
        drafting: rounds that drafted anything: the last of a text may have no room for a guess.
        reached: at index i, rounds that accepted position i.
        drafter: where the guesses came from.
        policy: how γ went on from `gamma`.
    """

    pair: str
    asked: str
    prompt: str
    method: Method
    gamma: int
    temperature: float
    seed: int
    width: int | None
    tokens: int
    rounds: int
    drafted: int
    accepted: int
    rejected: int
    target_seconds: float
    draft_seconds: float
    overhead_seconds: float
    c_hat: float | None
    drafting: int
    reached: tuple[int, ...]
    # With defaults, so that runs which a browser kept before these existed still open.
    drafter: Drafter = "draft"
    policy: Policy = "fixed"

    def __post_init__(self) -> None:
        # What a browser hands back is not taken on trust.
        if (
            min(self.tokens, self.rounds) < 1
            or self.drafting < bool(self.reached)
            or not (isfinite(self.seconds) and self.seconds > 0)
        ):
            raise ValueError("a run has tokens, rounds and a time")

    @property
    def kind(self) -> str:
        """The kind of text that was asked for: a curated prompt's, or "Own"."""
        return next((p.kind for p in content.prompts() if p.id == self.prompt), OWN)

    @property
    def plain(self) -> bool:
        """Whether it drafted with the draft model and one γ throughout, as the formulas assume."""
        return self.drafter == "draft" and self.policy == "fixed"

    @property
    def seconds(self) -> float:
        return self.target_seconds + self.draft_seconds + self.overhead_seconds

    @property
    def seconds_per_token(self) -> float:
        return self.seconds / self.tokens

    @property
    def alpha_hat(self) -> float | None:
        """α̂ = accepted / (accepted + rejected); None where no guess was examined."""
        examined = self.accepted + self.rejected
        return self.accepted / examined if examined else None

    @property
    def survival(self) -> list[float]:
        """At index i, the share of rounds that accepted position i."""
        return [rounds / self.drafting for rounds in self.reached]

    @property
    def tau(self) -> float:
        """Block efficiency τ: tokens a target pass."""
        return self.tokens / self.rounds

    @property
    def overhead(self) -> float:
        """The share of the time that went into neither model."""
        return self.overhead_seconds / self.seconds


@dataclass(frozen=True)
class BothWays:
    """Standard decoding and draft-and-verify side by side, of the same text unless said otherwise."""

    standard: Run
    speculative: Run

    @property
    def pair(self) -> str:
        return self.speculative.pair

    @property
    def speed_up(self) -> float:
        """Measured: time a token of standard decoding, at its fastest, over that of draft-and-verify."""
        return self.standard.seconds_per_token / self.speculative.seconds_per_token


RUNS = Store("runs", dict[str, Run])


def record(trace: Trace) -> None:
    """Keep a finished run's figures. Equal requests are one run, the newest measurement of it counts."""
    if not _timed(trace):
        return
    held, key = RUNS.held(), _key(trace.pair, trace.request)
    run = summary(trace)
    if held.get(key) != run:
        held.pop(key, None)
        held[key] = run
    while len(held) > MOST:
        del held[next(iter(held))]


def summary(trace: Trace) -> Run:
    """A run in a few figures; it must have written a token after the first."""
    request, pair = trace.request, trace.pair
    curated = {(p.text, p.chat): p.id for p in content.prompts()}
    drafting = [r for r in trace.rounds if r.positions]
    longest = max((len(r.positions) for r in drafting), default=0)
    # Without padding a standard run would have been so much quicker.
    pace = pair.padding_cost if request.method == "standard" else 1.0
    return Run(
        pair=pair_name(pair),
        asked=asked(request),
        prompt=curated.get((request.prompt, request.chat), ""),
        method=request.method,
        gamma=request.gamma,
        temperature=request.temperature,
        seed=request.seed,
        width=pair.width,
        tokens=len(trace.tokens) - 1,
        rounds=len(trace.rounds),
        drafted=sum(len(r.positions) for r in trace.rounds),
        accepted=trace.accepted,
        rejected=trace.rejected,
        target_seconds=sum(r.target_time for r in trace.rounds) / pace,
        draft_seconds=sum(sum(r.draft_times) for r in trace.rounds) / pace,
        overhead_seconds=sum(r.overhead_time for r in trace.rounds) / pace,
        c_hat=trace.c_hat,
        drafting=len(drafting),
        reached=tuple(sum(r.accepted > i for r in drafting) for i in range(longest)),
        drafter=request.drafter,
        policy=request.policy,
    )


def asked(request: DecodeRequest) -> str:
    """A name for the text that is asked for, however it is decoded and however long it gets."""
    return _digest(request.prompt, request.chat, request.temperature, request.top_k, request.top_p, request.seed)


def found(pair: PairInfo, request: DecodeRequest) -> Run | None:
    """The visit's run of a request by this pair; None where it has none, or too short a one to be timed."""
    return RUNS.held().get(_key(pair, request))


def pair_name(pair: PairInfo | PairFacts) -> str:
    """A pair in a few words."""
    return f"{pair.target} with {pair.draft}, {pair.dtype} on {pair.device}"


def compared(standard: Trace, speculative: Trace) -> BothWays | None:
    """Two traces of the same text; None where one is too short to be timed."""
    if not (_timed(standard) and _timed(speculative)):
        return None
    return BothWays(summary(standard), summary(speculative))


def both_ways() -> list[BothWays]:
    """The visit's speculative runs that have a standard run of the same text by the same pair, oldest first."""
    held = RUNS.held().values()
    standard = {(run.pair, run.asked): run for run in held if run.method == "standard"}
    drafted = ((run, standard.get((run.pair, run.asked))) for run in held if run.method == "speculative")
    return [BothWays(alone, run) for run, alone in drafted if alone]


def usual(pair: str) -> Run | None:
    """The pair's standard run of median pace: how fast it writes alone hardly depends on the text."""
    standard = [run for run in RUNS.held().values() if run.pair == pair and run.method == "standard"]
    standard.sort(key=lambda run: run.seconds_per_token)
    return standard[(len(standard) - 1) // 2] if standard else None


def measured(pair: str) -> list[BothWays]:
    """Every speculative run of the visit by this pair, oldest first, beside standard decoding: of the same text, else
    at the pair's usual pace."""
    held = [run for run in RUNS.held().values() if run.pair == pair]
    same = {run.asked: run for run in held if run.method == "standard"}
    otherwise = usual(pair)
    pairs = ((same.get(run.asked, otherwise), run) for run in held if run.method == "speculative")
    return [BothWays(alone, run) for alone, run in pairs if alone]


def _timed(trace: Trace) -> bool:
    return trace.seconds > 0 and len(trace.tokens) > 1


def _key(pair: PairInfo, request: DecodeRequest) -> str:
    return _digest(pair_name(pair), request)


def _digest(*parts: object) -> str:
    return sha256(repr(parts).encode()).hexdigest()[:16]
