"""What a visit gathered comes back after a reload: the browser's tab remembers it for us."""

from __future__ import annotations

from secrets import token_hex
from typing import Any

import streamlit as st

from ui import classroom, follow, visit, who
from ui.runs import RUNS

STORES: tuple[visit.Store[Any, Any], ...] = (
    visit.PREDICTIONS,
    RUNS,
    visit.SWITCHES,
    follow.CODE,
    who.SIGN_IN,
    classroom.HELD,
)

# A tab writes down what the session holds, under the session's name. Where another session's name stands there, the
# page has been loaded anew: what was kept goes back first, and only then is it written over.
_memory = st.components.v2.component(
    "visit_memory",
    js="""
const place = (name) => `speculative-lab.${name}`;

export default function ({ data, setTriggerValue }) {
  const names = Object.keys(data.stores);
  const before = sessionStorage.getItem(place("session"));
  if (!data.restored && before && before !== data.session) {
    setTriggerValue("restore", Object.fromEntries(names.map((name) => [name, sessionStorage.getItem(place(name))])));
    return;
  }
  sessionStorage.setItem(place("session"), data.session);
  for (const name of names) sessionStorage.setItem(place(name), data.stores[name]);
}
""",
)


def remember() -> None:
    """Keep this visit's stores in the browser, or take back what was kept there before a reload."""
    data = {
        "session": st.session_state.setdefault("visit.session", token_hex(8)),
        "restored": st.session_state.get("visit.restored", False),
        "stores": {store.name: store.json() for store in STORES},
    }
    _memory(key="visit-memory", data=data, on_restore_change=_restore)


def _restore() -> None:
    take_back(st.session_state["visit-memory"]["restore"])


def take_back(kept: object) -> None:
    """What a browser kept, a store's text by its name; what is none is left alone."""
    st.session_state["visit.restored"] = True
    if isinstance(kept, dict):
        for store in STORES:
            store.restore(kept.get(store.name))
