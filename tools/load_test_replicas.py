"""What a second pair gives: runs a minute with one pair in this process, and with Ray's replicas on this machine.

    python -m tools.load_test_replicas [--replicas 1 2] [--runs 12] [--tokens 48] [--json]

All runs are asked for at once, each with a seed of its own, so that none is shared. On one machine the replicas share
its cores, each with one thread: what a second machine would give is more than what is found here. Needs
requirements-ray.txt.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, dataclass, replace
from time import perf_counter

from core.decoding.request import DecodeRequest
from core.serving.protocol import Engine, EngineError
from core.settings import read_settings
from ui import content


@dataclass(frozen=True)
class Rate:
    """What so many pairs wrote, and the seconds that took."""

    name: str
    runs: int
    tokens: int
    seconds: float


def measure(engine: Engine, name: str, runs: int, tokens: int) -> Rate:
    """Ask for so many runs at once, after one for each pair that nobody times.

    Raises:
        EngineError: when one of them fails.
    """
    prompts = [prompt.text for prompt in content.prompts() if prompt.chat]
    asked = [
        DecodeRequest(prompts[i % len(prompts)], temperature=1.0, max_new_tokens=tokens, seed=i) for i in range(runs)
    ]
    for ticket in [engine.submit(replace(request, max_new_tokens=8)) for request in asked]:
        ticket.wait()
    began = perf_counter()
    written = 0
    for ticket in [engine.submit(request) for request in asked]:
        snapshot = ticket.wait()
        if snapshot.trace is None:
            raise EngineError(snapshot.error or "A run failed.")
        written += len(snapshot.trace.tokens)
    return Rate(name, runs, written, perf_counter() - began)


def with_replicas(pairs: int, runs: int, tokens: int) -> Rate:
    """Start so many replicas on this machine, measure, and stop them.

    Raises:
        SettingsError: where Ray is not installed.
        EngineError: when a run fails.
    """
    from core.serving.opening import open_engine

    settings = replace(read_settings(), engine="ray", replicas=pairs)
    opened = open_engine(settings, lambda fraction, words: None)
    try:
        return measure(opened.engine, f"Ray, {pairs} pair{'s' * (pairs > 1)}", runs, tokens)
    finally:
        opened.engine.close()
        stop()


def stop() -> None:
    """Stop this machine's replicas and what Ray started for them."""
    import ray
    from ray import serve

    serve.shutdown()
    ray.shutdown()


def here(runs: int, tokens: int) -> Rate:
    """Measure one pair in this process.

    Raises:
        EngineError: when a run fails.
    """
    from core.serving.opening import open_engine

    opened = open_engine(replace(read_settings(), engine="local"), lambda fraction, words: None)
    try:
        return measure(opened.engine, "one pair, without Ray", runs, tokens)
    finally:
        opened.engine.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replicas", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--runs", type=int, default=12)
    parser.add_argument("--tokens", type=int, default=48)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    rates = [here(given.runs, given.tokens)]
    rates += [with_replicas(pairs, given.runs, given.tokens) for pairs in given.replicas]
    if given.json:
        print(json.dumps([asdict(rate) for rate in rates], indent=2))
        return
    print(f"{'':24} {'runs':>5} {'tokens':>7} {'seconds':>8} {'tokens/s':>9} {'runs/min':>9}")
    for r in rates:
        each = f"{r.tokens / r.seconds:9.1f} {60 * r.runs / r.seconds:9.1f}"
        print(f"{r.name:24} {r.runs:5} {r.tokens:7} {r.seconds:8.1f} {each}")


if __name__ == "__main__":
    main()
