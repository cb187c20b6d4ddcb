"""What the workbench says of a run: its figures, a repeat of it, and where two runs part."""

from __future__ import annotations

from dataclasses import dataclass

from core.decoding.trace import Trace
from ui.both_ways import parting
from ui.clocks import MEASURED, speed_up, timeline
from ui.components.token_strip import StripToken
from ui.words import count, duration, share, times
from ui.workbench import Kept, timed


def figures(trace: Trace, alone: Trace | None) -> list[tuple[str, str]]:
    """The run's figures in words; `alone` is the target's own run of the same text, once it is there."""
    found = [("Tokens", str(len(trace.tokens)))]
    if trace.alpha_hat is not None:
        found.append(("Acceptance rate α̂", f"{trace.alpha_hat:.2f}"))
    if trace.beta_bar is not None:
        found.append(("Mean overlap β̄", f"{trace.beta_bar:.2f}"))
    if trace.tau is not None and trace.request.method == "speculative":
        found.append(("Tokens a pass τ", f"{trace.tau:.2f}"))
    if trace.c_hat is not None:
        found.append(("Cost ratio ĉ", f"{trace.c_hat:.2f}"))
    if run := timed(trace):
        found.append(("Time a token", f"{1000 * run.seconds_per_token:.1f} ms"))
    gain = speed_up(timeline(alone, MEASURED), timeline(trace, MEASURED)) if alone else None
    if gain:
        found.append(("Speed-up, measured", times(gain)))
    return found


def time_split(trace: Trace) -> str:
    """Where a run's time went, in a sentence; empty for a run too short to be timed."""
    run = timed(trace)
    if run is None:
        return ""
    parts = {
        "draft steps": run.draft_seconds,
        "target passes": run.target_seconds,
        "everything else": run.overhead_seconds,
    }
    said = ", ".join(f"{share(max(0.0, t) / run.seconds)} {name}" for name, t in parts.items() if t)
    prompt = trace.prefill.target_time + trace.prefill.draft_time
    return f"The rounds took {duration(run.seconds)}: {said}. Reading the prompt took {duration(prompt)} before."


@dataclass(frozen=True)
class Repeat:
    """A run held against the same run made anew. `exact` tells whether p and q are equal to the last digit."""

    parting: int | None
    draws: int
    same_draws: bool
    same_rounds: bool
    exact: bool

    @property
    def equal(self) -> bool:
        return self.parting is None and self.same_draws and self.same_rounds


def repeated(first: Trace, again: Trace) -> Repeat:
    """Compare all that the seed decides: tokens, numbers drawn, verdicts."""
    one, other = list(first.positions()), list(again.positions())
    drawn = [x.u for x in one if x.u is not None]
    verdicts = [[(x.token, x.accepted) for x in trace.positions()] for trace in (first, again)]
    return Repeat(
        parting=parting(first.tokens, again.tokens),
        draws=len(drawn),
        same_draws=drawn == [x.u for x in other if x.u is not None],
        same_rounds=verdicts[0] == verdicts[1] and len(first.rounds) == len(again.rounds),
        exact=[(x.p, x.q) for x in one] == [(x.p, x.q) for x in other],
    )


def repeat_words(first: Trace, again: Trace) -> str:
    """What came of a repeat, in a few sentences."""
    found = repeated(first, again)
    clock = f"The rounds took {duration(first.seconds)} then and {duration(again.seconds)} now."
    if found.equal:
        drawn = f", all {count(found.draws, 'number')} drawn" if found.draws else ""
        digits = ", and p and q to the last digit" if found.exact and list(first.positions()) else ""
        same = f"**The same again.** All {count(len(first.tokens), 'token')} are equal{drawn}, all verdicts{digits}."
        return f"{same} Only the clock differs. {clock}"
    if first.request.policy == "goodput" and not found.same_rounds:
        return (
            "**Other rounds this time.** This policy sets γ by the costs measured once after each start, and those are "
            f"not in the seed. {_text_words(found)} {clock}"
        )
    return f"**Not the same.** {_text_words(found)} That should not happen with one seed on one machine. {clock}"


def _text_words(found: Repeat) -> str:
    if found.parting is None:
        return "The texts are equal all the same."
    return f"The texts part at token {found.parting + 1}."


def where_they_part(one: Kept, other: Kept) -> int | None:
    """The index of the first token that differs; None for equal texts. Other pairs have other token numbers."""
    if one.pair == other.pair:
        return parting(list(one.tokens), list(other.tokens))
    if one.pieces == other.pieces:
        return None
    places = enumerate(zip(one.pieces, other.pieces, strict=False))
    return next((i for i, (a, b) in places if a != b), min(len(one.pieces), len(other.pieces)))


def compared(one: Kept, other: Kept) -> str:
    """Whether two texts are equal, or where they part."""
    at = where_they_part(one, other)
    if at is None:
        return f"**The texts are equal**, all {count(len(one.tokens), 'token')}."
    shorter = min(len(one.tokens), len(other.tokens))
    if at == shorter:
        return f"**One text is the beginning of the other**: the first {count(at, 'token')} are equal, then one ends."
    return f"**The texts part at token {at + 1}.** The {count(at, 'token')} before it are equal." if at else (
        "**The texts part at the very first token.**"
    )  # fmt: skip


def marked(k: Kept, at: int | None) -> list[StripToken]:
    """A kept run's text, with the token at which it parts from another marked."""
    return [StripToken(piece, "different" if i == at else "plain") for i, piece in enumerate(k.pieces)]
