"""What this visit predicted and what came of it."""

import streamlit as st

from ui import navigation, summary
from ui.page import heading

navigation.enter(summary.PAGE)
heading("Your predictions", "A look back")
found = summary.lines()
st.markdown(f"#### {summary.sentence(found)}")
for line in found:
    sign = summary.SIGNS[line.outcome]
    with st.container(border=True, key=f"said-line-{line.chapter.number}", gap="xsmall"):
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
            st.page_link(
                navigation.path(line.chapter.page), label=f"**{line.chapter.number}\u2002{line.chapter.title}**"
            )
            st.markdown(f":{sign.colour}[:material/{sign.icon}: **{sign.word}**]", width="content")
        st.caption(line.question)
        if line.said:
            st.markdown(f"You said: {line.said}")
        if line.answer:
            st.markdown(f"Answer: {line.answer}")
with st.container(horizontal=True):
    st.download_button("Download as text", summary.as_text(found), "my-predictions.txt", icon=":material/download:")
    st.button("Start over", icon=":material/restart_alt:", on_click=summary.start_over, help="Forget all predictions")
