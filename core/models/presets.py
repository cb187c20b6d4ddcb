"""The table of pairs, and how a name is looked up in it."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from core.models.errors import ModelError

ROOT = Path(__file__).resolve().parents[2]
SEPARATOR = "::"


@dataclass(frozen=True)
class Preset:
    """One pair. Either `package` and `file` (a GGUF file inside a Python package) or `target` is given.

    `head` is the folder of a multi-token head for this target, if there is one.
    """

    name: str
    title: str
    draft: str
    target: str = ""
    target_name: str = ""
    draft_name: str = ""
    package: str = ""
    file: str = ""
    head: str = ""


@cache
def presets() -> dict[str, Preset]:
    """All pairs of presets.toml by name."""
    table = tomllib.loads(Path(__file__).with_name("presets.toml").read_text(encoding="utf-8"))
    return {name: Preset(name=name, **entry) for name, entry in table.items()}


def find_preset(name: str) -> Preset:
    """A pair by its name, or two local folders written as `TARGET::DRAFT`.

    Raises:
        ModelError: when there is no such pair or folder.
    """
    if SEPARATOR in name:
        target, draft = (str(Path(part).expanduser()) for part in name.split(SEPARATOR, 1))
        for folder in (target, draft):
            if not Path(folder).is_dir():
                raise ModelError(f"There is no folder {folder}: give two folders as TARGET{SEPARATOR}DRAFT.")
        return Preset(
            name="folders", title=f"{Path(target).name}, drafted by {Path(draft).name}", target=target, draft=draft
        )
    if name not in presets():
        raise ModelError(f"There is no pair called {name!r}: choose one of {', '.join(presets())}.")
    return presets()[name]


def resolve(reference: str) -> str:
    """A hub id as it is; a folder as an absolute path."""
    folder = ROOT / reference
    return str(folder) if folder.is_dir() else reference
