"""What a server does once, when it starts: its log, and its counters for whoever watches it.

With settings that make no sense none of it is done: loading the models says what is wrong with them.
"""

from __future__ import annotations

import sys
from contextlib import suppress

import streamlit as st

from core import logs
from core.serving.metrics import METRICS
from core.settings import SettingsError, read_settings

TURN = 0.02
"""Seconds that a thread may hold the interpreter while others wait: most pages' answers to a slider take less. So a
page's many small messages leave together, and the browser draws the page once for them and not several times. (With
Python's own 5 ms, or with less, the thread that sends cuts in between.)"""


@st.cache_resource(show_spinner=False)
def once() -> None:
    """Set the log up, serve the counters, and let a page's script finish before others; does nothing the second time."""
    sys.setswitchinterval(TURN)
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
