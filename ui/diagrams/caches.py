"""The two KV caches in one round: what was read into each, and where they were rolled back to."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from ui.hand import Hand
from ui.palette import css_variables

HERE = Path(__file__).parent

_caches = st.components.v2.component(
    "caches",
    html='<div class="caches"></div>',
    css=css_variables() + (HERE / "caches.css").read_text(encoding="utf-8"),
    js=(HERE / "caches.js").read_text(encoding="utf-8"),
)


@dataclass(frozen=True)
class CacheRound:
    """One model's cache in one round: entries before it, the tokens read in it, and entries after the roll-back."""

    before: int
    fed: tuple[str, ...]
    after: int

    @property
    def taken_back(self) -> int:
        return self.before + len(self.fed) - self.after

    def sentence(self, name: str) -> str:
        """The round in words."""
        entries = "1 entry is" if self.taken_back == 1 else f"{self.taken_back or 'no'} entries are"
        return f"{name}: {self.before} entries, {len(self.fed)} more are read, {entries} taken back: {self.after} stay."


def cache_rounds(hand: Hand) -> tuple[CacheRound, CacheRound]:
    """The target's and the draft's cache in the round in hand, from the lengths in the trace."""
    round_ = hand.round
    guesses = tuple(x.text for x in round_.positions)
    (target, target_after), (draft, draft_after) = round_.target_cache, round_.draft_cache
    # The target holds all but the last token of the text; the draft may lag by one more.
    behind = target + 1 - draft
    return (
        CacheRound(target, (hand.pieces_before[-1], *guesses), target_after),
        # The draft's last guess is drawn and not read: no further one follows it.
        CacheRound(draft, (*hand.pieces_before[-behind:], *guesses[:-1]), draft_after),
    )


def cache_picture(hand: Hand, key: str) -> None:
    """Draw both caches."""
    _caches(key=key, data=caches_data(hand))


def caches_data(hand: Hand) -> dict[str, Any]:
    """What the browser draws."""
    names = ("Target", "Draft")
    rows = [
        {"name": name, "before": c.before, "fed": c.fed, "kept": len(c.fed) - c.taken_back, "after": c.after}
        for name, c in zip(names, cache_rounds(hand), strict=True)
    ]
    said = " ".join(c.sentence(name) for name, c in zip(names, cache_rounds(hand), strict=True))
    return {"rows": rows, "label": said}
