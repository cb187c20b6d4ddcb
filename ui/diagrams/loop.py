"""The loop of draft and verification as a picture that follows the theme and the draft length."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from ui.palette import css_variables

HERE = Path(__file__).parent

_loop = st.components.v2.component(
    "loop_diagram",
    html="""<div class="loop" role="img" aria-label="The loop: the draft writes ahead, one target pass checks, \
what holds is kept, the first miss is mended, the rest is dropped, and the draft starts again.">
<div class="step"><b>1 · Draft ahead</b><div class="row guesses"></div><p class="draft"></p></div>
<div class="arrow">→</div>
<div class="step"><b>2 · One target pass</b><div class="row checked"></div><p>Looks at all of them at once.</p></div>
<div class="arrow">→</div>
<div class="step"><b>3 · Keep, mend, drop</b><div class="row settled"></div><p>Up to the first miss.</p></div>
<div class="again"><span>↺</span> and again, after the longer text</div>
</div>""",
    css=css_variables() + (HERE / "loop.css").read_text(encoding="utf-8"),
    js=(HERE / "loop.js").read_text(encoding="utf-8"),
)


def loop_diagram(gamma: int, key: str) -> None:
    """Draw the loop with `gamma` guesses."""
    _loop(key=key, data={"gamma": gamma})
