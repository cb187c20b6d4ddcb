"""What a server does once, when it starts: its log, and its counters for whoever watches it."""

from __future__ import annotations

from contextlib import suppress

import streamlit as st

from core import logs
from core.serving.metrics import METRICS
from core.settings import SettingsError, read_settings


@st.cache_resource(show_spinner=False)
def once() -> None:
    """Set the log up and serve the counters. Does nothing the second time, nor with settings that make no sense:
    loading the models says what is wrong with them."""
    with suppress(SettingsError):
        settings = read_settings()
        logs.configure(settings.log)
        if settings.metrics:
            METRICS.serve(*settings.metrics)
