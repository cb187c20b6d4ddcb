"""One round in sentences, and the frames in which chapter 8 goes through it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from core.decoding.rounds import Candidate, Choice, Position, Round
from ui.hand import Hand
from ui.palette import State
from ui.words import count, share, visible

Stage = Literal["start", "guess", "final", "end"]


@dataclass(frozen=True)
class Frame:
    """One step of a round: what it is about, and how each guess is marked while it lasts.

    `at` is the guess that is looked at; `final` whether the token that the round adds is on the page.
    """

    stage: Stage
    states: tuple[State, ...]
    at: int | None = None
    final: bool = False


def frames(round_: Round) -> list[Frame]:
    """The round from left to right: the guesses, each one examined, what is written after them, the outcome."""
    guesses = round_.positions
    examined = [i for i, x in enumerate(guesses) if x.accepted is not None]

    def states(done: int) -> tuple[State, ...]:
        return tuple(settled(x) if i < done and x.accepted is not None else "pending" for i, x in enumerate(guesses))

    steps = [Frame("start", states(0)), *(Frame("guess", states(i + 1), i) for i in examined)]
    if round_.final:
        steps.append(Frame("final", states(len(examined)), None, True))
    return [*steps, Frame("end", tuple(settled(x) for x in guesses), None, round_.final is not None)]


def settled(x: Position) -> State:
    """How a guess is marked once the round is over: kept, or dropped (missed, or never examined)."""
    return "kept" if x.accepted else "discarded"


def miss(round_: Round) -> int | None:
    """The index of the guess that missed, or None."""
    return next((i for i, x in enumerate(round_.positions) if x.accepted is False), None)


def usable(round_: Round, place: int) -> bool:
    """Whether the target's answer at a place (from 0, γ is the bonus place) was about the text that stands."""
    return all(x.accepted for x in round_.positions[:place])


def dropped(round_: Round) -> str:
    """What a miss cost, to follow "In the round on screen "."""
    at, gamma = miss(round_), len(round_.positions)
    if at is None:
        if round_.final is None:
            return "the text came to its end among the guesses, and nothing behind the end was used"
        return "no guess fell, so every one of the answers could be used"
    behind = gamma - at - 1
    lost = f"the {count(behind, 'answer')} about the guesses behind it and the one at the bonus place"
    if behind == 0:
        lost = "the answer at the bonus place"
    return f"guess {at + 1} fell, so {lost} could not be used"


def gained(round_: Round) -> str:
    """What the text gained, to follow "The round on screen gained "."""
    parts = [_guesses(round_.accepted, "kept ")]
    if round_.final:
        parts.append({"correction": "the correction", "bonus": "the bonus token"}.get(round_.final.kind, "one token"))
    if round_.accepted == 0:
        del parts[0]
    return f"{count(len(round_.committed), 'token')}: {' and '.join(parts)}"


def here(hand: Hand) -> str:
    """What the line that draws the correction did in this round, in a sentence or two."""
    final, greedy = hand.round.final, hand.trace.request.temperature == 0
    if final is None or final.kind != "correction":
        return "In the round on screen no guess missed, so that line did not run: choose a round with a miss."
    token = f"“{quoted(final.text)}”"
    if greedy:
        return f"In the round on screen it wrote {token}, the target's first choice."
    chance = next((c.residual for c in final.top if c.token == final.token), None)
    had = f", where it had {share(chance)} of the mass" if chance else ""
    return (
        f"The round on screen runs at temperature {hand.trace.request.temperature:g}: there the line drew {token} from "
        f"the residual{had}. Switch to greedy below to see the other case."
    )


