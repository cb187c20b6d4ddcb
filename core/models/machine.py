"""What is measured once a machine: which dtype is fastest here, what padding costs, whether grouping shows."""

from __future__ import annotations

import json
import os
import platform
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from time import perf_counter

import torch
import transformers
from transformers import PreTrainedModel

from core.cached_file import keep
from core.models.pair import Costs, Identity
from core.models.reader import Reader

REPEATS = 7
NOISE = 1.5
"""A median this many times the quickest pass says that the machine was busy: such findings are not kept."""
PROBE_LENGTH = 64
GROUPINGS = ((1,), (2,), (3,), (4, 1), (5,), (7, 2))
"""Ways to cut the same text into passes, repeated to its end."""


@dataclass(frozen=True)
class Findings:
    """What was measured for one pair on one machine. Times in seconds."""

    dtype: str
    costs: Costs
    padding_cost: float
    identity: Identity


def machine_key(preset: str, device: torch.device, dtype: str | None, width: int | None) -> str:
    """Names the machine, the versions and the pair that findings belong to."""
    chip = torch.cuda.get_device_name(device) if device.type == "cuda" else _processor()
    parts = (preset, chip, os.cpu_count(), torch.get_num_threads(), torch.__version__, transformers.__version__)
    return "|".join(str(x) for x in (*parts, dtype or "auto", "own" if width is None else width))


def read_findings(path: Path, key: str) -> Findings | None:
    """Findings made earlier under this key; None when there are none, or the file is damaged."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))[key]
        return Findings(
            dtype=found["dtype"],
            costs=Costs(**found["costs"]),
            padding_cost=float(found["padding_cost"]),
            identity=Identity(**found["identity"]),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write_findings(path: Path, key: str, findings: Findings) -> None:
    """Add findings to the file: written aside and renamed. A full or read-only disk only means measuring again."""
    try:
        known = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        known = {}
    keep(path, json.dumps({**known, key: asdict(findings)}, indent=1), "What was measured")


@dataclass(frozen=True)
class Times:
    """Median seconds of a pass over n positions, by n. `steady` is False where something else kept the machine busy."""

    median: dict[int, float]
    steady: bool


def pass_times(model: PreTrainedModel, lengths: tuple[int, ...]) -> Times:
    """Time passes over n new positions after a short text, for each n in turns."""
    reader = Reader(model)
    reader.read(_text(model))
    times: dict[int, list[float]] = {n: [] for n in lengths}
    for _ in range(REPEATS + 1):
        for n in lengths:
            began = perf_counter()
            reader.extend(_text(model)[:n])
            if model.device.type == "cuda":
                torch.cuda.synchronize(model.device)
            times[n].append(perf_counter() - began)
            reader.crop(PROBE_LENGTH)
    # The first turn pays for memory that later ones reuse.
    medians = {n: median(t[1:]) for n, t in times.items()}
    return Times(medians, all(medians[n] < NOISE * min(t) for n, t in times.items()))


def check_identity(model: PreTrainedModel, width: int | None) -> Identity:
    """Compare a text's logits over several groupings into passes, to the last bit."""
    text, reference, worst = _text(model), None, 0.0
    for grouping in GROUPINGS:
        reader, rows, at, turn = Reader(model, width), [], 8, 0
        reader.read(text[:at])
        while at < PROBE_LENGTH:
            n = min(grouping[turn % len(grouping)], PROBE_LENGTH - at)
            rows.append(reader.extend(text[at : at + n]))
            at, turn = at + n, turn + 1
        logits = torch.cat(rows).float()
        reference = logits if reference is None else reference
        worst = max(worst, float((logits - reference).abs().max()))
    return Identity(bitwise=worst == 0.0, worst=worst)


def _text(model: PreTrainedModel) -> list[int]:
    generator = torch.Generator().manual_seed(20)
    return torch.randint(0, min(model.config.vocab_size, 30_000), (PROBE_LENGTH,), generator=generator).tolist()


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        found = {k.strip(): v.strip() for k, _, v in (line.partition(":") for line in lines)}
        return f"{found.get('model name')} {found.get('cpu family')}.{found.get('model')}"
    except OSError:
        return platform.processor() or platform.machine()
