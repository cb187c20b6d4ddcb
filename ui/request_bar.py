"""Prompt, temperature and seed, chosen in one place at the top of a stage and held in the address."""

from __future__ import annotations

import streamlit as st

from core.decoding.request import DecodeRequest, RequestError
from ui import content, visit
from ui.content import ChapterText, Lab
from ui.page import tell_unreadable

OWN = "own"
MAX_TEMPERATURE = 2.0
MAX_SEED = 999_999

TEXT = visit.Control("text", "", visit.text)
STYLE = visit.Control("as", "message", visit.one_of("message", "beginning"))
MAX_GAMMA = 6

_STYLES = {"message": "Answer it", "beginning": "Carry it on"}


def prompt_control(default: str) -> visit.Control[str]:
    """Which prompt: a curated one by its id, or the visitor's own."""
    return visit.Control("prompt", default, visit.one_of(*(p.id for p in content.prompts()), OWN))


def temperature_control(default: float) -> visit.Control[float]:
    """The temperature; 0 is greedy."""
    return visit.Control("temperature", default, visit.decimal(0.0, MAX_TEMPERATURE, 0.1))


def seed_control(default: int) -> visit.Control[int]:
    """The seed of every draw."""
    return visit.Control("seed", default, visit.whole(0, MAX_SEED))


def gamma_control(default: int, most: int = MAX_GAMMA) -> visit.Control[int]:
    """The draft length γ."""
    return visit.Control("gamma", default, visit.whole(1, most))


def gamma_slider(page: str, default: int, most: int = MAX_GAMMA) -> int:
    """Draw the slider of the draft length γ, which all chapters share; its value."""
    control = gamma_control(default, most)
    tell_unreadable(control)
    return st.slider(
        "Draft length γ",
        1,
        most,
        width=460,
        help="How many tokens the draft guesses before each target pass.",
        **visit.bind(control, page),
    )


def request_bar(page: str, chapter: ChapterText | Lab) -> DecodeRequest | None:
    """Draw the bar, which begins with what `chapter` begins with; `page` names the widgets.

    Returns:
        The request in hand, or None after saying in one sentence why there is none.
    """
    prompt = prompt_control(content.default_prompt(chapter).id)
    heat, grain = temperature_control(chapter.temperature), seed_control(chapter.seed)
    curated = {p.id: p for p in content.prompts()}
    with st.container(key=f"request-{page}", border=True):
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
                **visit.bind(grain, page),
                help="The same seed gives the same draw. At temperature 0 nothing is drawn.",
            )
        text, chat = _own(page) if chosen == OWN else _shown(curated[chosen])
        tell_unreadable(prompt, heat, grain)
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
