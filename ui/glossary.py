"""The glossary, one click away on every page."""

from __future__ import annotations

import streamlit as st

from ui import content


def glossary_button() -> None:
    """A button that opens the glossary over the page."""
    if st.button("Glossary", icon=":material/menu_book:", key="glossary"):
        _open()


@st.dialog("Glossary", width="large")
def _open() -> None:
    wanted = st.text_input("Search", placeholder="token, γ, round …", key="glossary-search")
    found = find(wanted)
    if not found:
        st.info("No term holds these letters. Try a shorter word.")
    with st.container(height=440, border=False):
        for term in found:
            symbol = f"\u2002:gray-background[{term.symbol}]" if term.symbol else ""
            st.markdown(f"**{term.name}**{symbol}  \n{term.meaning}")


def find(wanted: str) -> list[content.Term]:
    """The terms that hold these letters: in the name or symbol first, then in the explanation."""
    needle = wanted.strip().casefold()
    named = [t for t in content.glossary() if needle in f"{t.name} {t.symbol}".casefold()]
    explained = [t for t in content.glossary() if t not in named and needle in t.meaning.casefold()]
    return [*named, *explained]
