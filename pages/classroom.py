"""The lecturer's desk: open a class, put questions to it, take its votes home. And the page that is projected."""

from datetime import UTC, datetime
from functools import partial

import streamlit as st

from core.classroom import Board, ClassroomDown, Desk, codes
from core.classroom.codes import spoken
from core.classroom.desk import running
from core.classroom.views import Held
from ui import classroom, content, lecture, navigation, tour, vote, who
from ui.classroom import HELD, PAGE, POLL, SHOW
from ui.classroom_figures import results
from ui.figures import show
from ui.page import heading
from ui.words import count

STYLE = """<style>
[data-testid=stHeader], [data-testid=stSidebar], [data-testid=stExpandSidebarButton] { display: none !important; }
html { font-size: clamp(18px, 12px + 0.95vw, 36px) !important; }
[data-testid=stMainBlockContainer] { max-width: none; padding: 1.6rem 3rem 1rem; }
.st-key-code p { font: 650 2.9rem/1.15 "Source Code", monospace; letter-spacing: 0.04em; white-space: nowrap; }
.st-key-asked p { font-size: 1.3rem; line-height: 1.5; max-width: none; }
</style>"""


def main() -> None:
    navigation.enter(PAGE)
    if SHOW in st.query_params:
        projector(codes.tidy(st.query_params[SHOW]))
        return
    heading("Class", "For whoever stands in front")
    classroom.told()
    with classroom.telling(whole=True):
        who.take_link()
        owner = who.lecturer()
        if owner is None:
            st.markdown("Put a chapter's question to everybody in the room: they answer on their phones.")
            who.sign_in()
            return
        desk = classroom.desk(owner)
        mine = desk.classes()
        now = running(mine, classroom.database().now())
        held = HELD.held().get("code")
        here = next((one for one in now if one.code == held), next(iter(now), None))
        if here:
            HELD.held()["code"] = here.code
            session(desk, here)
        else:
            HELD.held().clear()
            st.markdown("Open a class, and its code and picture let phones in. Nobody needs a name or an account.")
            st.button(
                "Open a class",
                type="primary",
                icon=":material/meeting_room:",
                on_click=classroom.attempt,
                args=(open_class, desk),
            )
        earlier(desk, owner, [one for one in mine if one not in now])
        st.button(
            "Sign out", type="tertiary", icon=":material/logout:", on_click=classroom.attempt, args=(who.sign_out,)
        )


def open_class(desk: Desk) -> None:
    HELD.held()["code"] = desk.open_class()


def session(desk: Desk, here: Held) -> None:
    """The class that is on: how to join, what to ask, where to show it."""
    address = classroom.join_address(st.context.url, here.code)
    left, right = st.columns([1, 2.2], gap="large")
    with left:
        st.image(lecture.qr_code(address), width=240)
        st.markdown(f"Code **{spoken(here.code)}**")
        st.caption(f"{address.partition('//')[2].partition('?')[0]} · until {clock(here.until)}")
        if not lecture.reachable(address):
            st.info(
                "This page was opened at an address that only this machine knows, so phones cannot join. "
                "Start the lab with `make run ADDRESS=0.0.0.0` and use the link that it prints.",
                icon=":material/wifi_off:",
            )
        show_on = classroom.show_address(st.context.url, here.code)
        st.link_button("Show it on the projector", show_on, icon=":material/tv:")
        st.page_link(
            navigation.path(tour.PAGE), label="Give the tour with votes", icon=":material/slideshow:",
            query_params={tour.PARAMETER: "1"},
        )  # fmt: skip
        end(desk, here)
    with right:
        ask(desk, here.code)


