"""Every source of guesses and every policy against standard decoding: `python -m tools.benchmark_sources`.

Greedy, one process, the same weights and dtype for all, the prompts of `tools.benchmark` and three that repeat
themselves. All ways take turns prompt by prompt. Where Transformers has the same kind of drafter, its generation is
timed on the same inputs: assisted, prompt lookup, early exit.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

from core.settings import configure_threads

if TYPE_CHECKING:
    from core.models import ModelPair
    from tools.benchmark_run import Prompt, Run

REPEATING = (
    "Repeat this sentence three times: The old lighthouse keeper counts the ships before breakfast.",
    "Copy this list exactly, twice: apples, pears, plums, cherries, peaches, grapes, figs.",
    'Write the line "I will not talk in class." six times.',
)
GOALS = {"repeat": 1.8, "code": 1.6, "chat": 1.3}
"""What the best source is to reach on texts of a kind."""
NEVER_BELOW = 0.97
"""What the goodput policy is to keep on the worst text."""
COUNTERPARTS = {"draft": "assisted", "lookup": "prompt lookup", "early_exit": "early exit"}


@dataclass(frozen=True)
class Row:
    """One way to decode. Speed-ups are medians against standard decoding, by kind of text; `worst` the lowest of all.

    `over_theirs` is the median of Transformers' time a token over ours, where it has the same drafter. Bytes are
    weights beyond the target's.
    """

    name: str
    alpha: float | None
    tau: float
    c: float | None
    memory: int
    speedups: dict[str, float]
    worst: float
    same_text: bool
    over_theirs: float | None = None


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print a table or JSON."""
    parser = argparse.ArgumentParser(prog="python -m tools.benchmark_sources", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--preset", default="bundled")
    parser.add_argument("--tokens", type=int, default=48, help="longest answer, in tokens")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--gamma", type=int, default=3)
    parser.add_argument("--ours-only", action="store_true", help="leave Transformers out")
    options = parser.parse_args(arguments)
    configure_threads()
    rows = benchmark(options)
    print(json.dumps([asdict(r) for r in rows], indent=2, ensure_ascii=False) if options.json else report(rows))


def benchmark(options: argparse.Namespace) -> list[Row]:
    """Load the pair and Transformers' copies of it, and time everything."""
    from core.models import load_pair
    from core.serving.opening import facts
    from tools.benchmark_run import Prompt, progress, read_prompts

    pair = load_pair(options.preset)
    prompts = [*read_prompts()[0], *(Prompt("repeat", text) for text in REPEATING)]
    memory: dict[str, int] = dict(facts(pair).drafter_bytes)
    ours = contenders(pair, list(memory), options.tokens, options.gamma)
    others = {} if options.ours_only else theirs(pair, options.preset, options.tokens, options.gamma)
    ways = {**ours, **{f"theirs: {name}": way for name, way in others.items()}}
    runs: dict[str, dict[Prompt, list[Run]]] = {name: {p: [] for p in prompts} for name in ways}
    for way in ways.values():
        way(prompts[0])
    names = list(ways)
    for repeat in range(options.repeats):
        for i, prompt in enumerate(prompts):
            progress(f"repeat {repeat + 1} of {options.repeats}, prompt {i + 1} of {len(prompts)}")
            first = (repeat + i) % len(names)
            for name in names[first:] + names[:first]:
                runs[name][prompt].append(ways[name](prompt))
    progress("")
    drafter = {name: name.split(",")[0] for name in ours}
    return [
        row(name, runs[name], runs["standard"], memory[source], runs.get(f"theirs: {COUNTERPARTS.get(name)}"))
        for name, source in drafter.items()
        if source in memory
    ]


def contenders(pair: ModelPair, drafters: Sequence[str], tokens: int, gamma: int) -> dict[str, Callable[[Prompt], Run]]:
    """Standard decoding, each drafter at the same γ, and each policy with the draft model."""
    from dataclasses import replace

    from core.decoding import DecodeRequest
    from core.decoding.request import POLICY_NAMES
    from tools.benchmark_run import traced

    unpadded = replace(pair, width=None, padding_cost=1.0)

    def way(of: ModelPair, **how: Any) -> Callable[[Prompt], Run]:
        return lambda prompt: traced(of, DecodeRequest(prompt.text, max_new_tokens=tokens, gamma=gamma, **how))

    found = {"standard": way(unpadded, method="standard")}
    found |= {name: way(pair, drafter=name) for name in drafters}
    return found | {f"draft, {name}": way(pair, policy=name) for name in POLICY_NAMES if name != "fixed"}


def theirs(pair: ModelPair, preset: str, tokens: int, gamma: int) -> dict[str, Callable[[Prompt], Run]]:
    """Transformers' own counterparts of the drafters that it has."""
    from core.decoding.drafters.early_exit import exit_layer
    from tools.benchmark_run import transformers_way

    way, draft = transformers_way(pair, preset, tokens, gamma)
    return {
        "assisted": way(assistant_model=draft),
        "prompt lookup": way(prompt_lookup_num_tokens=gamma),
        "early exit": way(assistant_early_exit=exit_layer(pair.target)),
    }


def row(
    name: str,
    runs: Mapping[Prompt, Sequence[Run]],
    standard: Mapping[Prompt, Sequence[Run]],
    memory: int,
    counterpart: Mapping[Prompt, Sequence[Run]] | None,
) -> Row:
    """A way's figures over all prompts."""
    traces = [run.trace for made in runs.values() for run in made[:1] if run.trace]
    gains: dict[str, list[float]] = {}
    for prompt, made in runs.items():
        gains.setdefault(prompt.kind, []).append(_token(standard[prompt]) / _token(made))
    accepted, examined = sum(t.accepted for t in traces), sum(t.accepted + t.rejected for t in traces)
    costs = [t.c_hat for t in traces if t.c_hat is not None]
    calls = [_call(counterpart[p]) / _call(made) for p, made in runs.items()] if counterpart else None
    return Row(
        name,
        accepted / examined if examined else None,
        fmean(t.tau for t in traces if t.tau is not None),
        median(costs) if costs else None,
        memory,
        {kind: median(of_kind) for kind, of_kind in gains.items()},
        min(min(of_kind) for of_kind in gains.values()),
        all(runs[p][0].tokens == standard[p][0].tokens for p in runs),
        median(calls) if calls else None,
    )


def _token(made: Sequence[Run]) -> float:
    """Seconds a token from the first token on, the median of the repeats."""
    return median(run.trace.seconds / (len(run.tokens) - 1) for run in made if run.trace)


def _call(made: Sequence[Run]) -> float:
    """Seconds a token, prompt pass included."""
    return median(run.per_token for run in made)


def report(rows: Sequence[Row]) -> str:
    """The rows as a table, and what was to be reached."""
    kinds = list(rows[0].speedups)
    head = "".join(f"{kind:>8}" for kind in kinds)
    lines = [f"{'':20} {'α̂':>6} {'τ':>5} {'ĉ':>6} {'MB':>6}{head}   worst  theirs  text"]
    for r in rows:
        figures = "".join(f"{r.speedups[kind]:8.2f}" for kind in kinds)
        lines.append(
            f"{r.name:20} {_or_dash(r.alpha)} {r.tau:5.2f} {_or_dash(r.c)} {r.memory / 1e6:6.1f}{figures}"
            f"{r.worst:8.2f}   {_or_dash(r.over_theirs)}  {'same' if r.same_text else 'DIFFERS'}"
        )
    lines.append("")
    for kind, goal in GOALS.items():
        reached, name = max((r.speedups[kind], r.name) for r in rows)
        lines.append(f"{_met(reached >= goal)} best source on {kind}: {name}, {reached:.2f} (to reach: {goal})")
    goodput = next(r for r in rows if r.name.endswith("goodput"))
    kept = goodput.worst >= NEVER_BELOW
    lines.append(f"{_met(kept)} goodput on the worst text: {goodput.worst:.2f} (to reach: {NEVER_BELOW})")
    for r in rows:
        if r.over_theirs is not None:
            other = COUNTERPARTS[r.name]
            lines.append(
                f"{_met(r.over_theirs >= 1)} {r.name} against Transformers’ {other}: {r.over_theirs:.2f} (to reach: 1)"
            )
    return "\n".join(lines)


def _met(met: bool) -> str:
    return "met    " if met else "NOT met"


def _or_dash(value: float | None) -> str:
    return "    –" if value is None else f"{value:5.2f}"


if __name__ == "__main__":
    main()
