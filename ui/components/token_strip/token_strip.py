"""Mounting the token strip: what goes to the browser, and which token was selected there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2s
from typing import Any

import streamlit as st

from ui.components.assets import script, stylesheet
from ui.palette import State

_strip = st.components.v2.component(
    "token_strip",
    html='<div class="root strip"><div class="tokens" role="toolbar"></div><div class="legend"></div></div>',
    css=stylesheet("shared/tokens.css", "token_strip/token_strip.css"),
    js=script("shared/tokens.js", "token_strip/token_strip.js"),
)


@dataclass(frozen=True)
class StripToken:
    """One token: its text, how it is marked, what its tip tells, and the round it belongs to."""

    text: str
    state: State = "plain"
    tip: tuple[tuple[str, str], ...] = ()
    group: int | None = None


def token_strip(
    tokens: Sequence[StripToken],
    *,
    key: str,
    label: str,
    selectable: bool = True,
    legend: bool = True,
    noun: str = "token",
    selected: int | None = None,
) -> int | None:
    """Show tokens in a strip; return the index of the selected one.

    `label` names the strip for screen readers, `noun` a token ("word" in Part I). `selected` is the
    selection that a new text starts with; a selection made in another text does not carry over.
    """
    data = strip_data(tokens, label=label, selectable=selectable, legend=legend, noun=noun)
    chosen = selected_index(st.session_state.get(key), data["id"], len(tokens), selected)
    result = _strip(
        key=key, data={**data, "selected": chosen}, default={"selected": None}, on_selected_change=lambda: None
    )
    return selected_index(result, data["id"], len(tokens), selected) if selectable else None


def strip_data(
    tokens: Sequence[StripToken], *, label: str, selectable: bool, legend: bool, noun: str
) -> dict[str, Any]:
    """What the browser draws. The id changes with the text alone, so that a new marking keeps the selection."""
    texts = "\0".join(t.text for t in tokens)
    return {
        "id": blake2s(texts.encode("utf-8", "replace"), digest_size=8).hexdigest(),
        "tokens": [asdict(t) for t in tokens],
        "label": label,
        "selectable": selectable,
        "legend": legend,
        "noun": noun,
    }


def selected_index(state: Mapping[str, Any] | None, text_id: str, length: int, otherwise: int | None) -> int | None:
    """The index that the browser reported for this very text, else `otherwise`."""
    report = (state or {}).get("selected")
    if not isinstance(report, Mapping) or report.get("id") != text_id:
        return otherwise
    index = report.get("index")
    return index if isinstance(index, int) and 0 <= index < length else otherwise
