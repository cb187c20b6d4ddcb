"""Ways to choose γ, or another source of guesses, replayed on one prompt and seed: what each did, and what it gave."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from core.decoding.request import DecodeRequest, Drafter, Policy, Rule
from core.decoding.rounds import Round
from core.decoding.trace import Trace
from ui import content, runs
from ui.runs import BothWays, Run
from ui.words import count, times


@dataclass(frozen=True)
class Contender:
    """A way to draft: its name, and in a sentence what it does."""

    name: str
    policy: Policy
    drafter: Drafter
    what: str


CONTENDERS = (
    Contender("Fixed γ", "fixed", "draft", "The same γ in every round."),
    Contender("Grow or shrink", "heuristic", "draft", "Two more after a full acceptance, one fewer after a miss."),
    Contender(
        "By the figures",
        "goodput",
        "draft",
        "The γ that should pay best by the α̂ and the costs so far. It risks only what it can afford: where guesses "
        "keep missing, drafting is **switched off** and looked in on now and then.",
    ),
    Contender("Stop when unsure", "confidence", "draft", "Up to γ, but no further once the draft is unsure."),
    Contender(
        "Swap the drafter",
        "fixed",
        "lookup",
        "No second model: the guesses are looked up in the text so far, where its last words stood before.",
    ),
)
CLOSE = 0.03
"""Speed-ups no further apart than this share are called equal: so much changes from one measurement to the next."""
NO_LOSS = 0.97
"""A speed-up below this is called a loss."""


def asking(base: DecodeRequest, contender: Contender) -> DecodeRequest:
    """The request in this contender's way. Above temperature 0 draws are coupled, so that all write the same text."""
    rule: Rule = "coupled" if base.temperature > 0 else "rejection"
    return replace(base, rule=rule, policy=contender.policy, drafter=contender.drafter)


def alone(base: DecodeRequest) -> DecodeRequest:
    """The same text by standard decoding."""
    return replace(asking(base, CONTENDERS[0]), method="standard")


@dataclass(frozen=True)
class Replay:
    """A contender's run beside standard decoding."""

    contender: Contender
    trace: Trace
    both: BothWays

    @property
    def rounds(self) -> list[Round]:
        """The rounds that had room for a guess: the last one of a text may have none."""
        return [r for r, room in self._rooms() if r.positions or room > 0]

    @property
    def lengths(self) -> list[int]:
        """The number of guesses in each round that was free to choose it: where the text was to end it may be cut."""
        free = [len(r.positions) for r, room in self._rooms() if len(r.positions) < room]
        return free or [len(r.positions) for r in self.rounds]

    @property
    def idle(self) -> int:
        """Rounds without a guess though there was room."""
        return sum(not r.positions for r in self.rounds)

    def _rooms(self) -> list[tuple[Round, int]]:
        """Each round, and the guesses that there was room for."""
        written, found = 1, []
        for r in self.trace.rounds:
            found.append((r, self.trace.request.max_new_tokens - written - 1))
            written += len(r.committed)
        return found


def replay(contender: Contender, standard: Trace, trace: Trace) -> Replay | None:
    """A contender's run; None where the text is too short to be timed."""
    both = runs.compared(standard, trace)
    return Replay(contender, trace, both) if both else None


def behaviour(told: Replay) -> str:
    """How γ went on, in words."""
    lengths = told.lengths
    if not lengths:
        return "no round had room for a guess"
    idle = told.idle
    nothing = "found nothing" if told.contender.drafter == "lookup" else "switched off"
    pause = f", {nothing} in {idle} of {count(len(told.rounds), 'round')}" if idle else ""
    if min(lengths) == max(lengths):
        return f"γ = {lengths[0]} throughout{pause}"
    return f"γ from {min(lengths)} to {max(lengths)}, mean {fmean(lengths):.1f}{pause}"


