"""A request decoded both ways, standard and draft-and-verify, and the two texts held against each other."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.decoding.request import DecodeRequest
from core.decoding.trace import Trace
from ui import engine
from ui.words import count


def runs(request: DecodeRequest, gamma: int, length: int, page: str) -> tuple[Trace | None, Trace | None]:
    """The request both ways. Coupled draws, so that a sampled text too can be held against the other."""
    base = replace(request, max_new_tokens=length, rule="coupled" if request.temperature > 0 else "rejection")
    alone = engine.run(replace(base, method="standard"), f"{page}-alone")
    return alone, alone and engine.run(replace(base, method="speculative", gamma=gamma), f"{page}-together")


def comparison(alone: Trace, together: Trace) -> None:
    """Say whether the texts are equal, or where they part."""
    at = parting(alone.tokens, together.tokens)
    if at is None:
        st.success(
            f"**The texts are equal**, all {count(len(alone.tokens), 'token')}. "
            "Drafting changed when the tokens came, not which.",
            icon=":material/equal:",
        )
    else:
        st.warning(
            f"The texts part at token {at + 1}. Two choices lie so close together there "
            "that rounding on this machine decides between them.",
            icon=":material/call_split:",
        )
    if alone.request.temperature > 0:
        st.caption(
            "Above temperature 0 both lanes use the same random numbers at each place (coupled draws). "
            "That is why even a sampled text comes out the same."
        )


def parting(one: list[int], other: list[int]) -> int | None:
    """The index of the first token in which two texts differ; None for equal texts."""
    if one == other:
        return None
    pairs = enumerate(zip(one, other, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(one), len(other)))
