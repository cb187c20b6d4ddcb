"""Lab: one prompt, every knob. Run it live, run it again, sweep γ, compare runs, take the trace home."""

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.decoding.request import DecodeRequest
from core.decoding.trace import Trace
from core.serving import Snapshot, Ticket
from ui import engine, navigation, runs, trace_files, visit, workbench, workbench_strip
from ui.both_ways import comparison
from ui.components.token_strip import token_strip
from ui.figures import show
from ui.page import heading
from ui.waiting import POLL_RUNNING
from ui.words import count, ended_early
from ui.workbench import DROPPED, PLACE, VIEW, VIEWS
from ui.workbench_figures import rounds_figure
from ui.workbench_knobs import knobs
from ui.workbench_strip import STRIP
from ui.workbench_sweep import sweep_view
from ui.workbench_token import token_detail
from ui.workbench_words import compared, figures, marked, repeat_words, time_split, where_they_part

RUN, AGAIN, ALONE, FILE = (f"{PLACE}-{name}" for name in ("run", "again", "alone", "file"))


def main() -> None:
    navigation.enter(workbench.PAGE)
    heading(workbench.lab().title, "Lab")
    st.markdown(
        "Your own prompt and every knob. Watch the tokens come, click any of them for the figures behind it, and take "
        "the whole run home as a file."
    )
    view = st.segmented_control(
        "What to do",
        list(VIEWS),
        format_func=lambda v: VIEWS[v],
        label_visibility="collapsed",
        required=True,
        **visit.bind(VIEW, PLACE),
    )
    {"run": one_run, "sweep": sweep_view, "compare": two_runs, "file": from_a_file}[view or "run"]()


def one_run() -> None:
    request = knobs()
    asked = workbench.asked(request)
    row = st.container(horizontal=True, vertical_alignment="center", gap="medium")
    with row:
        st.button(
            "Run",
            type="primary",
            icon=":material/play_arrow:",
            disabled=request is None,
            on_click=workbench.ask,
            args=(request,),
            width=150,
        )
        if asked.request and request and asked.request != request:
            st.caption("The controls have changed since. This is the run before: press Run.", width="stretch")
    if asked.request is None:
        if request:
            st.info("Stopped. Press Run to begin again.", icon=":material/stop_circle:")
        return
    trace = followed(asked.request, row)
    if trace is None:
        return
    workbench.keep(trace)
    text(trace, RUN)
    outcome(trace, target_alone(trace), RUN)
    again(trace, asked)
    take_home(trace, RUN)


def followed(request: DecodeRequest, row: DeltaGenerator) -> Trace | None:
    """The run, once it is there; until then its tokens as they come, and in the row a way to stop it."""
    dropped = visit.value(DROPPED, PLACE)

    def live(ticket: Ticket, snapshot: Snapshot) -> None:
        with row:
            st.button("Stop", icon=":material/stop:", key=f"{RUN}-stop", on_click=stop)
        workbench_strip.follow(ticket, snapshot, request.max_new_tokens, dropped)

    trace = engine.run(request, RUN, live)
    if engine.status().state != "ready":
        st.caption(f"Without models there is still “{VIEWS['file']}”: a run that was saved opens without them.")
    return trace


def stop() -> None:
    engine.give_up(RUN)
    workbench.ask(None)


def text(trace: Trace, key: str) -> None:
    """The text token by token, in the place where it was written live, and the token that was clicked."""
    tokens, places = workbench_strip.tokens(trace, visit.value(DROPPED, PLACE))
    # A fragment draws in a container of its own: in one like it the live strip stays where it is and becomes this one.
    with st.container():
        st.caption(
            f"{count(len(trace.tokens), 'token')} in {count(len(trace.rounds), 'round')}. "
            "Click one to see what happened there; a small number marks a new round."
        )
        chosen = token_strip(tokens, key=STRIP, label="The run, token by token")
    if trace.request.method == "speculative":
        st.toggle("Show the guesses that did not stay", **visit.bind(DROPPED, PLACE))
    if remark := ended_early(trace, "the model", "token"):
        st.caption(remark)
    if chosen is not None:
        token_detail(trace, places[chosen], f"{key}-token")


def outcome(trace: Trace, alone: Trace | None, key: str) -> None:
    """The figures and the rounds; `alone` is the target's own run, where it is there."""
    with st.container(horizontal=True, gap="medium"):
        for label, value in figures(trace, alone):
            st.metric(label, value, width="content")
    st.caption(time_split(trace))
    if alone and (trace.request.temperature == 0 or trace.request.rule == "coupled"):
        comparison(alone, trace)
    if any(r.positions for r in trace.rounds):
        st.markdown("##### Round by round")
        show(rounds_figure(trace), f"{key}-rounds", alt="Guesses kept, added and dropped in each round.")


def target_alone(trace: Trace) -> Trace | None:
    """The target's own run of the same text, for the speed-up; None while it is made, and where there is none."""
    if trace.request.method != "speculative":
        return None
    return engine.run(workbench.standard(trace.request), ALONE, quietly)


def quietly(ticket: Ticket, snapshot: Snapshot) -> None:
    """Wait for a run without showing it."""

    def look() -> None:
        if ticket.snapshot().state != snapshot.state:
            st.rerun()
        st.caption("The target writes the same text alone, to measure the speed-up …")

    st.fragment(look, run_every=POLL_RUNNING)()


