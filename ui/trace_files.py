"""Traces as files: what a visitor takes away, and what one brings back."""

from __future__ import annotations

import streamlit as st

from core.decoding.trace import Trace, TraceError
from core.spreadsheet import LINE_END, harmless
from ui.words import megabytes

LARGEST = 12_000_000
"""Bytes of a file that is opened: a run of 512 tokens has 4 to 9 million, most at a high temperature."""
_OPENED, _REFUSED = "workbench.opened", "workbench.refused"


def file_name(trace: Trace, ending: str) -> str:
    """A name that tells runs apart: method, γ, temperature and seed."""
    r = trace.request
    how = f"{r.drafter}-gamma{r.gamma}" if r.method == "speculative" else r.method
    return f"trace-{how}-t{r.temperature:g}-seed{r.seed}.{ending}"


def as_csv(trace: Trace) -> str:
    """One row a token seen in the run, drafted or chosen.

    A text that begins like a formula has an apostrophe before it; its token's number says which text it is.
    """
    frame = trace.to_frame()
    return frame.assign(text=frame["text"].map(harmless)).to_csv(index=False, lineterminator=LINE_END)


def read(size: int, data: bytes) -> Trace:
    """The trace in a file.

    Raises:
        TraceError: with one sentence on why it is not opened.
    """
    if size > LARGEST:
        raise TraceError(f"This file has {megabytes(size)}; a trace of at most {megabytes(LARGEST)} can be opened.")
    if not data.strip():
        raise TraceError("This file is empty.")
    return Trace.from_json(data)


def take(key: str) -> None:
    """Open the file that was put into the uploader with this key, or note why not."""
    file = st.session_state.get(key)
    if file is None:
        return
    st.session_state.pop(_REFUSED, None)
    try:
        # What is too large is not even copied.
        st.session_state[_OPENED] = read(file.size, b"" if file.size > LARGEST else file.getvalue())
    except TraceError as error:
        st.session_state[_REFUSED] = str(error)


def opened() -> Trace | None:
    """The trace that this visit has opened, if any."""
    return st.session_state.get(_OPENED)


def refused() -> str | None:
    """Why the last file was not opened, or None."""
    return st.session_state.get(_REFUSED)


def close() -> None:
    """Put the opened trace away."""
    st.session_state.pop(_OPENED, None)
    st.session_state.pop(_REFUSED, None)
