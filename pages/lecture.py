"""For whoever stands in front: start the tour, open the notes elsewhere, the switches, the routes step by step."""

from itertools import groupby
from pathlib import Path

import streamlit as st

from ui import content, follow, lecture, navigation, tour, visit
from ui.lecture import PLAN
from ui.page import heading

LESSON_PLAN = Path(__file__).parent.parent / "docs" / "teaching.md"
SWITCHES = {
    visit.LARGE: ("Large type", "For a long room or a small screen. It holds on every page of this visit."),
    visit.HOLD: (
        "Hold answers back",
        "After a prediction the answer waits until you press “Show the answer”, so that the class can argue first.",
    ),
}
KEYS = """
| Key | In the tour |
|:--|:--|
| → · Space · Page Down | next step: what a clicker sends |
| ← · Page Up | back |
| Home · End | first step, last step |
| F | full screen, on and off |
| Esc | leaves full screen, then the tour |
"""


def main() -> None:
    navigation.enter(lecture.PAGE)
    heading("Lecture", "For whoever stands in front")
    st.markdown(
        "The **tour** is the whole lab as a talk: one step a screen, large, with nothing else on it. "
        "Your **notes** follow it in a second window or on your phone."
    )
    start()
    left, right = st.columns(2, gap="large")
    with left:
        speakers_notes()
    with right:
        switches()
    routes()


def start() -> None:
    here = tour.current()
    with st.container(horizontal=True, gap="medium"):
        if st.button("Start the tour", type="primary", icon=":material/slideshow:"):
            st.switch_page(navigation.path(tour.PAGE), query_params={tour.PARAMETER: "1"})
        if here and here.number > 1 and st.button(f"Go on at step {here.number}", icon=":material/resume:"):
            st.switch_page(navigation.path(tour.PAGE), query_params={tour.PARAMETER: str(here.number)})


def speakers_notes() -> None:
    st.subheader("Your notes", anchor=False)
    code = follow.code()
    if code is None:
        st.markdown("What to say at each step, what to point at, what to ask, and the time. The class sees none of it.")
        st.button("Make a link to the notes", icon=":material/link:", on_click=make_link)
        return
    address = lecture.notes_address(st.context.url, code, visit.value(PLAN, "lecture"))
    st.markdown(
        "Open them, then start the tour **in this window**. Whoever has the link can turn your pages, "
        "so keep it off the projector."
    )
    with st.container(horizontal=True, gap="medium"):
        st.link_button("Open the notes in a new window", address, icon=":material/open_in_new:")
        st.button("End this link", type="tertiary", icon=":material/link_off:", on_click=follow.end)
    with st.expander("On your phone", icon=":material/qr_code_2:"):
        if not lecture.reachable(address):
            st.info(
                "This page was opened at an address that only this machine knows, so a phone cannot follow it. "
                "Start the lab with `make run ADDRESS=0.0.0.0` and open it by this machine's address in the network.",
                icon=":material/wifi_off:",
            )
        st.image(lecture.qr_code(address), width=230)
        st.markdown(f"Or open **notes** beside this page's address and type `{code}`.")


def make_link() -> None:
    here = tour.current()
    follow.begin(here.number if here else None)


def switches() -> None:
    st.subheader("For this room", anchor=False)
    for name, (label, words) in SWITCHES.items():
        key = f"switch-{name}"
        st.session_state[key] = visit.switched(name)
        st.toggle(label, key=key, on_change=turn, args=(name, key))
        st.caption(words)


def turn(name: str, key: str) -> None:
    visit.switch(name, st.session_state[key])


def routes() -> None:
    st.subheader("The way through", anchor=False)
    chosen = st.segmented_control(
        "Minutes",
        [r.minutes for r in content.routes()],
        format_func=lambda minutes: f"{minutes} minutes",
        label_visibility="collapsed",
        required=True,
        **visit.bind(PLAN, "lecture"),
    )
    route = next(r for r in content.routes() if r.minutes == chosen)
    stops = lecture.stops(route.minutes)
    st.markdown(f"**{route.title}** ({lecture.spent(stops)}). {route.words}")
    with st.container(key="route", gap="xsmall"):
        for title, together in groupby(stops, key=lambda stop: stop.step.title):
            row(title, list(together))
    with st.expander("Keys", icon=":material/keyboard:"):
        st.markdown(KEYS)
    with st.expander("The lesson plan: what to ask, what they get wrong, what to prepare", icon=":material/school:"):
        text = LESSON_PLAN.read_text(encoding="utf-8").partition("\n")[2]
        st.markdown(text.replace("\n## ", "\n#### "))


def row(title: str, together: list[lecture.Stop]) -> None:
    """A part or a chapter: its name, and a link for each of its steps on the route."""
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        st.markdown(f"**{title}**", width=300)
        with st.container(horizontal=True, gap="small"):
            for stop in together:
                st.page_link(
                    navigation.path(tour.PAGE),
                    label=f"{stop.step.number} {lecture.view_word(stop.step)}, {stop.minutes:g} min",
                    query_params={tour.PARAMETER: str(stop.step.number)},
                )


main()
