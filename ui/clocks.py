"""From traces to timelines: when each call runs, when each token appears and when it is settled.

Two clocks: `classroom()` gives every target pass and every draft step a round number, slow enough to
watch; `MEASURED` takes the trace's own call times. On both, a token reaches the reader when its round
is over, so a speculative lane's text comes in bursts.

Speed-up compares the time from the first token to the last: the first comes from the prompt's own
pass in every lane, which drafting neither shortens nor needs. On the measured clock that is the
ratio of two runs' `Trace.seconds`, a padded standard run's divided by `PairInfo.padding_cost`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from core.decoding.rounds import Choice, Position, Round
from core.decoding.trace import Trace
from ui.palette import State

Model = Literal["target", "draft"]
Tip = tuple[tuple[str, str], ...]
"""What hovering a token tells: pairs of label and value."""


@dataclass(frozen=True)
class Clock:
    """Seconds a target pass and a draft step take; None for the trace's own times."""

    name: str
    target_seconds: float | None
    draft_seconds: float | None


MEASURED = Clock("measured", None, None)


def classroom(target_ms: float = 600, draft_ms: float = 60) -> Clock:
    """A clock slow enough to watch: fixed times a call, no overhead."""
    return Clock("classroom", target_ms / 1000, draft_ms / 1000)


@dataclass(frozen=True)
class Call:
    """One pass of one model. `round` is None for a prompt's own pass."""

    model: Model
    start: float
    end: float
    round: int | None


@dataclass(frozen=True)
class LaneToken:
    """A token of a lane: seen from `shown` on, a pending guess until `settled`, then in `state`.

    Tokens that are written at once have `shown == settled`. A discarded guess settles as `discarded`.
    """

    text: str
    state: State
    shown: float
    settled: float
    group: int | None = None
    tip: Tip = ()

    @property
    def delivered(self) -> bool:
        """Whether it is part of the text that the reader gets."""
        return self.state != "discarded"


@dataclass(frozen=True)
class Notice:
    """A remark shown under a lane from `time` on, about one round."""

    time: float
    text: str
    round: int | None = None


@dataclass(frozen=True)
class Lane:
    """One run on one clock: what the `lanes` component replays.

    `rounds` are the times at which rounds of draft and verification end; empty where nothing is drafted.
    """

    title: str
    tokens: tuple[LaneToken, ...]
    calls: tuple[Call, ...]
    rounds: tuple[float, ...] = ()
    notices: tuple[Notice, ...] = ()

    @property
    def delivered(self) -> list[float]:
        """When each token of the text reaches the reader."""
        return [t.settled for t in self.tokens if t.delivered]

    @property
    def finish(self) -> float:
        """When the last token of the text is there."""
        return max(self.delivered, default=0.0)

    @property
    def end(self) -> float:
        """When the last call is over."""
        return max(self.finish, max((c.end for c in self.calls), default=0.0))

    @property
    def target_calls(self) -> int:
        """Target passes, the prompt's included."""
        return sum(c.model == "target" for c in self.calls)

    @property
    def draft_calls(self) -> int:
        """Draft steps, the prompt's pass left out, as in `Trace.draft_calls`."""
        return sum(c.model == "draft" and c.round is not None for c in self.calls)


def speed_up(base: Lane, other: Lane, tokens: int | None = None) -> float | None:
    """How many times faster `other` wrote its first `tokens` (default: all that both have) than `base`.

    Counted from each lane's first token; None where fewer than two tokens or no time can be compared.
    """
    slow, fast = base.delivered, other.delivered
    n = min(len(slow), len(fast), tokens or len(fast))
    if n < 2 or fast[n - 1] <= fast[0]:
        return None
    return (slow[n - 1] - slow[0]) / (fast[n - 1] - fast[0])


def rule_tip(labels: tuple[str, str] = ("target p", "draft q")) -> Callable[[Position | Choice], Tip]:
    """Tips with p and q as the rule used them."""
    return _figures(labels, lambda x: x.p, lambda x: x.q)


def raw_tip(labels: tuple[str, str] = ("target p", "draft q")) -> Callable[[Position | Choice], Tip]:
    """Tips with p and q at temperature 1 and without cut-offs, which say more than one-hot ones."""
    return _figures(labels, lambda x: x.p_raw, lambda x: x.q_raw)


def _figures(
    labels: tuple[str, str], p: Callable[[Position | Choice], float], q: Callable[[Position], float]
) -> Callable[[Position | Choice], Tip]:
    def tip(x: Position | Choice) -> Tip:
        if isinstance(x, Choice):
            return ((labels[1] if x.kind == "draft" else labels[0], probability(p(x))),)
        return ((labels[0], probability(p(x))), (labels[1], probability(q(x))), ("verdict", _verdict(x)))

    return tip


