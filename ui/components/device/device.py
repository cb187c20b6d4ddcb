"""Asking a browser for the number by which it knows itself."""

from __future__ import annotations

import streamlit as st

from core.classroom.codes import is_device
from ui.components.assets import HERE

_HELD = "device.token"
_device = st.components.v2.component("device", js=(HERE / "device" / "device.js").read_text(encoding="utf-8"))


def device() -> str | None:
    """The browser's random number, 32 hexadecimal digits; None until it has answered, which runs the page again.

    The first answer holds for the whole visit, whatever is sent later.
    """
    known: str | None = st.session_state.get(_HELD)
    told = _device(key="device", data={"known": known is not None}, on_token_change=lambda: None)
    if known is None and is_device(told.token):
        st.session_state[_HELD] = known = str(told.token)
    return known
