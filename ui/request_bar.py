"""Prompt, temperature and seed, chosen in one place at the top of a stage and held in the address."""

from __future__ import annotations

import streamlit as st

from core.decoding.request import DecodeRequest, RequestError
from ui import content, visit

OWN = "own"
MAX_TEMPERATURE = 2.0
MAX_SEED = 999_999

TEXT = visit.Control("text", "", visit.text)
STYLE = visit.Control("as", "message", visit.one_of("message", "beginning"))
SEED = visit.Control("seed", 0, visit.whole(0, MAX_SEED))

_STYLES = {"message": "Answer it", "beginning": "Carry it on"}


def prompt_control() -> visit.Control[str]:
    """Which prompt: a curated one by its id, or the visitor's own."""
    curated = [p.id for p in content.prompts()]
    return visit.Control("prompt", curated[0], visit.one_of(*curated, OWN))


def temperature_control(default: float) -> visit.Control[float]:
    """The temperature, with the default of the chapter."""
    return visit.Control("temperature", default, visit.decimal(0.0, MAX_TEMPERATURE, 0.1))


def request_bar(page: str, temperature: float = 0.0) -> DecodeRequest | None:
    """Draw the bar. The request in hand, or None after saying in one sentence why there is none.

    Args:
        page: the page's name, for the widgets' keys.
        temperature: the chapter's default; 0 is greedy.
    """
    prompt, heat = prompt_control(), temperature_control(temperature)
    curated = {p.id: p for p in content.prompts()}
    with st.container(key="request", border=True):
        with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
            chosen = st.selectbox(
                "Prompt",
                [*curated, OWN],
                format_func=lambda i: _label(curated.get(i)),
                width="stretch",
                **visit.bind(prompt, page),
            )
            degrees = st.slider(
                "Temperature",
                0.0,
                MAX_TEMPERATURE,
                step=0.1,
                format="%.1f",
                width=210,
                **visit.bind(heat, page),
                help="0 is greedy: always the first choice. Above 0 the words are drawn by the seed.",
            )
            seed = st.number_input(
                "Seed",
                0,
                MAX_SEED,
                step=1,
                width=130,
                **visit.bind(SEED, page),
                help="The same seed gives the same draw. At temperature 0 nothing is drawn.",
            )
        text, chat = _own(page) if chosen == OWN else _shown(curated[chosen])
        for sentence in visit.unreadable(prompt, heat, SEED):
            st.warning(sentence, icon=":material/link_off:")
        try:
            return DecodeRequest(text, temperature=degrees, seed=seed, chat=chat)
        except RequestError as error:
            st.warning(str(error), icon=":material/edit:")
            return None


def _label(prompt: content.Prompt | None) -> str:
    return f"{prompt.kind} · {prompt.label}" if prompt else "Your own …"


def _shown(prompt: content.Prompt) -> tuple[str, bool]:
    if prompt.chat:
        st.caption(f"“{prompt.text}”")
    else:
        st.code(prompt.text, language=None, wrap_lines=True)
    return prompt.text, prompt.chat


def _own(page: str) -> tuple[str, bool]:
    text = (
        st.text_area("Your prompt", height=100, placeholder="Type or paste a prompt.", **visit.bind(TEXT, page)) or ""
    )
    style = st.segmented_control(
        "What the models do with it",
        list(_STYLES),
        format_func=lambda s: _STYLES[s],
        required=True,
        **visit.bind(STYLE, page),
    )
    if len(text) > visit.ADDRESS_LIMIT:
        st.caption(
            f"A prompt of more than {visit.ADDRESS_LIMIT} characters stays out of the page's address: "
            "a copied link will not bring it along."
        )
    return text, style != "beginning"
