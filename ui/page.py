"""What every page has: its heading, the glossary beside it, and the sheet of our own styles."""

from __future__ import annotations

import streamlit as st

from ui.glossary import glossary_button

_STYLE = """<style>
[data-testid=stMainBlockContainer] { max-width: 78rem; padding-top: 3.25rem; }
[data-testid=stMainBlockContainer] p, [data-testid=stMainBlockContainer] li { line-height: 1.6; }
[data-testid=stMarkdownContainer] > p { max-width: 62rem; }
.st-key-takeaway { border-left: 0.3rem solid var(--st-primary-color, #0072B2); padding: 0.4rem 0 0.4rem 1.1rem; }
.st-key-takeaway strong { font-size: 1.3rem; line-height: 1.4; }
.st-key-takeaway small strong { font-size: inherit; }
[data-testid=stSidebar] [class*=st-key-part-] { margin-top: 0.9rem; }
[data-testid=stSidebar] [class*=st-key-part-] > div:first-child p {
  font-size: 0.8rem; letter-spacing: 0.07em; text-transform: uppercase; opacity: 0.75; }
.st-key-brand p { font-size: 1.15rem; }
@media (max-width: 640px) {
  [data-testid=stMainBlockContainer] { padding: 3.5rem 1rem 2rem; }
}
</style>"""


def style() -> None:
    """Our own styles, for what the theme cannot say."""
    st.html(_STYLE)


def heading(title: str, above: str) -> None:
    """A page's title with a small line above it, and the glossary at its right."""
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="bottom"):
        with st.container(width="stretch", gap=None):
            st.caption(above)
            st.title(title, anchor=False)
        glossary_button()
