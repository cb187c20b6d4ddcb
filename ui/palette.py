"""Every colour that means something, with the word and the shape that say the same.

Hues follow Okabe and Ito's set, which stays apart for colour-blind eyes; the shape of each
state (underline, box, dashes, strike) tells it without any colour. Components get these as CSS
variables, figures as the `mark` of each tone. The themes in `.streamlit/config.toml` agree with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

State = Literal["plain", "prompt", "kept", "correction", "bonus", "discarded", "pending", "marked", "same", "different"]
Part = Literal["p", "q", "residual"]

STATES: tuple[State, ...] = get_args(State)


@dataclass(frozen=True)
class Tone:
    """One meaning's colours.

    `light` and `dark` are readable as text on that theme's background and on the tint; `mark` is one
    colour for bars and lines that shows on both backgrounds, since a figure is not told the theme.
    """

    light: str
    dark: str
    tint_light: str
    tint_dark: str
    mark: str

    @property
    def text(self) -> str:
        """The readable colour of either theme, as a style sheet says it."""
        return f"light-dark({self.light}, {self.dark})"


@dataclass(frozen=True)
class Look:
    """How a token's state is shown and named. `shape` is what a reader sees without colour."""

    word: str
    glyph: str
    shape: str
    tone: Tone


BACKGROUND = {"light": "#FBF9F4", "dark": "#14161A"}

INK = Tone("#20242B", "#ECE8DF", "#F1ECE1", "#262B32", "#7F7B73")
MUTED = Tone("#68635A", "#A5A198", "#F1ECE1", "#262B32", "#7F7B73")
BLUE = Tone("#00629B", "#6CB8EE", "#DCEBF5", "#16324A", "#0072B2")
AMBER = Tone("#855000", "#EDB04A", "#F8EBD2", "#3B2D12", "#C47A00")
PURPLE = Tone("#93386F", "#E8A3CB", "#F6E3EE", "#3D2233", "#B85C92")
GREEN = Tone("#00674A", "#4ECFA4", "#DDF0E8", "#12352A", "#009E73")
VERMILION = Tone("#A84300", "#FF9C66", "#FBE5D8", "#42230F", "#D55E00")
SKY = Tone("#1B5E8C", "#8CCBF5", "#DFEEF8", "#173448", "#3C8FC4")
CRIMSON = Tone("#A3174B", "#FF94B4", "#FAE1E9", "#43192A", "#D1487A")

LOOKS: dict[State, Look] = {
    "plain": Look("written", "", "no mark", INK),
    "prompt": Look("prompt", "", "grey", MUTED),
    "kept": Look("guess kept", "✓", "solid underline", GREEN),
    "correction": Look("correction", "✎", "solid box", VERMILION),
    "bonus": Look("bonus", "+", "dashed box", SKY),
    "discarded": Look("guess dropped", "✕", "struck through", MUTED),
    "pending": Look("guess, not checked yet", "?", "dotted underline, slanted", AMBER),
    "marked": Look("unlikely", "!", "wavy underline", CRIMSON),
    "same": Look("same choice", "●", "filled dot below", GREEN),
    "different": Look("different choice", "○", "open dot below", VERMILION),
}

PARTS: dict[Part, Tone] = {"p": BLUE, "q": AMBER, "residual": PURPLE}
"""p is the target's colour and q the draft's, for their calls as well as their distributions."""


def css_variables() -> str:
    """The palette as custom properties for a component's stylesheet, light and dark in one."""
    tones = [*((state, look.tone) for state, look in LOOKS.items()), *PARTS.items()]
    lines = [
        f"--{name}: {tone.text}; --{name}-tint: light-dark({tone.tint_light}, {tone.tint_dark}); "
        f"--{name}-mark: {tone.mark};"
        for name, tone in tones
    ]
    return ":host {\n" + "\n".join(lines) + "\n}\n"


def contrast(one: str, other: str) -> float:
    """WCAG contrast ratio of two `#RRGGBB` colours, from 1 to 21."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
