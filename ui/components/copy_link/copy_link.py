"""Mounting the button. The address is the browser's own: nothing goes there, nothing comes back."""

from __future__ import annotations

import streamlit as st

from ui.components.assets import HERE, script

_copy = st.components.v2.component(
    "copy_link",
    html='<div class="root"><button type="button"></button><p role="status"></p><input type="text" readonly hidden '
    'aria-label="Link to this page as it stands"></div>',
    css=(HERE / "copy_link" / "copy_link.css").read_text(encoding="utf-8"),
    js=script("copy_link/copy_link.js"),
)


def copy_link(key: str) -> None:
    """Draw the button."""
    _copy(key=key)