def _verdict(x: Position) -> str:
    return {True: "kept", False: "rejected", None: "never examined"}[x.accepted]


def probability(value: float) -> str:
    """A probability in words short enough for a tip."""
    return f"{value:.2f}" if value >= 0.01 or value == 0 else "under 0.01"


def timeline(
    trace: Trace, clock: Clock, title: str = "", tip: Callable[[Position | Choice], Tip] | None = None
) -> Lane:
    """Lay a trace of any method out on a clock.

    The draft's prompt pass comes before the target's, so that the first token waits for both. A drafted
    token appears, pending, when its draft step ends. Verdicts, correction and bonus fall when the round
    is over; on the measured clock its overhead, in which the rule runs, has passed by then.
    `tip` defaults to p and q as the rule used them, or the raw ones of a greedy run.
    """
    tell = tip or (rule_tip() if trace.request.temperature > 0 else raw_tip())
    calls = list(_prompt_calls(trace, clock))
    now = calls[-1].end if calls else 0.0
    pieces = iter(trace.pieces)
    first = trace.prefill.choice
    tokens = [LaneToken(next(pieces, first.text), "plain", now, now, None, tell(first))]
    rounds: list[float] = []
    for r in trace.rounds:
        round_calls, over = _round_calls(r, now, clock, _pace(trace, clock))
        shown = [c.end for c in round_calls if c.model == "draft"]
        tokens += _round_tokens(r, shown, over, pieces, tell)
        calls += round_calls
        now = over
        if r.positions:
            rounds.append(over)
    return Lane(title, tuple(tokens), tuple(calls), tuple(rounds))


def _prompt_calls(trace: Trace, clock: Clock) -> Iterator[Call]:
    now = 0.0
    passes: tuple[tuple[Model, float, float | None], ...] = (
        ("draft", trace.prefill.draft_time, clock.draft_seconds),
        ("target", trace.prefill.target_time, clock.target_seconds),
    )
    for model, measured, fixed in passes:
        if measured > 0:
            end = now + (measured if fixed is None else fixed)
            yield Call(model, now, end, None)
            now = end


def _pace(trace: Trace, clock: Clock) -> float:
    """What measured times are divided by: a standard run is shown as fast as it would be without padding."""
    padded = trace.request.method == "standard" and clock.target_seconds is None
    return trace.pair.padding_cost if padded else 1.0


def _round_calls(r: Round, start: float, clock: Clock, pace: float) -> tuple[list[Call], float]:
    """The calls of a round that begins at `start`, and when it is over."""
    calls: list[Call] = []
    now = start
    for seconds in r.draft_times:
        end = now + (seconds / pace if clock.draft_seconds is None else clock.draft_seconds)
        calls.append(Call("draft", now, end, r.index))
        now = end
    if r.target_time > 0:
        end = now + (r.target_time / pace if clock.target_seconds is None else clock.target_seconds)
        calls.append(Call("target", now, end, r.index))
        now = end
    return calls, now + (r.overhead_time / pace if clock.target_seconds is None else 0.0)


_FINAL: dict[str, State] = {"correction": "correction", "bonus": "bonus", "target": "plain", "draft": "plain"}


def _round_tokens(
    r: Round, shown: Sequence[float], over: float, pieces: Iterator[str], tell: Callable[[Position | Choice], Tip]
) -> Iterator[LaneToken]:
    """Kept guesses, then dropped ones, then what the round added itself: the order in which they are seen."""
    group = r.index if r.positions else None
    for i, x in enumerate(r.positions):
        since = shown[min(i, len(shown) - 1)] if shown else over
        text = next(pieces, x.text) if x.accepted else x.text
        yield LaneToken(text, "kept" if x.accepted else "discarded", since, over, group, tell(x))
    if r.final:
        yield LaneToken(next(pieces, r.final.text), _FINAL[r.final.kind], over, over, group, tell(r.final))


def restate(lane: Lane, states: Mapping[int, State], tips: Mapping[int, Tip] | None = None) -> Lane:
    """The lane with other states (and tips) for some tokens, by index: to mark the unlikely ones, say."""
    tips = tips or {}
    tokens = (replace(t, state=states.get(i, t.state), tip=tips.get(i, t.tip)) for i, t in enumerate(lane.tokens))
    return replace(lane, tokens=tuple(tokens))


def flag(lane: Lane, remarks: Mapping[int, str]) -> Lane:
    """The lane with a notice at the end of each named round, by the index that its tokens carry as group."""
    ends = {t.group: t.settled for t in lane.tokens if t.group is not None}
    notices = (Notice(ends[r], text, r) for r, text in sorted(remarks.items()) if r in ends)
    return replace(lane, notices=(*lane.notices, *notices))
