"""A component's stylesheet and script, each joined from its files with what components share."""

from __future__ import annotations

import json
from pathlib import Path

from ui.palette import LOOKS, css_variables

HERE = Path(__file__).parent


def stylesheet(*files: str) -> str:
    """The palette, then the named files of this folder."""
    return css_variables() + _joined(files)


def script(*files: str) -> str:
    """The words and glyphs of the states, then the named files: one module, so only the last may export."""
    looks = {state: {"word": look.word, "glyph": look.glyph} for state, look in LOOKS.items()}
    return f"const LOOKS = {json.dumps(looks)};\n" + _joined(files)


def _joined(files: tuple[str, ...]) -> str:
    return "\n".join((HERE / name).read_text(encoding="utf-8") for name in files)