def quoted(text: str) -> str:
    """A token's text for a sentence of Markdown: blanks visible, nothing taken for markup."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]()#+-.!|~<>$:&" else c for c in visible(text))


def first_of_either(x: Position | Choice, most: int = 12) -> tuple[list[Candidate], float, float]:
    """The candidates that p or q likes most, by the larger of the two, and the rest's mass under p and under q."""
    known = [c for c in x.top if max(c.p, c.q) > 0]
    shown = sorted(known, key=lambda c: (-max(c.p, c.q), c.token))[:most]
    guess = next((c for c in known if c.token == x.token), None)
    if guess and guess not in shown:
        shown = [*shown[: most - 1], guess]
    return shown, max(0.0, 1 - sum(c.p for c in shown)), max(0.0, 1 - sum(c.q for c in shown))


def telling_place(round_: Round) -> int:
    """The place (from 0) that is opened first: the miss, or the first guess."""
    return miss(round_) or 0


def assumption(round_: Round, place: int) -> str:
    """Which beginning the answer at a place took for granted, and whether it came to be."""
    at = miss(round_)
    if place == 0:
        return "This answer assumes no guess at all: only the text that was there before the round."
    assumed = "guess 1" if place == 1 else f"guesses 1 to {place}"
    if at is not None and at < place:
        return (
            f"This answer assumes {assumed}. **Guess {at + 1} missed, so this beginning will not exist** "
            "and the answer cannot be used."
        )
    if not usable(round_, place):
        return f"This answer assumes {assumed}. The text ended among them, so nothing can follow."
    stands = "It was kept" if place == 1 else "All of them were kept"
    return f"This answer assumes {assumed}. {stands}, so the answer counts."


def story(hand: Hand, frame: Frame) -> str:
    """What happens at a step of the round."""
    round_, greedy = hand.round, hand.trace.request.temperature == 0
    gamma = len(round_.positions)
    if frame.stage == "start":
        return (
            f"The draft has drawn **{_guesses(gamma)}**, each from its own q. One pass "
            f"of the target has answered with p at **{gamma + 1} places**. Nothing is decided yet."
        )
    if frame.at is not None:
        return _examined(round_.positions[frame.at], frame.at, greedy)
    if frame.stage == "final" and round_.final:
        return _written(round_.final, greedy)
    lost = sum(x.accepted is None for x in round_.positions)
    dropped_too = (
        f" {_guesses(lost)} behind the miss "
        f"{'was' if lost == 1 else 'were'} never examined and {'is' if lost == 1 else 'are'} thrown away."
        if lost and round_.rejected
        else ""
    )
    return f"**The text gains {gained(round_)}.**{dropped_too} The next round starts behind the last token."


def _guesses(n: int, kind: str = "") -> str:
    return f"{n} {kind}guess" if n == 1 else f"{n} {kind}guesses"


def _examined(x: Position, i: int, greedy: bool) -> str:
    name = f"Guess {i + 1}, {quoted(x.text)},"
    if greedy:
        if x.accepted:
            return f"{name} is the target's first choice too: p = q = 1. It **stays** whatever number is drawn."
        return f"{name} is not the target's first choice: p = 0. It **misses** whatever number is drawn."
    if x.p >= x.q:
        return f"{name} is a token that the target likes at least as much as the draft. It **stays** whatever is drawn."
    eager = f"{name} is a token that the draft likes more than the target does."
    if x.accepted:
        return f"{eager} The number drawn falls below p/q: it **stays**."
    return f"{eager} The number drawn does not fall below p/q: it **misses**, and what stands behind is not looked at."


def _written(final: Choice, greedy: bool) -> str:
    if final.kind == "bonus":
        how = "its first choice" if greedy else "drawn from it"
        return (
            "**Bonus.** All guesses were kept. The same pass has an answer for the place behind them: "
            f"{how} is {quoted(final.text)}."
        )
    if greedy:
        return f"**Correction.** The residual has all its mass on the target's first choice: {quoted(final.text)}."
    return (
        f"**Correction.** In place of the miss a token is drawn from the residual, from what p gives more than q. "
        f"It is {quoted(final.text)}."
    )
