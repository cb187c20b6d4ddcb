"""A page that mounts the components on hand-made data, for the browser tests."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from tests.ui.hand_made import CAT, CAT_ROUNDS, draft_alone, speculative, standard
from ui.clocks import MEASURED, classroom, flag, restate, timeline
from ui.components.lanes import TOKENS, WORDS, lanes
from ui.components.token_strip import StripToken, token_strip
from ui.figures import latency_curve, plain, show, titled, top_five, trace

st.set_page_config(page_title="Components", layout="wide")

STRIPS = {
    "states": [
        StripToken("Once", "prompt"),
        StripToken(" upon", "prompt"),
        StripToken(" a", "kept", (("target p", "0.82"), ("draft q", "0.61"), ("verdict", "kept")), 0),
        StripToken(" time", "kept", (("target p", "0.99"), ("draft q", "0.97")), 0),
        StripToken(" a", "correction", (("target p", "0.40"),), 0),
        StripToken(" dragon", "discarded", (("target p", "0.02"), ("draft q", "0.55")), 0),
        StripToken(" lived", "kept", (("target p", "0.71"),), 1),
        StripToken(" quietly", "bonus", (("target p", "0.35"),), 1),
        StripToken(",\n", "plain", (), 2),
        StripToken(" and", "same", (("big model", "0.70"),), 2),
        StripToken(" slept", "different", (("big model", "0.31"),), 2),
        StripToken(" lots", "marked", (("big model", "0.03"),), 2),
        StripToken(".", "plain", (), 2),
    ],
    "hostile": [
        StripToken("<b>bold</b>", "kept", (("<i>p</i>", "<script>alert(1)</script>"),)),
        StripToken(" <img src=x onerror=alert(1)>", "plain"),
        StripToken(" \U0001f600\U0001f469\u200d\U0001f680", "correction"),
        StripToken("\n\n", "plain"),
        StripToken("    return", "plain"),
        StripToken("", "plain"),
        StripToken(" " + "long" * 60, "plain"),
    ],
    "rtl": [
        StripToken("كان", "plain"),
        StripToken(" هناك", "kept"),
        StripToken(" قط", "correction"),
        StripToken(" cat", "bonus"),
    ],
    "choices": [StripToken(t, "different" if i in (6, 8, 11, 18) else "same") for i, t in enumerate(CAT)],
}


def strips() -> None:
    name = st.selectbox("Text", list(STRIPS))
    noise = st.slider("Unrelated", 0, 10, 3)
    chosen = token_strip(STRIPS[name], key="strip", label="A text in tokens", selected=None)
    st.session_state.runs = st.session_state.get("runs", 0) + 1
    st.write(f"selected {chosen}, runs {st.session_state.runs}, noise {noise}")


def replay() -> None:
    left, middle, right = st.columns(3)
    clock = left.selectbox("Clock", ["classroom", "measured"])
    pair = middle.selectbox("Lanes", ["speculative", "draft", "hostile"])
    noise = right.slider("Unrelated", 0, 10, 3)
    start = st.query_params.get("start", "begin")
    time = classroom() if clock == "classroom" else MEASURED
    base = timeline(standard(CAT), time, "Target alone")
    if pair == "speculative":
        other = flag(
            timeline(speculative(CAT[0], CAT_ROUNDS), time, "Draft and verify"),
            {1: "nothing kept. One token all the same, and dearer than not drafting."},
        )
    elif pair == "draft":
        texts = ["The", " cat", " sat", " on", " the", " mat", " and", " the", " cat", " was", " cat", "."]
        base = replace(base, title="Big model alone")
        other = restate(timeline(draft_alone(texts), time, "Small model alone"), {8: "marked", 10: "marked"})
    else:
        other = timeline(standard(["<b>HTML</b>", " كان", " هناك", " \U0001f600", "\n", "x" * 90]), time, "<i>Lane</i>")
    chosen = lanes(
        [base, other],
        key="lanes",
        run_id=f"{pair}/{clock}",
        words=WORDS if pair == "draft" else TOKENS,
        start="end" if start == "end" else "begin",
        speed_up_label="Speed-up so far" if pair == "speculative" else None,
        pace=1.0 if clock == "classroom" else 0.1,
    )
    st.session_state.runs = st.session_state.get("runs", 0) + 1
    st.write(f"selected {chosen}, runs {st.session_state.runs}, noise {noise}")


def charts() -> None:
    show(
        top_five(
            [(" windowsill", 0.46), (" mat", 0.21), (" floor", 0.09), (" bed", 0.05), ("\n", 0.02)],
            [(" mat", 0.52), (" floor", 0.14), (" roof", 0.06), (" windowsill", 0.03), (" a", 0.02)],
        ),
        key="top",
    )
    n = [1, 2, 4, 8, 16, 32, 64]
    show(
        latency_curve(n, [0.023, 0.022, 0.023, 0.023, 0.027, 0.034, 0.052], [0.023 * i for i in n], knee=16), key="knee"
    )


def changing() -> None:
    """A chart that a slider changes and that reports its clicks."""
    height = st.slider("Height", 1, 10, 3)
    bars = trace("bar", x=["one", "two"], y=[1, height], customdata=["A", "B"])
    figure = plain([bars], {**titled("Two bars"), "yaxis": {"range": [0, 11]}}, 340)
    show(figure, "changing", on_click=lambda point: st.session_state.update(point=(point.index, point.customdata)))
    st.session_state.runs = st.session_state.get("runs", 0) + 1
    st.write(f"point {st.session_state.get('point')}, runs {st.session_state.runs}, height {height}")


VIEWS = {"strips": strips, "lanes": replay, "charts": charts, "changing": changing}
VIEWS[st.query_params.get("view", "strips")]()
