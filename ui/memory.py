"""What a visit said comes back after a reload: the browser's tab remembers it for us."""

from __future__ import annotations

import streamlit as st

from ui import visit

_memory = st.components.v2.component(
    "visit_memory",
    js="""
const KEY = "speculative-lab.predictions";

export default function ({ data, setTriggerValue }) {
  const kept = sessionStorage.getItem(KEY);
  if (!data.begun && kept) setTriggerValue("restore", kept);
  else sessionStorage.setItem(KEY, data.predictions);
}
""",
)


def remember() -> None:
    """Keep this visit's predictions in the browser, or take back what was kept there before a reload."""
    predictions, begun = visit.predictions_json()
    _memory(key="visit-memory", data={"predictions": predictions, "begun": begun}, on_restore_change=_restore)


def _restore() -> None:
    visit.restore_predictions(st.session_state["visit-memory"]["restore"])
