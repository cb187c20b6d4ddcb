"""The students' page, on a phone: join a class, vote, see what came of it."""

import streamlit as st

from core.classroom import Classroom, ClassroomDown, ClassroomError, Question, Seen, codes
from core.classroom.codes import spoken
from core.classroom.views import is_right
from ui import classroom, content, navigation, who
from ui.classroom import CODE, JOIN, PHONE_POLL
from ui.components.device import device
from ui.page import BROKEN_LINK
from ui.predict import answer_field

STYLE = """<style>
[data-testid=stHeader], [data-testid=stSidebar], [data-testid=stExpandSidebarButton] { display: none !important; }
[data-testid=stMainBlockContainer] { max-width: 34rem; padding: 1.2rem 1.1rem 2rem; }
[data-testid=stMainBlockContainer] h2 { font-size: 1.45rem; line-height: 1.3; padding: 0.2rem 0 0.6rem; }
[data-testid=stRadio] [role=radiogroup] { gap: 0.55rem; width: 100%; }
[data-testid=stRadio] label {
  width: 100%;
  margin: 0;
  padding: 0.75rem 0.9rem;
  border: 1px solid var(--st-border-color, rgba(127, 123, 115, 0.45));
  border-radius: 10px;
}
[class*=st-key-vote-now] button { min-height: 3.4rem; font-size: 1.1rem; }
</style>"""
UNKNOWN = "No class has this code: it was mistyped, or the class is over."
TOO_MANY = "Too many wrong codes have come from here: wait some minutes."
TOLD, WAITING = "join.told", "join.waiting"


def main() -> None:
    navigation.enter(JOIN)
    st.html(STYLE)
    given = st.query_params.get(CODE, "")
    code = codes.tidy(given)
    if code is None:
        ask_for_code(UNKNOWN if given else None)
        return
    token = device()
    if token is None:
        st.caption("One moment …")
        return
    drawn = look(code, token)

    def watch() -> None:
        if look(code, token) != drawn:
            st.rerun()

    if isinstance(drawn, str):
        st.error(drawn, icon=":material/cloud_off:")
        if WAITING in st.session_state:
            st.info("Your vote is sent from here as soon as that works: keep this page open.", icon=":material/send:")
    elif drawn is None:
        wrong_code()
        return
    else:
        in_class(classroom.students(), drawn, token)
    st.fragment(watch, run_every=PHONE_POLL)()


def look(code: str, token: str) -> Seen | str | None:
    """What this phone sees now, after its vote was sent; a sentence while that cannot be done."""
    try:
        store = classroom.students()
        send(store, code, token)
        return store.look(code, token)
    except ClassroomDown as error:
        return str(error)


def ask_for_code(wrong: str | None = None) -> None:
    st.caption("Speculative Lab")
    st.title("Join a class", anchor=False)
    st.markdown("Type the code that you see in front, or scan the picture beside it. No name, no account.")
    if wrong:
        st.warning(wrong, icon=BROKEN_LINK)
    st.text_input("Code", key="join-code", max_chars=20, placeholder="BCD FGH", on_change=take_code)
    st.button("Join", type="primary", width="stretch", on_click=take_code)


def take_code() -> None:
    typed = st.session_state["join-code"] or ""
    # What is no code is not put into the address, where it would be shown and copied.
    st.query_params[CODE] = codes.tidy(typed) or "?"


def wrong_code() -> None:
    """A code that no class has. Whoever tries many is told nothing more for a while."""
    from_here = classroom.wrong_codes()
    here = who.address()
    tired = from_here.wait(here) > 0
    from_here.failed(here)
    ask_for_code(TOO_MANY if tired else UNKNOWN)


def in_class(store: Classroom, seen: Seen, token: str) -> None:
    st.caption(f"Class {spoken(seen.code)}")
    with classroom.telling():
        if st.session_state.get("join.joined") != seen.code:
            store.join(seen.code, token)
            st.session_state["join.joined"] = seen.code
        if told := st.session_state.pop(TOLD, None):
            st.warning(told, icon=":material/info:")
        asked = seen.question
        question = classroom.question_of(asked.ask.chapter) if asked else None
        if asked is None or question is None:
            waiting()
        elif asked.state == "revealed" and asked.answer is not None:
            outcome(store, seen, asked, asked.answer, question)
        elif asked.state == "talk":
            talk(seen, question)
        elif asked.round in seen.said:
            counted(seen.said[asked.round], question)
        else:
            ballot(seen, asked, question)


