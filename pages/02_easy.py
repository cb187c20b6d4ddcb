"""Chapter 2: the target's 20 words, and what the draft would have put first at each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from core.decoding.trace import Trace
from ui import engine
from ui.chapter import Chapter, side_by_side
from ui.clocks import probability
from ui.components.token_strip import StripToken, token_strip
from ui.figures import show, top_five
from ui.request_bar import request_bar
from ui.words import count, ended_early, share

if TYPE_CHECKING:
    from core.decoding import Scored, ScoredPosition


def stage(chapter: Chapter) -> None:
    request = request_bar("easy", chapter.text)
    if request is None or not engine.loading_panel():
        return
    big = engine.run(replace(request, method="standard", max_new_tokens=chapter.text.length), "easy-big")
    if big is None:
        return
    scored = engine.scored(request.prompt, big.tokens, request.chat, "easy-scored")
    if scored is None:
        return
    same = [x.rank_q == 0 for x in scored.positions]
    revealed = chapter.predict(sum(same), {"same": sum(same), "total": len(same)})
    words, choices = side_by_side([2, 3])
    with words:
        chosen = strip(big, scored, same if revealed else None)
        if remark := ended_early(big, "the big model", "word"):
            st.caption(remark)
        if revealed:
            summary(same)
        else:
            st.caption("One word is opened as a sample. The others wait for your guess.")
    with choices:
        beginning_and_choices(request.prompt, big, scored, chosen if revealed else 0)


def strip(big: Trace, scored: Scored, same: Sequence[bool] | None) -> int:
    """The words; marked, and open to a click, once there has been a guess."""
    st.markdown("##### The big model's words")
    tokens = [
        StripToken(x.text, "plain" if same is None else "same" if same[i] else "different", tip(x) if same else ())
        for i, x in enumerate(scored.positions)
    ]
    start = 0 if same is None or all(same) else same.index(False)
    chosen = token_strip(
        tokens,
        key="easy-strip" if same else "easy-strip-plain",
        label="The big model's words",
        selectable=same is not None,
        noun="word",
        selected=start,
    )
    return start if chosen is None else chosen


def tip(x: ScoredPosition) -> tuple[tuple[str, str], ...]:
    return (
        ("small model's first choice", x.top_q[0][1].strip() or "a blank"),
        ("big model gives the word", probability(x.p)),
        ("small model gives the word", probability(x.q)),
    )


def summary(same: Sequence[bool]) -> None:
    st.markdown(
        f"Same first choice at **{sum(same)} of {count(len(same), 'word')}** ({share(sum(same) / len(same))}). "
        "Click a word to see what each model had in mind there."
    )


def beginning_and_choices(prompt: str, big: Trace, scored: Scored, index: int) -> None:
    """Both models' top five at one word, under the beginning that both had read."""
    word = scored.positions[index]
    with st.container(border=True, key="choices"):
        st.markdown(f"**Word {index + 1}.** After this beginning, the first five of each model were:")
        before = "".join(x.text for x in scored.positions[:index])
        st.code(f"{prompt}\n⏎\n{before}▁" if big.request.chat else f"{prompt}{before}▁", language=None, wrap_lines=True)
        named = [[(text, weight) for _, text, weight in top] for top in (word.top_p, word.top_q)]
        show(top_five(*named, names=("Big model", "Small model")), "easy-five")


Chapter(2).show(stage)
