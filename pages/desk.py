"""The host's desk: how the server is, for the lecturer's login only."""

import streamlit as st

from ui import classroom, desk, navigation, who
from ui.page import heading


def main() -> None:
    navigation.enter(desk.PAGE)
    heading("Server", "For whoever keeps it running")
    with classroom.telling(whole=True):
        who.take_link()
        if who.lecturer() is None:
            st.markdown("How the server is: its visits, its queue, its memory. It is shown to lecturers only.")
            who.sign_in()
            return
        st.fragment(watch, run_every=desk.POLL)()


def watch() -> None:
    """Everything at one look, drawn anew every few seconds."""
    sight = desk.look()
    with st.container(horizontal=True, gap="medium", key="desk-figures"):
        for name, figure in desk.figures_of(sight):
            st.metric(name, figure, width="content")
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("The pair", anchor=False)
        ready = sight.facts is not None
        (st.success if ready else st.info if sight.status.state == "loading" else st.error)(
            "Ready" if ready else "Not ready", icon=":material/check:" if ready else ":material/hourglass_empty:"
        )
        st.text(desk.pair_words(sight))
    with right:
        st.subheader("Memory", anchor=False)
        for name, size in desk.memory_words(sight):
            with st.container(horizontal=True, horizontal_alignment="distribute"):
                st.markdown(name)
                st.markdown(f"**{size}**", width="content")
        st.subheader("Votes", anchor=False)
        if sight.votes is None:
            st.error(desk.votes_words(sight), icon=":material/cloud_off:")
        else:
            st.markdown(desk.votes_words(sight))
    st.subheader("Recent warnings and errors", anchor=False)
    if sight.errors:
        lines = "\n".join(map(desk.error_words, sight.errors))
        st.code(lines, language=None, wrap_lines=True, height=320 if len(sight.errors) > 8 else "content")
    else:
        st.markdown("None since the start.")


main()
