"""What every page has: its heading, the glossary beside it, and the sheet of our own styles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

from ui import tour, visit
from ui.components.copy_link import copy_link
from ui.glossary import glossary_button
from ui.navigation import tour_link
from ui.palette import BLUE, MUTED

BROKEN_LINK = ":material/link_off:"
ICON = (Path(__file__).parent / "icon.svg").read_text(encoding="utf-8")
"""The tab's picture. A material icon would be fetched from outside."""

_STYLE = """<style>
html { font-size: clamp(16px, 12px + 0.45vw, 23px) !important; }
[data-testid=stMainBlockContainer] { max-width: 78rem; padding: 4.25rem 3rem 4rem; }
[data-testid=stMarkdownContainer] > :is(p, ul) { max-width: 62rem; }
[data-testid=stMarkdownContainer] table { display: block; overflow-x: auto; }
[data-testid=stMainBlockContainer] [data-testid=stPageLink] a { padding-left: 0; }
[data-testid=stMainBlockContainer] h3 { padding-top: 1.5rem; }
[data-testid=stRadio] label { padding-block: 0.2rem; }
[class*=st-key-takeaway-] { border-left: 0.3rem solid #0072B2; padding: 0.5rem 0 0.5rem 1.2rem; margin-top: 0.5rem; }
[class*=st-key-takeaway-] p:last-child { font-size: 1.35rem; line-height: 1.4; font-weight: 600; }
.st-key-neighbours { border-top: 1px solid rgba(127, 123, 115, 0.35); padding-top: 0.6rem; }
@media (max-width: 1400px) { [data-testid=stColumn] .katex-display > .katex { font-size: 1.06em; } }
[data-testid=stSidebarNavLink] { padding-block: 0.1rem; margin-block: 0; line-height: 1.6; }
[data-testid=stSidebarNavLink] p { font-size: min(1em, 17px); }
[data-testid=stSidebarNav] [data-testid=stMarkdownContainer], [data-testid=stSidebarNav] p {
  white-space: normal;
  overflow: visible;
}
[data-testid=stNavSectionHeader] p { font-size: 0.82rem; letter-spacing: 0.07em; text-transform: uppercase; }
[data-testid=stSidebarNavItems] > li p { font: 650 1.3rem/1.3 "Source Serif", serif; }
@media (max-width: 640px) {
  [data-testid=stMainBlockContainer] { padding: 4rem 1rem 2rem; }
  [data-testid=stMainBlockContainer] h1 { font-size: 2rem; }
  .st-key-heading { flex-wrap: wrap !important; }
  .st-key-heading > :first-child { flex: 1 0 100% !important; }
}
</style>"""
# Streamlit's own are the text's colour at 60 %, and the buttons' blue: too faint to read on one ground or the other.
_READABLE = f"""<style>
[data-testid=stCaptionContainer], [data-testid=stCaptionContainer] p {{ color: {MUTED.text}; opacity: 1; }}
:is([data-testid=stSliderThumbValue], [data-variant=segmented_control][data-selected]) p {{ color: {BLUE.text}; }}
</style>"""

_LARGE = """<style>
html { font-size: clamp(20px, 15px + 0.65vw, 31px) !important; }
[data-testid=stSidebarNavLink] p { font-size: min(1em, 21px); }
</style>"""


def style() -> None:
    """Our own styles, for what the theme cannot say."""
    st.html(_STYLE + _READABLE + (_LARGE if visit.switched(visit.LARGE) else ""))


def heading(title: str, above: str, page: str | None = None) -> None:
    """A page's title with a small line above it; at its right the tour from `page` on, its menu, and the glossary."""
    visit.turn_page()
    with st.container(
        horizontal=True,
        horizontal_alignment="distribute",
        vertical_alignment="bottom",
        key=None if tour.on() else "heading",
        gap="small",
    ):
        with st.container(width="stretch", gap=None):
            st.caption(above)
            st.title(title, anchor=False)
        if tour.on():
            return
        with st.container(horizontal=True, vertical_alignment="center", width="content"):
            if page:
                tour_link(page)
                _menu()
            glossary_button()


def _menu() -> None:
    """What can be done with the page as a whole."""
    with st.popover("More", type="tertiary", key="page-menu"):
        copy_link("copy-link")
        with st.container(gap="xxsmall"):
            st.button("Reset this page", key="reset-page", type="tertiary", on_click=visit.reset_page)
            st.caption("Sets its controls back. Your prediction stays.")


def tell_unreadable(*controls: visit.Control[Any]) -> None:
    """Say of each control whose value in the address makes no sense that it was not used."""
    for sentence in visit.unreadable(*controls):
        st.warning(sentence, icon=BROKEN_LINK)
