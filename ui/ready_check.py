"""The check of chapter 15 at work: every prompt by the target alone, then every prompt with drafting on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from core.decoding.request import DecodeRequest, RequestError
from core.measure.readiness import Answer, Check, Result, answer
from ui import content, engine, visit

PLACE = "ready-check"
MOST_OWN, LONGEST_OWN = 5, 2000
MOST_KEPT = 128
MINE = visit.Control("mine", "", visit.text)
Key = tuple[DecodeRequest, int]
"""A run, and how often it was made anew."""
_ASKED, _ANSWERS = "ready.asked", "ready.answers"


@dataclass(frozen=True)
class Asked:
    """A check that was asked for: the draft length, the visitor's own prompts, and how often it was measured anew."""

    gamma: int
    mine: tuple[str, ...] = ()
    repeat: int = 0

    @property
    def checks(self) -> tuple[Check, ...]:
        """The set's prompts, then the visitor's."""
        own = (Check(f"own-{i}", f"Your prompt {i}", text) for i, text in enumerate(self.mine, 1))
        return (*content.checks(), *own)


def asked() -> Asked | None:
    """The check that is being made or was made last; None before the first and after one was stopped."""
    found: Asked | None = st.session_state.get(_ASKED)
    return found


def ask(wanted: Asked | None) -> None:
    """Ask for a check, or for none."""
    if wanted is None:
        engine.give_up(PLACE)
    st.session_state[_ASKED] = wanted


def own_prompts(text: str) -> tuple[str, ...]:
    """A visitor's prompts, one a line.

    Raises:
        RequestError: when there are too many, or one can't be run.
    """
    found = tuple(line.strip() for line in text.splitlines() if line.strip())
    if len(found) > MOST_OWN:
        raise RequestError(f"At most {MOST_OWN} prompts of your own, one a line: these are {len(found)}.")
    for line in found:
        if len(line) > LONGEST_OWN:
            raise RequestError(f"A prompt of your own may have {LONGEST_OWN:,} characters here: shorten it.")
        DecodeRequest(line)
    return found


def done(wanted: Asked) -> int:
    """Answers of a check that are there already."""
    return sum((request, wanted.repeat) in _answers() for request in _requests(wanted))


def gather(wanted: Asked) -> list[Result] | None:
    """The results, once all answers are there; until then draw how far it has come, and return None."""
    names = [f"The target alone: {c.label}" for c in wanted.checks]
    names += [f"With drafting: {c.label}" for c in wanted.checks]
    requests = _requests(wanted)
    for i, (name, request) in enumerate(zip(names, requests, strict=True)):
        if (request, wanted.repeat) in _answers():
            continue
        place = st.empty()
        place.progress(i / len(requests), text=f"{name} ({i + 1} of {len(requests)})")
        trace = engine.run(request, PLACE, repeat=wanted.repeat)
        if trace is None:
            return None
        place.empty()
        _keep((request, wanted.repeat), answer(trace))
    return results(wanted)


def results(wanted: Asked | None) -> list[Result] | None:
    """What a check gave, if all its answers are there."""
    if wanted is None or done(wanted) < 2 * len(wanted.checks):
        return None
    found = [_answers()[request, wanted.repeat] for request in _requests(wanted)]
    n = len(wanted.checks)
    return [Result(c, a, b) for c, a, b in zip(wanted.checks, found[:n], found[n:], strict=True)]


def _requests(wanted: Asked) -> Sequence[DecodeRequest]:
    """The references first: they are there before drafting is switched on."""
    return [*(c.request() for c in wanted.checks), *(c.request(wanted.gamma) for c in wanted.checks)]


def _keep(key: Key, found: Answer) -> None:
    kept = _answers()
    kept[key] = found
    while len(kept) > MOST_KEPT:
        del kept[next(iter(kept))]


def _answers() -> dict[Key, Answer]:
    held: dict[Key, Answer] = st.session_state.setdefault(_ANSWERS, {})
    return held
