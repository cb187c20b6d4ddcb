"""Requests that the target answers when it writes text for the draft; kinds and words stand in draft_prompts.toml."""

from __future__ import annotations

import random
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

WEIGHTS = {"code": 2.5, "translate": 0.6, "repeat": 0.6}
"""How often a kind is asked for in training, others 1.0: code is what drafting pays for most."""


@cache
def _tables() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def sample_prompt(rng: random.Random, held_out: bool = False) -> tuple[str, str]:
    """One (kind, user message); held-out kinds come equally often."""
    table = _tables()["held_out" if held_out else "train"]
    kinds = list(table["templates"])
    kind = rng.choices(kinds, [1.0 if held_out else WEIGHTS.get(k, 1.0) for k in kinds])[0]
    return kind, _filled(rng.choice(table["templates"][kind]), rng, table)


def sample_plain_start(rng: random.Random) -> str:
    """The beginning of a text outside any chat."""
    return _filled(rng.choice(_tables()["plain_starts"]), rng, _tables()["train"])


def _filled(template: str, rng: random.Random, table: dict[str, Any]) -> str:
    # Not str.format: templates may hold braces of their own.
    return template.replace("{t}", rng.choice(table["topics"])).replace("{c}", rng.choice(table["code_tasks"]))
