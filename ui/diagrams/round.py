"""Part III's picture: a round opened up, from the guesses to what is written after a miss."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from ui.palette import css_variables

HERE = Path(__file__).parent

_round = st.components.v2.component(
    "round_picture",
    html=(HERE / "round.html").read_text(encoding="utf-8"),
    css=css_variables() + (HERE / "round.css").read_text(encoding="utf-8"),
)


def round_picture() -> None:
    """Draw the picture."""
    _round(key="round-picture")
