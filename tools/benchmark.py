"""The pair against standard decoding and against Transformers, on this machine: `python -m tools.benchmark`.

Twelve prompts of four kinds, greedy, one process, the same weights and dtype for everybody. Four contenders:
standard and speculative decoding of `core.decoding`, Transformers' `generate`, and its assisted generation at the
same draft length. They take turns prompt by prompt, so that a busy moment of the machine hits all alike; figures
are medians over the repeats. Standard decoding is the fastest there is: passes of one position, without padding.
The draft length is chosen by time on other prompts than those timed.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from core.settings import configure_threads, usable_cores
from tools.benchmark_report import (
    Figures,
    goals,
    medians_by_kind,
    prediction_error,
    predictions,
    recording,
    statement,
    table,
)

if TYPE_CHECKING:
    from core.models import ModelPair


@dataclass(frozen=True)
class Result:
    """A finished benchmark. `gamma_seconds`: draft length → seconds a token on the other prompts."""

    machine: dict[str, str | int | float]
    gamma: int
    gamma_seconds: dict[int, float]
    timed: list[Figures]
    predicted: list[float]

    def as_json(self) -> str:
        rows = [
            {**dataclasses.asdict(f), "speedup": f.speedup, "alpha": f.alpha, "c": f.c, "v": f.v, "predicted": p}
            for f, p in zip(self.timed, self.predicted, strict=True)
        ]
        content = {
            "machine": self.machine,
            "gamma": self.gamma,
            "gamma_seconds": self.gamma_seconds,
            "prompts": rows,
            "medians": medians_by_kind(self.timed, self.predicted),
            "prediction_error": prediction_error(self.timed, self.predicted),
            "goals": [{**dataclasses.asdict(goal), "met": goal.met} for goal in goals(self.timed, self.predicted)],
        }
        return json.dumps(content, indent=2, ensure_ascii=False)

    def as_text(self) -> str:
        tried = ", ".join(f"{gamma}: {1e3 * seconds:.1f}" for gamma, seconds in self.gamma_seconds.items())
        chosen = f"chosen on other prompts (γ: ms a token there: {tried})" if tried else "as given"
        parts = [
            "\n".join(f"{name}: {value}" for name, value in self.machine.items()),
            f"γ = {self.gamma} for all prompts, {chosen}",
            table(self.timed, self.predicted),
            recording(self.timed),
            "\n".join(statement(goal) for goal in goals(self.timed, self.predicted)),
        ]
        return "\n\n".join(parts)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print a table or JSON."""
    options = _options(arguments)
    configure_threads()
    result = benchmark(options.preset, options.tokens, options.repeats, options.gamma)
    print(result.as_json() if options.json else result.as_text())


def benchmark(preset: str, tokens: int, repeats: int, gamma: int | None) -> Result:
    """Load the pair and Transformers' copies of it, choose γ unless it is given, time everything."""
    # Not at the top of the file: the thread settings count only if they are made before torch is loaded.
    from core.models import load_pair
    from tools.benchmark_run import find_gamma, measure, ours, progress, read_prompts, theirs

    load = os.getloadavg()[0]
    pair = load_pair(preset)
    timed, others = read_prompts()
    gamma_seconds: dict[int, float] = {}
    if gamma is None:
        gamma, gamma_seconds = find_gamma(pair, others, tokens)
    contenders = {**ours(pair, tokens, gamma), **theirs(pair, preset, tokens, gamma)}
    for contender in contenders.values():
        contender(others[0])
    calibration = measure(contenders, others, 1, "other prompts")
    figures = measure(contenders, timed, repeats, "timed prompts")
    progress("")
    machine = describe(pair) | {"tokens": tokens, "repeats": repeats, "load before the start": round(load, 2)}
    return Result(machine, gamma, gamma_seconds, figures, predictions(figures, calibration, gamma))


def describe(pair: ModelPair) -> dict[str, str | int | float]:
    """The machine, the pair and the versions, as words and numbers."""
    import torch

    return {
        "processor": _processor(),
        "cores": usable_cores(),
        "threads": torch.get_num_threads(),
        "device": str(pair.device),
        "dtype": pair.dtype_name,
        "width of a pass": pair.width or "as needed",
        "target": pair.target_name,
        "draft": pair.draft_name,
        "versions": ", ".join(f"{name} {version(name)}" for name in ("torch", "transformers"))
        + f", Python {platform.python_version()}",
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.benchmark", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--preset", default="bundled", help="the pair, by its name in core/models/presets.toml")
    parser.add_argument("--tokens", type=int, default=64, help="longest answer, in tokens")
    parser.add_argument("--repeats", type=int, default=5, help="times every prompt is run")
    parser.add_argument("--gamma", type=int, help="draft length; chosen by time on other prompts if left out")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
