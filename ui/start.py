"""What a server does once, when it starts (its log, and its counters for whoever watches it), and whose turn it is.

With settings that make no sense none of it is done: loading the models says what is wrong with them.
"""

from __future__ import annotations

import sys
from contextlib import suppress

import streamlit as st
from streamlit.runtime import Runtime
from streamlit.runtime.stats import ACTIVE_SESSIONS_FAMILY, GaugeStat

from core import logs
from core.serving.metrics import METRICS
from core.settings import SettingsError, read_settings

FEW = 3
TURN_OF_FEW, TURN_OF_MANY = 0.02, 0.0005
"""Seconds that a thread may hold the interpreter while others wait. A page's answer to a slider takes less than the
first: where few visits are open its many small messages leave together, and the browser draws the page once for them
and not several times. Among many the thread that sends, for all of them, would wait for each in its turn."""


@st.cache_resource(show_spinner=False)
def once() -> None:
    """Set the log up and serve the counters; does nothing the second time."""
    with suppress(SettingsError):
        settings = read_settings()
        logs.configure(settings.log)
        if settings.metrics:
            METRICS.serve(*settings.metrics)


@st.cache_resource(show_spinner=False)
def visited() -> None:
    """At the first visit: the web server has set up a log of its own by now, which is brought into line."""
    with suppress(SettingsError):
        logs.configure(read_settings().log)


def take_turns() -> None:
    """At each page: share the interpreter finely where many visits are open, and coarsely where few are."""
    sys.setswitchinterval(TURN_OF_FEW if (visits() or 0) <= FEW else TURN_OF_MANY)


def visits() -> int | None:
    """Browser tabs that are connected; None where there is no server, as in tests."""
    if not Runtime.exists():
        return None
    stats = Runtime.instance().stats_mgr.get_stats([ACTIVE_SESSIONS_FAMILY])
    found = stats.get(ACTIVE_SESSIONS_FAMILY, ())
    return sum(stat.value for stat in found if isinstance(stat, GaugeStat))