def waiting() -> None:
    st.markdown("## You are in")
    st.markdown("Keep this page open: the question will appear here by itself.")
    st.page_link(navigation.path(navigation.HOME), label="Look around in the lab", icon=":material/arrow_forward:")


def ballot(seen: Seen, asked: Question, question: content.Question) -> None:
    """The question, and one vote."""
    st.markdown(f"## {question.question}")
    if asked.round == 2:
        before = seen.said.get(1)
        said = f" You said *{classroom.option(question, before)}* before." if before is not None else ""
        st.info(f"The second vote: say what you think now.{said}", icon=":material/replay:")
    key = f"vote-{asked.id}-{asked.round}"
    label = f"{question.unit}: {question.low} to {question.high}"
    answer_field(question, key, lambda i: classroom.option(question, i), label)
    st.button(
        "Vote",
        key="vote-now",
        type="primary",
        width="stretch",
        on_click=vote,
        args=(asked.id, asked.round, key),
    )
    st.caption("One vote. The class sees the result when it is revealed, and never who said what.")


def vote(question: int, round_: int, key: str) -> None:
    said = st.session_state.get(key)
    if said is None:
        st.session_state[TOLD] = "Choose an answer first."
    else:
        st.session_state[WAITING] = (question, round_, int(said))


def send(store: Classroom, code: str, token: str) -> None:
    """Send the vote that waits, if one does. It waits on where the votes cannot be reached."""
    if WAITING not in st.session_state:
        return
    question, round_, said = st.session_state[WAITING]
    try:
        receipt = store.vote(code, token, question, round_, said)
        if not receipt.new and receipt.said != said:
            st.session_state[TOLD] = "This phone has voted already: the first vote counts."
    except ClassroomDown:
        raise
    except ClassroomError as error:
        st.session_state[TOLD] = str(error)
    del st.session_state[WAITING]


def counted(said: int, question: content.Question) -> None:
    st.markdown("## Your vote is in")
    st.success(classroom.option(question, said), icon=":material/check_circle:")
    st.markdown("The result comes when everybody has voted.")


def talk(seen: Seen, question: content.Question) -> None:
    st.markdown("## Talk to your neighbours")
    st.markdown("Why do they think so, and why do you? The second vote comes in a moment.")
    st.markdown(f"*{question.question}*")
    if 1 in seen.said:
        st.caption(f"You said: {classroom.option(question, seen.said[1])}")


def outcome(store: Classroom, seen: Seen, asked: Question, answer: int, question: content.Question) -> None:
    """What was right, what this phone said, what the class said."""
    st.markdown(f"## {question.question}")
    own = seen.said.get(asked.round, seen.said.get(1))
    told = f"**The answer:** {classroom.option(question, answer)}"
    if own is None:
        st.info(told, icon=":material/lightbulb:")
    elif is_right(asked.ask, own, answer):
        close = "" if own == answer else f" (you said {classroom.option(question, own)})"
        st.success(f"**{'Right' if own == answer else 'Close enough'}.** {told}{close}", icon=":material/check_circle:")
    else:
        st.error(f"You said: {classroom.option(question, own)}\n\n{told}", icon=":material/cancel:")
    board = store.board(seen.code)
    tally = board.tallies.get(asked.round, {}) if board else {}
    votes = sum(tally.values())
    if votes and question.kind == "choice":
        shares = [f"{classroom.LETTERS[i]} {100 * tally.get(i, 0) / votes:.0f} %" for i in range(len(question.options))]
        st.markdown("The class: " + " · ".join(shares))
    chapter = content.chapter(asked.ask.chapter)
    if chapter:
        label = f"Look again at chapter {chapter.number}, at your own pace"
        st.page_link(navigation.path(chapter.page), label=label, icon=":material/arrow_forward:")


main()