def ask(desk: Desk, code: str) -> None:
    """A chapter's question, and its vote."""
    asking = [c for c in content.chapters() if c.predict]
    board, _ = desk.board(code)
    at = board.question.ask.chapter if board.question else asking[0].number
    chosen = st.selectbox(
        "Question",
        [c.number for c in asking],
        index=[c.number for c in asking].index(at),
        format_func=lambda number: next(f"{c.number} · {c.title}" for c in asking if c.number == number),
        key="class-question",
    )
    chapter = next(c for c in asking if c.number == chosen)
    if chapter.predict is None:
        return
    with st.container(border=True):
        vote.panel(desk, code, chapter.number, chapter.predict, chapter.predict.answer)
    if chapter.predict.answer is None:
        st.caption("This answer comes from a run: reveal it on the chapter's page or in the tour.")
    st.page_link(navigation.path(chapter.page), label=f"Open chapter {chapter.number}", icon=":material/arrow_forward:")


def end(desk: Desk, here: Held) -> None:
    with st.popover("End the class", type="tertiary", icon=":material/door_front:"):
        st.markdown("The code stops working. The votes stay, to be downloaded below.")
        st.button("End it now", on_click=classroom.attempt, args=(desk.end, here.code))
    download(desk, here)


def earlier(desk: Desk, owner: str, over: list[Held]) -> None:
    """The classes that are over, with their votes."""
    if not over:
        return
    days = count(classroom.vote_days(), "day")
    with st.expander(f"Earlier classes ({len(over)})", icon=":material/history:"):
        st.caption(f"They are deleted after {days}.")
        for one in over:
            with st.container(horizontal=True, vertical_alignment="center"):
                opened = datetime.fromtimestamp(one.opened, UTC)
                phones, votes = count(one.joined, "phone"), count(one.votes, "vote")
                st.markdown(f"{opened:%-d %B %Y, %H:%M} UTC · {phones}, {votes}", width=420)
                download(desk, one)
                with st.popover("Delete", type="tertiary", key=f"delete-{one.code}"):
                    st.button(
                        "Delete these votes",
                        key=f"gone-{one.code}",
                        on_click=classroom.attempt,
                        args=(desk.delete, one.code),
                    )


def download(desk: Desk, one: Held) -> None:
    st.download_button(
        "Votes as CSV",
        partial(classroom.votes_file, desk, one.code),
        f"votes-{one.code}.csv",
        "text/csv",
        key=f"csv-{one.code}",
        icon=":material/download:",
    )


def clock(moment: float) -> str:
    return f"{datetime.fromtimestamp(moment, UTC):%H:%M} UTC"


def projector(code: str | None) -> None:
    """What the room sees: how to join, the question, how many have voted, and the result once it is revealed."""
    st.html(STYLE)

    def watch() -> None:
        try:
            board = classroom.students().board(code) if code else None
        except ClassroomDown as error:
            st.error(str(error), icon=":material/cloud_off:")
            return
        if board is None:
            st.title("No class is on under this code", anchor=False)
            return
        projected(board)

    st.fragment(watch, run_every=POLL if code else None)()


def projected(board: Board) -> None:
    left, right = st.columns([1, 2.6], gap="large")
    address = classroom.join_address(st.context.url, board.code)
    with left:
        st.image(lecture.qr_code(address), width="stretch")
        with st.container(key="code"):
            st.markdown(spoken(board.code))
        st.markdown(address.partition("//")[2].partition("?")[0])
        st.markdown(f"**{count(board.joined, 'phone')}** joined")
    asked = board.question
    question = classroom.question_of(asked.ask.chapter) if asked else None
    with right:
        if asked is None or question is None:
            st.title("Join with your phone", anchor=False)
            st.markdown("Point its camera at the picture, or open the address and type the code. No name, no account.")
            return
        st.markdown(f"## {question.question}")
        if asked.state == "revealed" and asked.answer is not None:
            figure = results(question, asked.ask, board.tallies, asked.answer)
            show(figure, "projected", alt=vote.in_words(question, board))
            return
        with st.container(key="asked"):
            vote.options(question)
        if asked.state == "talk":
            st.info("Talk to your neighbours. Then vote again.", icon=":material/forum:")
        else:
            vote.progress(board, asked)


main()
