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
from core.decoding.rounds import Choice, Position, Prefill, Round

if TYPE_CHECKING:
    import pandas as pd

SCHEMA_VERSION = 1


class TraceError(ValueError):
    """A file that is not a trace of this version; the message is one sentence."""


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
