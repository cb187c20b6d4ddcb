"""The palette's promises: readable, told apart without colour, and the same as the themes'."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from ui.page import _READABLE
from ui.palette import BACKGROUND, LOOKS, MUTED, PARTS, STATES, Tone, contrast, css_variables

ROOT = Path(__file__).resolve().parents[2]
TONES: dict[str, Tone] = dict([*((state, look.tone) for state, look in LOOKS.items()), *PARTS.items()])
THEME = tomllib.loads((ROOT / ".streamlit/config.toml").read_text())["theme"]


def test_contrast_is_the_published_measure() -> None:
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("name", TONES)
def test_text_is_readable_on_every_ground_it_stands_on(name: str) -> None:
    tone = TONES[name]
    for theme, colour, tint in (("light", tone.light, tone.tint_light), ("dark", tone.dark, tone.tint_dark)):
        card = THEME[theme]["secondaryBackgroundColor"]
        for ground in (BACKGROUND[theme], card, tint):
            assert contrast(colour, ground) >= 4.5, (theme, ground)


@pytest.mark.parametrize("name", TONES)
def test_marks_show_on_both_backgrounds(name: str) -> None:
    assert min(contrast(TONES[name].mark, ground) for ground in BACKGROUND.values()) >= 3


def test_themes_are_the_palettes() -> None:
    assert {theme: THEME[theme]["backgroundColor"] for theme in BACKGROUND} == BACKGROUND
    for theme in BACKGROUND:
        assert contrast(THEME[theme]["textColor"], BACKGROUND[theme]) >= 7
        assert contrast(THEME[theme]["linkColor"], BACKGROUND[theme]) >= 4.5
        assert contrast("#FFFFFF", THEME[theme]["primaryColor"]) >= 4.5
        assert THEME[theme]["chartCategoricalColors"][:3] == [PARTS[part].mark for part in ("p", "q", "residual")]


def test_captions_are_readable() -> None:
    """Streamlit's own captions are the text's colour at 60 %: 4.1 to 1 on the light ground."""
    assert f"stCaptionContainer] p {{ color: light-dark({MUTED.light}, {MUTED.dark}); opacity: 1; }}" in _READABLE
    for theme, colour in (("light", MUTED.light), ("dark", MUTED.dark)):
        for ground in (BACKGROUND[theme], THEME[theme]["secondaryBackgroundColor"]):
            assert contrast(colour, ground) >= 4.5, (theme, ground)


def test_every_state_has_a_word_and_a_shape_of_its_own() -> None:
    assert set(LOOKS) == set(STATES)
    for field in ("word", "shape"):
        assert len({getattr(look, field) for look in LOOKS.values()}) == len(LOOKS)


def test_stylesheet_holds_every_tone_in_both_themes() -> None:
    css = css_variables()
    for name, tone in TONES.items():
        assert re.search(rf"--{name}: light-dark\({tone.light}, {tone.dark}\)", css)


def test_fonts_are_streamlits_own() -> None:
    assert {THEME[key] for key in ("font", "headingFont", "codeFont")} == {"sans-serif", "serif", "monospace"}
