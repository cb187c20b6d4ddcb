"""What happened in a run: plain data, round by round, position by position.

A trace is folded from events (`core.decoding.events`), goes into a file and back
unchanged, and is all that a page draws from: it can be read without any model.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from statistics import median
from typing import TYPE_CHECKING, Literal

from pydantic import TypeAdapter, ValidationError

from core.decoding.request import DecodeRequest

if TYPE_CHECKING:
    import pandas as pd

SCHEMA_VERSION = 1
TOP = 12
"""How many candidates of each distribution a position keeps."""


class TraceError(ValueError):
    """A file that is not a trace of this version; the message is one sentence."""


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


@dataclass(frozen=True)
class PairInfo:
    """The pair that made a trace, as words and numbers.

    `width` is the constant number of positions of a target pass, or None where passes have their own length.
    `padding_cost` is the measured time of a padded pass over that of a pass of one position (1.0 without padding):
    divide a standard run's times by it to put them on the fastest standard clock.
    """

    preset: str
    target: str
    draft: str
    device: str
    dtype: str
    width: int | None = None
    padding_cost: float = 1.0


Stop = Literal["eos", "length", "context", "cancelled"]


@dataclass(frozen=True)
class Trace:
    """A whole run. `text` is the decoded answer, special tokens left out; `pieces` the text of each token."""

    request: DecodeRequest
    pair: PairInfo
    prefill: Prefill
    rounds: tuple[Round, ...]
    stop: Stop
    text: str
    pieces: tuple[str, ...]
    schema: int = field(default=SCHEMA_VERSION)

    @property
    def tokens(self) -> list[int]:
        """Ids of the answer: the prompt pass's token, then each round's."""
        return [self.prefill.choice.token, *(t for r in self.rounds for t in r.committed)]

    @property
    def accepted(self) -> int:
        return sum(r.accepted for r in self.rounds)

    @property
    def rejected(self) -> int:
        return sum(r.rejected for r in self.rounds)

    @property
    def alpha_hat(self) -> float | None:
        """α̂ = accepted / (accepted + rejected): what was never examined does not count. None without drafts."""
        examined = self.accepted + self.rejected
        return self.accepted / examined if examined else None

    @property
    def beta_bar(self) -> float | None:
        """Mean β over examined positions; None without drafts."""
        betas = [p.beta for p in self.positions() if p.accepted is not None]
        return sum(betas) / len(betas) if betas else None

    @property
    def tau(self) -> float | None:
        """Block efficiency τ: mean tokens a target pass, the prompt's pass left out; None without rounds."""
        return sum(len(r.committed) for r in self.rounds) / len(self.rounds) if self.rounds else None

    @property
    def survival(self) -> list[float]:
        """At index i: rounds that accepted position i, over all rounds that drafted anything."""
        drafted = [r for r in self.rounds if r.positions]
        longest = max((len(r.positions) for r in drafted), default=0)
        return [sum(r.accepted > i for r in drafted) / len(drafted) for i in range(longest)]

    @property
    def target_calls(self) -> int:
        """Target passes, the prompt's included."""
        return (self.prefill.target_time > 0) + sum(r.target_time > 0 for r in self.rounds)

    @property
    def draft_calls(self) -> int:
        """Draft steps, the prompt's pass left out."""
        return sum(len(r.draft_times) for r in self.rounds)

    @property
    def seconds(self) -> float:
        """Call times and overhead of all rounds (the prompt's pass left out): no waiting for others is in it."""
        return sum(r.seconds for r in self.rounds)

    @property
    def c_hat(self) -> float | None:
        """ĉ: median draft step over median target pass; None unless both ran."""
        draft = [t for r in self.rounds for t in r.draft_times]
        target = [r.target_time for r in self.rounds if r.target_time > 0]
        return median(draft) / median(target) if draft and target else None

    def positions(self) -> Iterator[Position]:
        """Every drafted position, in order."""
        return (p for r in self.rounds for p in r.positions)

    def to_json(self) -> str:
        return _adapter().dump_json(self).decode()

    @classmethod
    def from_json(cls, text: str | bytes) -> Trace:
        """Read a trace back.

        Raises:
            TraceError: when the text is no trace of this schema version, or holds what no run can give.
        """
        from core.decoding.trace_checks import possible

        try:
            trace = _adapter().validate_json(text, strict=True)
        except (ValidationError, RecursionError) as error:
            # Another version may have other fields.
            _check_version(_schema_of(text))
            raise TraceError("This file is not a trace written by Speculative Lab, or it is damaged.") from error
        _check_version(trace.schema)
        if not possible(trace):
            raise TraceError("This trace holds figures or texts that no run can give: it is damaged or made up.")
        return trace

    def to_frame(self) -> pd.DataFrame:
        """One row a token seen in the run, drafted or chosen: round, slot, status and the rule's figures."""
        import pandas as pd

        return pd.DataFrame(list(_rows(self)), columns=_COLUMNS)


_COLUMNS = ["round", "slot", "status", "token", "text", "p", "q", "p_raw", "q_raw", "ratio", "u", "beta", "committed"]


def _rows(trace: Trace) -> Iterator[tuple[object, ...]]:
    def choice(round_index: int, slot: int, c: Choice, committed: bool) -> tuple[object, ...]:
        return (round_index, slot, c.kind, c.token, c.text, c.p, None, c.p_raw, *(None,) * 4, committed)

    yield choice(-1, 0, trace.prefill.choice, True)
    for r in trace.rounds:
        for i, x in enumerate(r.positions):
            status = {True: "kept", False: "rejected", None: "discarded"}[x.accepted]
            figures = (x.p, x.q, x.p_raw, x.q_raw, x.ratio, x.u, x.beta)
            yield (r.index, i, status, x.token, x.text, *figures, x.accepted is True)
        if r.final:
            yield choice(r.index, len(r.committed) - 1, r.final, True)


def _first(candidates: tuple[Candidate, ...], name: str) -> list[Candidate]:
    ranked = sorted((c for c in candidates if getattr(c, name) > 0), key=lambda c: (-getattr(c, name), c.token))
    return ranked[:TOP]


def _check_version(schema: int) -> None:
    if schema != SCHEMA_VERSION:
        said = schema if 0 <= schema < 10**6 else "unknown"
        raise TraceError(f"This trace has schema version {said}; this program reads {SCHEMA_VERSION}.")


def _schema_of(text: str | bytes) -> int:
    """The version that a text names, or this program's where it names none."""
    try:
        return TypeAdapter(_Versioned).validate_json(text, strict=True).schema
    except (ValidationError, RecursionError):
        return SCHEMA_VERSION


@dataclass(frozen=True)
class _Versioned:
    schema: int = SCHEMA_VERSION


@cache
def _adapter() -> TypeAdapter[Trace]:
    return TypeAdapter(Trace)