def conclusion(replays: Sequence[Replay]) -> str:
    """Which way was best, whether it pays to swap the drafter, and whether to switch off."""
    gains = {told.contender.name: told.both.speed_up for told in replays}
    best = max(gains, key=lambda name: gains[name])
    fixed = next(told.both.speed_up for told in replays if told.contender == CONTENDERS[0])
    near = [name for name in gains if gains[name] >= gains[best] * (1 - CLOSE) and name != best]
    words = f"**{best}** did best here, with {times(gains[best])}; fixed γ gave {times(fixed)}."
    if near:
        words += f" {' and '.join(near)} came so close that another measurement may turn it round."
    return " ".join([words, *_swap(replays), *_off(replays)])


def _swap(replays: Sequence[Replay]) -> list[str]:
    """Draft model against lookup."""
    looked = [told for told in replays if told.contender.drafter == "lookup"]
    model = [told.both.speed_up for told in replays if told.contender.drafter == "draft"]
    if not looked or not model:
        return []
    gain, best = looked[0].both.speed_up, max(model)
    if gain > best * (1 + CLOSE):
        return [f"**Swap the drafter:** the text repeats itself, and looking up ({times(gain)}) beats the draft model."]
    if gain < best * (1 - CLOSE):
        return [f"**Keep the draft model:** there is too little to look up in this text ({times(gain)})."]
    return [f"**Lookup would do:** it comes out like the draft model ({times(gain)}) and needs no second model."]


def _off(replays: Sequence[Replay]) -> list[str]:
    """Whether to switch drafting off, and whether the policy that can did so."""
    said = []
    if max(told.both.speed_up for told in replays) < 1:
        said.append("**Switch off:** nothing here beats standard decoding on this text.")
    for told in replays:
        if told.contender.policy == "goodput" and told.idle:
            gain = told.both.speed_up
            came_out = (
                "came out ahead" if gain >= 1 else "lost next to nothing" if gain >= NO_LOSS else "still lost time"
            )
            said.append(
                f"*{told.contender.name}* switched drafting off in {told.idle} of {count(len(told.rounds), 'round')} "
                f"and {came_out} ({times(gain)})."
            )
    return said


@dataclass(frozen=True)
class Row:
    """A text of this visit, and the speed-up of each contender that wrote it; None where it has not."""

    text: str
    speed_ups: tuple[float | None, ...]


def rows(measured: Sequence[BothWays]) -> list[Row]:
    """The texts on which anything but a fixed γ with the draft model was tried, and what each contender gave there."""
    by_text: dict[tuple[str, int], dict[tuple[str, str], BothWays]] = {}
    for both in measured:
        run = both.speculative
        by_text.setdefault((run.asked, run.gamma), {})[run.policy, run.drafter] = both
    return [
        Row(
            _named(next(iter(tried.values())).speculative),
            tuple(tried[c.policy, c.drafter].speed_up if (c.policy, c.drafter) in tried else None for c in CONTENDERS),
        )
        for tried in by_text.values()
        if any(not both.speculative.plain for both in tried.values())
    ]


def _named(run: Run) -> str:
    name = next((f"{p.kind} · {p.label}" for p in content.prompts() if p.id == run.prompt), "your own prompt")
    seed = f", seed {run.seed}" if run.temperature > 0 else ""
    return f"{name}, γ = {run.gamma}, temperature {run.temperature:g}{seed}"


def table(found: Sequence[Row]) -> str:
    """The rows as a table in Markdown; the best of each row is bold."""
    lines = ["| Text | " + " | ".join(c.name for c in CONTENDERS) + " |", "|:--" + "|--:" * len(CONTENDERS) + "|"]
    for row in found:
        best = max(gain for gain in row.speed_ups if gain is not None)
        cells = ["–" if g is None else f"**{times(g)}**" if g == best else times(g) for g in row.speed_ups]
        lines.append(f"| {row.text} | {' | '.join(cells)} |")
    return "\n".join(lines)
