"""The speaker's second window, on a laptop or a phone: the step's note, the time, and buttons that turn the tour."""

import streamlit as st

from ui import content, follow, lecture, navigation, tour, visit
from ui.follow import Followed
from ui.lecture import CODE, PLAN
from ui.page import BROKEN_LINK
from ui.tour import Step

STYLE = """<style>
[data-testid=stHeader], [data-testid=stSidebar], [data-testid=stExpandSidebarButton] { display: none !important; }
[data-testid=stMainBlockContainer] { max-width: 60rem; padding: 1rem 1.5rem 0; min-height: 100vh; }
.st-key-say p { font-size: 1.55rem; line-height: 1.45; }
.st-key-do p { font-size: 1.2rem; line-height: 1.4; }
.st-key-clock p { font-size: 1.35rem; font-variant-numeric: tabular-nums; }
.st-key-turn { position: sticky; bottom: 0; z-index: 5; padding: 0.8rem 0 1rem; backdrop-filter: blur(14px); }
.st-key-turn button { min-height: 3.4rem; }
@media (max-width: 640px) {
  [data-testid=stMainBlockContainer] { padding: 0.6rem 1rem 0; }
  .st-key-say p { font-size: 1.3rem; }
  .st-key-do p { font-size: 1.05rem; }
  .st-key-clock p { font-size: 1.05rem; }
}
</style>"""
UNKNOWN = (
    "No tour can be followed under this code: it was mistyped, or it has expired. "
    "Take the link on the Lecture page again."
)


def main() -> None:
    navigation.enter(lecture.NOTES)
    st.html(STYLE)
    given = st.query_params.get(CODE, "")
    code = follow.tidy(given)
    if code is None:
        ask_for_code(UNKNOWN if given else None)
        return
    known = follow.registry().look(code) is not None

    def watch() -> None:
        seen = follow.registry().look(code)
        if (seen is not None) != known:
            st.rerun()
        if seen is None:
            ask_for_code(UNKNOWN)
        else:
            notes(code, seen)

    st.fragment(watch, run_every=follow.POLL if known else follow.SLOW_POLL)()


def ask_for_code(wrong: str | None) -> None:
    st.title("Speaker’s notes", anchor=False)
    st.markdown("These notes follow a tour. Open them by the link on the Lecture page, or type the code given there.")
    if wrong:
        st.warning(wrong, icon=BROKEN_LINK)
    st.text_input("Code", key="notes-code", max_chars=40, width=320, on_change=take_code)


def take_code() -> None:
    typed = st.session_state["notes-code"] or ""
    # What is no code is not put into the address, where it would be shown and copied.
    st.query_params[CODE] = follow.tidy(typed) or "?"


def notes(code: str, seen: Followed) -> None:
    """One step's note, and the way to the next."""
    here = lecture.here(seen)
    route = lecture.stops(visit.value(PLAN, "notes"))
    time_and_plan(code, seen, route, here)
    st.caption(f"{here.label} · {lecture.view_word(here)}")
    st.markdown(f"## {here.title}")
    note = content.notes().get(here.id)
    if note:
        with st.container(key="say"):
            st.markdown(note.say)
        with st.container(key="do"):
            st.markdown(f":material/ads_click: **Point.** {note.point}")
            st.markdown(f":material/front_hand: **Ask.** {note.ask}")
    turn(code, route, here)


def time_and_plan(code: str, seen: Followed, route: tuple[lecture.Stop, ...], here: Step) -> None:
    with st.container(key="clock", horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f":material/timer: **{lecture.clock(seen.elapsed)}**", width="content")
        st.markdown(lecture.pace(route, here.number, seen.elapsed), width="stretch")
        with st.popover("Plan", type="tertiary", key="notes-more"):
            minutes = [r.minutes for r in content.routes()]
            st.segmented_control("Plan, minutes", minutes, required=True, **visit.bind(PLAN, "notes"))
            st.button("Set the clock to 0:00", on_click=follow.registry().set_back, args=(code,), key="set-back")
    if not seen.open:
        never = "The tour has not begun." if seen.step is None else "The tour is not on screen."
        st.info(f"{never} Start it on the Lecture page: it will follow these buttons.", icon=":material/tv_off:")


def turn(code: str, route: tuple[lecture.Stop, ...], here: Step) -> None:
    """Buttons that turn the projected tour along the plan."""
    back, on = lecture.preceding(route, here.number), lecture.following(route, here.number)
    with st.container(key="turn", gap="xsmall"):
        st.caption(f"Next: {lecture.named(on)}" if on else "The plan ends here.")
        with st.container(horizontal=True, gap="small"):
            button("Back", "arrow_back", code, back)
            button("Next", "arrow_forward", code, on)


def button(label: str, icon: str, code: str, to: Step | None) -> None:
    st.button(
        label,
        key=f"turn-{label.lower()}",
        icon=f":material/{icon}:",
        type="primary" if label == "Next" else "secondary",
        width="stretch",
        disabled=to is None,
        on_click=follow.registry().ask,
        args=(code, to.number if to else tour.length()),
    )


main()
