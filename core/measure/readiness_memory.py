"""Does a pair fit into a machine, and what else would its memory buy?

Weights may be stored in fewer bits than the caches: a quantised model still keeps its keys and values in 16 bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import psutil

from core.theory.memory import MemoryPlan, ModelSize

Fit = Literal["fits", "barely", "not"]

BITS = {"4 bits": 4.5, "8 bits": 8.5, "16 bits": 16.0, "32 bits": 32.0}
"""Bits that a weight takes, by precision. Those of 4 and 8 bits bring the scale that 32 weights share, as in
llama.cpp's Q4_0 and Q8_0."""
PRECISIONS = tuple(BITS)
OF_DTYPE = {"float32": "32 bits", "bfloat16": "16 bits", "float16": "16 bits"}


def higher(precision: str) -> str | None:
    """The next precision above, None above the highest."""
    above = PRECISIONS[PRECISIONS.index(precision) + 1 :]
    return above[0] if above else None


def plan(target: ModelSize, draft: ModelSize | None, *, context: int, precision: str) -> MemoryPlan:
    """Bytes of weights and caches at a text of `context` tokens; the caches have 16 bits a number, or 32 like the
    weights."""
    dtype = "float32" if precision == "32 bits" else "bfloat16"
    ours, theirs = (_bytes(size, context, precision, dtype) for size in (target, draft))
    return MemoryPlan(context, dtype, *ours, *theirs)


def _bytes(size: ModelSize | None, context: int, precision: str, dtype: str) -> tuple[int, int]:
    if size is None:
        return 0, 0
    return round(size.weights * BITS[precision] / 8), context * size.cache_bytes(dtype)


@dataclass(frozen=True)
class Row:
    """A plan by its name, and whether it fits."""

    name: str
    plan: MemoryPlan
    fit: Fit


def fit(need: int, there: int) -> Fit:
    """Whether so many bytes fit: with room for working space and the program, barely, or not at all."""
    from core.models.checks import HEADROOM  # brings torch along

    return "fits" if need * HEADROOM <= there else "barely" if need <= there else "not"


def rows(target: ModelSize, draft: ModelSize, *, context: int, longest: int, precision: str, there: int) -> list[Row]:
    """The pair at this length, the target alone, and what the target alone could have instead: a text twice as long
    (up to the `longest` it reads) or the next higher precision."""
    asked: list[tuple[str, ModelSize | None, int, str]] = [
        ("target alone", None, context, precision),
        ("target and draft", draft, context, precision),
    ]
    longer = min(2 * context, longest)
    if longer > context:
        asked.append((f"target alone, {longer:,} tokens", None, longer, precision))
    if above := higher(precision):
        asked.append((f"target alone, {above}", None, context, above))
    plans = [(name, plan(target, second, context=n, precision=p)) for name, second, n, p in asked]
    return [Row(name, made, fit(made.total, there)) for name, made in plans]


def tokens_instead(target: ModelSize, made: MemoryPlan) -> int:
    """Tokens of text that the target's cache could hold in the memory which the draft takes."""
    return made.draft // target.cache_bytes(made.dtype)


def machine_memory(device: str = "cpu") -> int:
    """Bytes of memory that this machine has: the GPU's for `cuda`, else the RAM, or what a container may have of it."""
    if device.startswith("cuda"):
        import torch

        return int(torch.cuda.get_device_properties(device).total_memory)
    total = int(psutil.virtual_memory().total)
    try:
        return min(total, int(Path("/sys/fs/cgroup/memory.max").read_text()))
    except (OSError, ValueError):
        return total
