"""The front door: page config, the pages by part, and the page that was asked for."""

import streamlit as st

from ui import start
from ui.memory import remember
from ui.navigation import TITLE, navigate
from ui.page import ICON, style

st.set_page_config(page_title=TITLE, page_icon=ICON, layout="wide", initial_sidebar_state=310)
start.visited()
start.take_turns()
style()
navigate().run()
remember()
