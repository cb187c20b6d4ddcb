"""The workbench's controls: the prompt's bar, and every knob of a request below it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from core.decoding.request import DRAFTER_NAMES, MAX_BRANCHES, MAX_GAMMA, POLICY_NAMES, DecodeRequest, RequestError
from ui import content, engine, visit
from ui.page import tell_unreadable
from ui.request_bar import OWN, prompt_control, request_bar
from ui.workbench import (
    BRANCHES,
    CONTROLS,
    DRAFTER,
    DRAFTERS,
    GAMMA,
    LENGTH,
    LONGEST,
    METHOD,
    METHODS,
    PLACE,
    POLICIES,
    POLICY,
    RULE,
    RULES,
    TEMPLATE,
    TEMPLATES,
    TOP_K,
    TOP_P,
    lab,
    simplest,
)

POLICY_HELP = (
    "Fixed γ: as many guesses every round. Grow or shrink: two more after a round whose guesses all stayed, one fewer "
    "after a miss. By the figures: the γ that promises most, by what the rounds so far showed; 0 where drafting does "
    "not pay. Stop when unsure: up to γ guesses, fewer where the draft's own choice is weak."
)
DRAFTER_HELP = (
    "Draft model: a small model of its own. Prompt lookup: copies what followed the same words before. Early exit: "
    "the target's first layers. Multi-token head: one more layer behind the target. Draft tree: several candidates a "
    "place, one path survives."
)


def knobs() -> DecodeRequest | None:
    """Draw the prompt's bar and all knobs.

    Returns:
        The request they make, or None after one sentence on why they make none.
    """
    request = request_bar(PLACE, lab())
    tell_unreadable(*CONTROLS)
    with st.container(border=True, key=f"{PLACE}-knobs"):
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            method = st.segmented_control(
                "Method", list(METHODS), format_func=lambda m: METHODS[m], required=True, **visit.bind(METHOD, PLACE)
            )
            drafting = _drafting() if method == "speculative" else {}
        with st.expander("Length, cut-offs, rule, chat template", key=f"{PLACE}-more"):
            more = _more(method == "standard")
    if request is None:
        return None
    template = more.pop("template")
    chat = {"on": True, "off": False}.get(template, request.chat)
    try:
        return simplest(replace(request, chat=chat, method=method or "speculative", **drafting, **more))
    except RequestError as error:
        st.warning(str(error), icon=":material/edit:")
        return None


def _drafting() -> dict[str, Any]:
    """What only a method that drafts has."""
    ready = engine.status().state == "ready"
    offered = engine.door().opened.facts.drafters if ready else DRAFTER_NAMES
    drafter = st.selectbox(
        "Guesses from",
        DRAFTER_NAMES,
        format_func=lambda d: DRAFTERS[d] if d in offered else f"{DRAFTERS[d]} (not with this pair)",
        width=200,
        help=DRAFTER_HELP,
        **visit.bind(DRAFTER, PLACE),
    )
    policy = st.selectbox(
        "Policy for γ",
        POLICY_NAMES,
        format_func=lambda p: POLICIES[p],
        width=180,
        help=POLICY_HELP,
        **visit.bind(POLICY, PLACE),
    )
    gamma = st.number_input(
        "Draft length γ",
        1,
        MAX_GAMMA,
        step=1,
        width=130,
        help="Guesses before each target pass; a tree's depth. Where γ changes, it begins here.",
        **visit.bind(GAMMA, PLACE),
    )
    found: dict[str, Any] = {"drafter": drafter, "policy": policy, "gamma": gamma}
    if drafter == "tree":
        found["branches"] = st.number_input(
            "Branches",
            1,
            MAX_BRANCHES,
            step=1,
            width=130,
            help="Candidates for the first guess, one fewer at each level below.",
            **visit.bind(BRANCHES, PLACE),
        )
    return found


def _more(standard: bool) -> dict[str, Any]:
    """Length, cut-offs, rule and chat template, as the request's fields (and `template`)."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        length = st.number_input("Length, in tokens", 1, LONGEST, step=1, width=170, **visit.bind(LENGTH, PLACE))
        top_k = st.number_input(
            "Top-k (0: off)",
            0,
            1000,
            step=1,
            width=150,
            help="Only the k likeliest tokens may be drawn, by target and draft alike.",
            **visit.bind(TOP_K, PLACE),
        )
        top_p = st.slider(
            "Top-p (1: off)",
            0.05,
            1.0,
            step=0.05,
            width=210,
            help="Only the likeliest tokens that together hold this share may be drawn.",
            **visit.bind(TOP_P, PLACE),
        )
        rule = st.segmented_control(
            "Rule",
            list(RULES),
            format_func=lambda r: RULES[r],
            required=True,
            help="Rejection: keep with min(1, p/q), else draw from the residual. Coupled: target and draft draw with "
            "the same random numbers, and a guess stays where both agree; then the text does not depend on γ.",
            **visit.bind(RULE, PLACE),
        )
        # A visitor's own prompt is asked about in the bar above.
        own = visit.value(prompt_control(content.default_prompt(lab()).id), PLACE) == OWN
        template = "prompt"
        if not own:
            template = st.segmented_control(
                "Chat template",
                list(TEMPLATES),
                format_func=lambda t: TEMPLATES[t],
                required=True,
                help="On: the prompt is a message to answer. Off: it is the beginning of a text to carry on. "
                "As meant: as the prompt's author wrote it.",
                **visit.bind(TEMPLATE, PLACE),
            )
    if standard:
        st.caption("Alone, the target draws by the same seed; with coupled draws it writes what drafting writes.")
    return {
        "max_new_tokens": length,
        "top_k": top_k or None,
        "top_p": top_p if top_p is not None and top_p < 1 else None,
        "rule": rule or "rejection",
        "template": template,
    }
