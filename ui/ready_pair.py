"""The pair in chapter 15's hand: chosen from the presets, or two local folders where a setting allows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from core.models.presets import Preset, find_preset, presets
from core.settings import Settings
from ui import ready, visit
from ui.page import tell_unreadable

if TYPE_CHECKING:
    from core.models.compat import ModelFacts, PairReport
    from core.models.runtimes import Runtime


LOADED, FOLDERS = "loaded", "folders"
TARGET_FOLDER = visit.Control("target_folder", "", visit.text)
DRAFT_FOLDER = visit.Control("draft_folder", "", visit.text)


@dataclass(frozen=True)
class Pair:
    """What can be said of the chosen pair; `loaded` where it is the one that the lab runs."""

    report: PairReport
    runtimes: tuple[Runtime, ...]
    loaded: bool


def choose(page: str, settings: Settings) -> Pair:
    """Draw the choice and look at the pair that was chosen.

    Raises:
        ModelError: one sentence on what is not here or can't be read.
    """
    from core.models.outline import folders_preset

    offered = choices(settings)
    control = pair_control(offered)
    chosen = st.selectbox("Pair", list(offered), format_func=lambda c: offered[c], **visit.bind(control, page))
    tell_unreadable(control)
    if chosen == FOLDERS:
        with st.container(horizontal=True, gap="medium"):
            target, draft = (
                st.text_input(label, placeholder="/models/…", **visit.bind(folder, page)) or ""
                for label, folder in (("The target's folder", TARGET_FOLDER), ("The draft's folder", DRAFT_FOLDER))
            )
        preset = folders_preset(target, draft)
    else:
        preset = preset_of(chosen, settings)
    report, runtimes = _looked_at(preset, str(settings.cache))
    return Pair(report, runtimes, chosen == control.default)


def choices(settings: Settings) -> dict[str, str]:
    """The pairs to choose from, by name: the loaded one first."""
    found = {name: preset.title for name, preset in presets().items()}
    first = settings.preset if settings.preset in found else LOADED
    title = found.get(first) or find_preset(settings.preset).title
    found = {first: f"{title} (loaded here)", **{name: words for name, words in found.items() if name != first}}
    return {**found, FOLDERS: "Two folders of this machine …"} if settings.folders else found


def pair_control(offered: dict[str, str]) -> visit.Control[str]:
    """Which pair; the loaded one at first."""
    return visit.Control("pair", next(iter(offered)), visit.one_of(*offered))


def preset_of(chosen: str, settings: Settings) -> Preset:
    """The preset behind a choice that is not two folders.

    Raises:
        ModelError: when the settings name a pair that is not there.
    """
    return find_preset(settings.preset if chosen == LOADED else chosen)


@st.cache_resource(show_spinner="Reading configurations and tokenizers …", max_entries=16, ttl=600)
def _looked_at(preset: Preset, cache: str) -> tuple[PairReport, tuple[Runtime, ...]]:
    from core.models.compat import examine
    from core.models.runtimes import runtimes

    report = examine(preset, Path(cache))
    return report, runtimes(report)


def described(facts: ModelFacts, role: str) -> str:
    """A model in one line."""
    size = facts.size
    millions = size.weights / 1e6
    weights = f"{millions / 1000:.2f} billion" if millions >= 1000 else f"{millions:.0f} million"
    here = "" if facts.here else " (by its configuration: the weights are not here)"
    return (
        f"**{role}:** {ready.plain(facts.name)} · {facts.kind} · {weights} weights{here} · {size.layers} layers · "
        f"width {facts.width:,} · {facts.vocabulary:,} tokens"
    )


def sources(found: Sequence[Runtime]) -> str:
    """Where the runtimes' rules are written down, and which pairs their guides use."""
    named = "; ".join(f"{r.name}: {r.source}" for r in found)
    return (
        f"By what they document, and provided that they know both models; versions change. {named}. Pairs in their "
        "guides: SmolLM-1.7B with SmolLM-135M (Transformers), Qwen3-8B with Qwen3-0.6B (vLLM)."
    )
