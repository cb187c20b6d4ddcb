"""Part IV's picture: texts as places on a coast, above or under the sea level of standard decoding."""

from __future__ import annotations

import streamlit as st

from ui.palette import css_variables

_PICTURE = """<svg viewBox="0 0 760 262" role="img" aria-label="A coast. The sea stands at the pace of standard \
decoding. A text that is easy to guess is a hill above it, a text that is hard to guess lies under water, and a boat \
floats at sea level: drafting switched off.">
<path class="land" d="M-6 270 V215 C70 206 96 150 150 132 S232 60 290 66 S372 128 410 150 S486 226 552 226
 S690 202 766 216 V270 Z"/>
<rect class="sea" x="0" y="160" width="760" height="102"/>
<path class="level" d="M0 160 q10 -7 20 0 t20 0 t20 0 t20 0 t20 0 t20 0 t20 0 t20 0 t20 0 t20 0 t20 0 t20 0 t20 0 t20 0
 t20 0 t20 0 t20 0 t20 0 t20 0 t20 0 t20 0 t20 0 t20 0 t20 0 t20 0 t20 0 t20 0 t20 0 t20 0 t20 0 t20 0 t20 0 t20 0 t20 0
 t20 0 t20 0 t20 0 t20 0"/>
<g class="high"><path d="M290 66 V22 l34 10 l-34 11"/><text x="334" y="40">easy to guess: faster</text></g>
<g class="low"><path d="M552 226 V190 l30 9 l-30 9"/><text x="592" y="208">hard to guess: slower</text></g>
<g class="boat"><path d="M596 146 h74 l-13 20 h-46 z M632 146 V98 l30 40 h-30"/><text x="682" y="136">switched</text>
<text x="682" y="156">off</text></g>
<text class="mark" x="428" y="143">1.0: standard decoding</text>
</svg>"""

_STYLE = """
svg { width: 100%; max-width: 60rem; display: block; font-family: var(--st-font); }
svg path { fill: none; stroke: var(--st-text-color); stroke-width: 2.5; stroke-linecap: round; stroke-linejoin: round; }
.land { fill: var(--correction-tint); stroke-opacity: 0.45; }
.sea { fill: var(--bonus-mark); opacity: 0.22; }
.level { stroke: var(--bonus-mark); stroke-width: 4; }
.high path { stroke: var(--kept-mark); fill: var(--kept-tint); stroke-width: 4; }
.low path { stroke: var(--correction-mark); fill: var(--correction-tint); stroke-width: 4; }
.boat path { fill: var(--st-background-color); }
text { fill: var(--st-text-color); font-size: 18px; font-weight: 600; }
.mark { font-size: 16px; }
"""

_shore = st.components.v2.component("shore_picture", html=_PICTURE, css=css_variables() + _STYLE)


def shore_picture() -> None:
    """Draw the picture."""
    _shore(key="shore-picture")
