"""What every page has: its heading, the glossary beside it, and the sheet of our own styles."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from ui.glossary import glossary_button
from ui.navigation import tour_link

ICON = (Path(__file__).parent / "icon.svg").read_text(encoding="utf-8")
"""The tab's picture. A material icon would be fetched from outside."""

_STYLE = """<style>
html { font-size: clamp(16px, 12px + 0.45vw, 23px) !important; }
[data-testid=stMainBlockContainer] { max-width: 78rem; padding: 4.25rem 3rem 4rem; }
[data-testid=stMarkdownContainer] > :is(p, ul) { max-width: 62rem; }
[data-testid=stMainBlockContainer] [data-testid=stPageLink] a { padding-left: 0; }
[data-testid=stMainBlockContainer] h3 { padding-top: 1.5rem; }
[data-testid=stRadio] label { padding-block: 0.2rem; }
.st-key-takeaway { border-left: 0.3rem solid #0072B2; padding: 0.5rem 0 0.5rem 1.2rem; margin-top: 0.5rem; }
.st-key-takeaway p:last-child { font-size: 1.35rem; line-height: 1.4; font-weight: 600; }
.st-key-neighbours { border-top: 1px solid rgba(127, 123, 115, 0.35); padding-top: 0.6rem; }
[data-testid=stSidebarUserContent] { padding-top: 0; }
[class*=st-key-part-] { margin-top: 1.1rem; }
[class*=st-key-part-] [data-testid=stPageLink] a { padding-block: 0.1rem; }
[class*=st-key-part-] > div { margin-bottom: 0.3rem; }
.st-key-brand a { padding-block: 0.45rem; }
[class*=st-key-part-] > div:first-child p { font-size: 0.82rem; letter-spacing: 0.07em; text-transform: uppercase; }
.st-key-brand p { font: 650 1.3rem/1.3 "Source Serif", serif; }
@media (max-width: 640px) {
  [data-testid=stMainBlockContainer] { padding: 4rem 1rem 2rem; }
  [data-testid=stMainBlockContainer] h1 { font-size: 2rem; }
}
</style>"""


def style() -> None:
    """Our own styles, for what the theme cannot say."""
    st.html(_STYLE)


def heading(title: str, above: str, page: str | None = None) -> None:
    """A page's title with a small line above it; at its right the tour from `page` on, and the glossary."""
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="bottom"):
        with st.container(width="stretch", gap=None):
            st.caption(above)
            st.title(title, anchor=False)
        if page:
            tour_link(page)
        glossary_button()
