"""Part II in human terms: a junior drafts ahead, a senior approves in one look."""

from __future__ import annotations

import streamlit as st

from ui.palette import css_variables

_PICTURE = """<svg viewBox="0 0 760 250" role="img" aria-label="A junior at a desk writes a page of guesses. A senior \
looks at it once, ticks two words, mends the third and strikes the fourth out.">
<g class="figure junior"><circle cx="92" cy="72" r="25"/><path d="M48 168 q0 -60 44 -60 q44 0 44 60"/></g>
<path class="desk" d="M24 172 H216 M44 172 V226 M196 172 V226"/>
<path class="pen" d="M128 152 l34 -30 l8 9 l-34 30 z"/>
<text class="who junior" x="120" y="246">junior: the draft</text>
<g class="page"><rect x="270" y="46" width="220" height="140" rx="10"/>
<path class="guess" d="M292 82 h66 M376 82 h88 M292 118 h80 M390 118 h66"/>
<path class="tick" d="M292 94 h66 M376 94 h88"/><path class="tick" d="M318 64 l6 7 l12 -14 M414 64 l6 7 l12 -14"/>
<rect class="mend" x="287" y="105" width="92" height="26" rx="6"/><path class="strike" d="M384 118 h78"/>
<path class="next" d="M292 156 h38 M344 156 h38 M396 156 h38"/></g>
<path class="flow" d="M222 112 h38 m-9 -7 l9 7 l-9 7 M500 112 h38 m-9 -7 l9 7 l-9 7"/>
<g class="figure senior"><circle cx="668" cy="72" r="25"/><path d="M624 168 q0 -60 44 -60 q44 0 44 60"/>
<path d="M650 70 h14 m8 0 h14 M664 70 q4 -5 8 0" /></g>
<path class="desk" d="M544 172 H736 M564 172 V226 M716 172 V226"/>
<path class="stamp" d="M574 164 h40 v-8 h-13 v-18 h-14 v18 h-13 z"/>
<text class="who senior" x="640" y="246">senior: the target</text>
</svg>"""

_STYLE = """
svg { width: 100%; max-width: 60rem; display: block; font-family: var(--st-font); }
svg * { fill: none; stroke: var(--st-text-color); stroke-width: 2.5; stroke-linecap: round; stroke-linejoin: round; }
.junior * , .pen { stroke: var(--q-mark); } .senior *, .stamp { stroke: var(--p-mark); }
.junior circle, .junior path, .pen { fill: var(--q-tint); } .senior circle, .stamp { fill: var(--p-tint); }
.desk { opacity: 0.55; } .page rect:first-child { fill: var(--st-background-color); stroke-opacity: 0.45; }
.page .guess { stroke-width: 7; opacity: 0.5; } .page .tick { stroke: var(--kept-mark); }
.page .mend { stroke: var(--correction-mark); } .page .strike { stroke: var(--discarded-mark); stroke-width: 3.5; }
.page .next { stroke: var(--q-mark); stroke-width: 6; stroke-dasharray: 1 10; }
.flow { opacity: 0.7; }
.who { stroke: none; fill: var(--st-text-color); font-size: 19px; font-weight: 600; text-anchor: middle; }
"""

_desk = st.components.v2.component("desk_picture", html=_PICTURE, css=css_variables() + _STYLE)


def desk_picture() -> None:
    """Draw the picture."""
    _desk(key="desk-picture")