def again(trace: Trace, asked: workbench.Asked) -> None:
    """The same run made anew, held against the first."""
    st.markdown("##### The same seed once more")
    st.button(
        "Run it again",
        icon=":material/replay:",
        key=f"{AGAIN}-button",
        on_click=workbench.ask_again,
        args=(trace.request,),
        help="Decodes it anew: nothing is taken from the run above.",
    )
    if not asked.repeat:
        st.caption("All randomness comes from the seed, so a second run must give the same tokens from the same draws.")
        return
    second = engine.run(trace.request, AGAIN, repeat=asked.repeat)
    if second:
        said = repeat_words(trace, second)
        (st.success if said.startswith("**The same") else st.warning)(said, icon=":material/replay:")


def take_home(trace: Trace, key: str) -> None:
    st.markdown("##### Take it home")
    with st.container(horizontal=True, gap="medium"):
        st.download_button(
            "Trace as JSON",
            trace.to_json,
            trace_files.file_name(trace, "json"),
            "application/json",
            key=f"{key}-json",
            icon=":material/download:",
            on_click="ignore",
            help=f"Everything on this page, to be opened again under “{VIEWS['file']}”.",
        )
        st.download_button(
            "Tokens as CSV",
            lambda: trace_files.as_csv(trace),
            trace_files.file_name(trace, "csv"),
            "text/csv",
            key=f"{key}-csv",
            icon=":material/table:",
            on_click="ignore",
            help="One row a token: round, verdict, p, q, ratio, u, β.",
        )


def two_runs() -> None:
    kept = workbench.kept()
    if len(kept) < 2:
        st.info(
            "There must be two runs to compare. Each run of this visit is remembered here, and each trace that is "
            "opened: make another one with something changed.",
            icon=":material/compare_arrows:",
        )
        return
    numbers = [k.number for k in kept]
    by_number = {k.number: k for k in kept}
    picked = []
    for column, name, usual in zip(st.columns(2, gap="large"), ("First run", "Second run"), numbers[-2:], strict=True):
        with column:
            key = f"{PLACE}-compare-{name}"
            if st.session_state.get(key) not in numbers:
                st.session_state[key] = usual
            number = st.selectbox(name, numbers[::-1], format_func=lambda n: workbench.label(by_number[n]), key=key)
            picked.append(by_number[number])
    one, other = picked
    if one == other:
        st.caption("This is one and the same run: pick another.")
        return
    at = where_they_part(one, other)
    (st.success if at is None else st.info)(
        compared(one, other), icon=":material/equal:" if at is None else ":material/call_split:"
    )
    for column, k, name in zip(st.columns(2, gap="large"), picked, ("one", "other"), strict=True):
        with column:
            token_strip(marked(k, at), key=f"{PLACE}-text-{name}", label="The text", selectable=False)
    table("What was asked for", workbench.settings([k.request for k in picked], only_different=True), picked)
    cells = [workbench.figures(k) for k in picked]
    table("What came of it", {row: [c[row] for c in cells] for row in cells[0]}, picked)
    if one.pair != other.pair:
        st.caption("The two runs are of different pairs, so their times tell nothing of each other.")
    elif any(k.speed_up is None and k.request.method != "standard" and k.here for k in picked):
        st.caption("A speed-up needs the target's own run of the same text: “Run” makes it.")


def table(title: str, rows: dict[str, list[str]], picked: list[workbench.Kept]) -> None:
    """Two runs side by side, a row for each thing to compare."""
    st.markdown(f"##### {title}")
    if not rows:
        st.caption("The same in everything.")
        return
    frame = pd.DataFrame(rows, index=[f"Run {k.number}" for k in picked]).T
    st.dataframe(frame, key=f"{PLACE}-table-{title}", column_config={"_index": st.column_config.Column("")})


def from_a_file() -> None:
    st.markdown(
        "A run that was saved as JSON can be looked at again, on any machine: everything on the page is drawn from the "
        "file, and no model is asked."
    )
    st.file_uploader(
        "A trace written by this lab",
        type="json",
        key=FILE,
        on_change=trace_files.take,
        args=(FILE,),
        max_upload_size=trace_files.LARGEST // 1_000_000,
    )
    if sentence := trace_files.refused():
        with st.container(border=True, key=f"{FILE}-refused"):
            st.text(sentence)
    trace = trace_files.opened()
    if trace is None:
        return
    workbench.keep(trace, here=False)
    # What stands in a file is shown as text, never as markup.
    st.text(
        f"{runs.pair_name(trace.pair)}. {workbench.METHODS[trace.request.method]}. {workbench.title(trace.request)}"
    )
    with st.expander("What was asked for"):
        asked = workbench.settings([trace.request])
        st.dataframe(pd.DataFrame(asked, index=["Value"]).T, key=f"{FILE}-asked")
    text(trace, FILE)
    outcome(trace, None, FILE)
    with st.container(horizontal=True, gap="medium"):
        st.button(
            "Set the controls like this",
            icon=":material/tune:",
            on_click=workbench.adopt,
            args=(trace.request,),
            help="Puts its prompt and settings into the controls, so that this machine can run it too.",
        )
        st.button("Put it away", icon=":material/close:", on_click=trace_files.close)
    take_home(trace, FILE)


main()
