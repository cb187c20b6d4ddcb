"""The benchmark's contenders, and how they are timed against each other."""

from __future__ import annotations

import dataclasses
import sys
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from time import perf_counter
from typing import Any

import torch
from transformers import AutoModelForCausalLM, PreTrainedModel

from core.decoding import DecodeRequest, Trace, decode
from core.decoding.drafters import now
from core.decoding.prompt import prompt_tokens
from core.models import ModelPair, Preset
from core.models.draft_model import load_draft
from core.models.gguf import converted_target
from core.models.presets import find_preset, resolve
from core.settings import read_settings
from tools.benchmark_report import Figures, choose_gamma

PROMPTS = Path(__file__).with_name("benchmark_prompts.toml")
LONGEST_GAMMA = 6


@dataclass(frozen=True)
class Prompt:
    kind: str
    text: str


@dataclass(frozen=True)
class Run:
    """One answer: its tokens, the seconds it took (prompt pass included), and the trace where there is one.

    `wall` are the seconds until the answer was there, `seconds` those that count: a trace's own, or the same.
    """

    tokens: tuple[int, ...]
    seconds: float
    wall: float
    trace: Trace | None = None

    @property
    def per_token(self) -> float:
        return self.seconds / len(self.tokens)


Contender = Callable[[Prompt], Run]


def read_prompts() -> tuple[list[Prompt], list[Prompt]]:
    """The prompts to time, and the others."""
    kinds = tomllib.loads(PROMPTS.read_text(encoding="utf-8"))
    timed, others = (
        [Prompt(kind, text) for kind, lists in kinds.items() for text in lists[name]] for name in ("timed", "others")
    )
    return timed, others


def ours(pair: ModelPair, tokens: int, gamma: int) -> dict[str, Contender]:
    """Standard decoding without padding, and speculative decoding as the pair does it."""
    unpadded = dataclasses.replace(pair, width=None, padding_cost=1.0)

    def standard(prompt: Prompt) -> Run:
        return traced(unpadded, DecodeRequest(prompt.text, method="standard", max_new_tokens=tokens))

    def speculative(prompt: Prompt) -> Run:
        return traced(pair, DecodeRequest(prompt.text, gamma=gamma, max_new_tokens=tokens))

    return {"standard": standard, "speculative": speculative}


def traced(pair: ModelPair, request: DecodeRequest) -> Run:
    """A run of ours, timed."""
    began = perf_counter()
    trace = decode(pair, request)
    wall = perf_counter() - began
    return Run(tuple(trace.tokens), trace.prefill.target_time + trace.prefill.draft_time + trace.seconds, wall, trace)


def theirs(pair: ModelPair, preset: str, tokens: int, gamma: int) -> dict[str, Contender]:
    """Transformers' `generate` and its assisted generation, on copies of the pair as Transformers loads them."""
    with_options, draft = transformers_way(pair, preset, tokens, gamma)
    return {"transformers": with_options(), "assisted": with_options(assistant_model=draft)}


def transformers_way(
    pair: ModelPair, preset: str, tokens: int, gamma: int
) -> tuple[Callable[..., Contender], PreTrainedModel]:
    """What makes a contender of Transformers' `generate` with some options, and its copy of the draft."""
    target, draft = plain_models(pair, find_preset(preset))
    for model in (target, draft):
        # Assisted generation reads these from the drafting model's own configuration and from nowhere else.
        model.generation_config.num_assistant_tokens = gamma
        model.generation_config.num_assistant_tokens_schedule = "constant"
        model.generation_config.assistant_confidence_threshold = 0.0

    def generate(prompt: Prompt, **more: Any) -> Run:
        ids = torch.tensor([prompt_tokens(pair, prompt.text, chat=True)], device=pair.device)
        began = now(pair.device)
        answer = target.generate(
            ids,
            attention_mask=torch.ones_like(ids),
            do_sample=False,
            max_new_tokens=tokens,
            eos_token_id=sorted(pair.eos_ids),
            pad_token_id=min(pair.eos_ids),
            **more,
        )
        seconds = now(pair.device) - began
        return Run(tuple(answer[0, ids.shape[1] :].tolist()), seconds, seconds)

    return lambda **more: lambda prompt: generate(prompt, **more), draft


def plain_models(pair: ModelPair, preset: Preset) -> tuple[PreTrainedModel, PreTrainedModel]:
    """Target and draft once more, with Transformers' own attention and layers: assisted generation changes models."""

    def load(source: str) -> PreTrainedModel:
        return AutoModelForCausalLM.from_pretrained(source, dtype=pair.dtype, use_safetensors=True).to(pair.device)

    if not preset.package:
        return load(resolve(preset.target)).eval(), load(resolve(preset.draft)).eval()
    folder = converted_target(preset.package, preset.file, read_settings().cache, lambda fraction, words: None)
    target = load(str(folder)).eval()
    return target, load_draft(Path(resolve(preset.draft)), target, pair.dtype)


def find_gamma(
    pair: ModelPair, prompts: Sequence[Prompt], tokens: int, repeats: int = 2
) -> tuple[int, dict[int, float]]:
    """The draft length with the least time a token on `prompts`, and the mean time of each length tried."""
    longest = min(LONGEST_GAMMA, pair.width - 1) if pair.width else LONGEST_GAMMA
    contenders = {gamma: ours(pair, tokens, gamma)["speculative"] for gamma in range(1, longest + 1)}
    contenders[1](prompts[0])
    seconds: dict[int, list[float]] = {gamma: [] for gamma in contenders}
    for i, prompt in enumerate(prompts, 1):
        progress(f"choosing the draft length: prompt {i} of {len(prompts)}")
        turns = [{gamma: run(prompt).per_token for gamma, run in contenders.items()} for _ in range(repeats)]
        for gamma, times in seconds.items():
            times.append(median(turn[gamma] for turn in turns))
    return choose_gamma(seconds), {gamma: fmean(times) for gamma, times in seconds.items()}


def measure(contenders: dict[str, Contender], prompts: Sequence[Prompt], repeats: int, what: str) -> list[Figures]:
    """Time every contender on every prompt, in turns whose order rotates: nobody is always last."""
    runs: dict[Prompt, dict[str, list[Run]]] = {prompt: {name: [] for name in contenders} for prompt in prompts}
    names = list(contenders)
    for repeat in range(repeats):
        for i, prompt in enumerate(prompts):
            progress(f"{what}: repeat {repeat + 1} of {repeats}, prompt {i + 1} of {len(prompts)}")
            first = (repeat + i) % len(names)
            for name in names[first:] + names[:first]:
                runs[prompt][name].append(contenders[name](prompt))
    return [summarise(prompt, runs[prompt]) for prompt in prompts]


def summarise(prompt: Prompt, runs: dict[str, list[Run]]) -> Figures:
    """Medians over the repeats of one prompt."""
    standard = [run.trace for run in runs["standard"] if run.trace]
    speculative = [run.trace for run in runs["speculative"] if run.trace]
    one = speculative[0]
    return Figures(
        prompt=prompt.text,
        kind=prompt.kind,
        standard=median(_after_first(trace) for trace in standard),
        speculative=median(_after_first(trace) for trace in speculative),
        standard_call=median(run.per_token for run in runs["standard"]),
        speculative_call=median(run.per_token for run in runs["speculative"]),
        transformers_call=median(run.per_token for run in runs["transformers"]),
        assisted_call=median(run.per_token for run in runs["assisted"]),
        standard_wall=median(run.wall / len(run.tokens) for run in runs["standard"]),
        speculative_wall=median(run.wall / len(run.tokens) for run in runs["speculative"]),
        step=median(fmean(r.seconds for r in trace.rounds) for trace in standard),
        draft=median(fmean(t for r in trace.rounds for t in r.draft_times) for trace in speculative),
        verify=median(fmean(r.target_time for r in trace.rounds) for trace in speculative),
        overhead=median(fmean(r.overhead_time for r in trace.rounds) for trace in speculative),
        overhead_share=median(sum(r.overhead_time for r in trace.rounds) / trace.seconds for trace in speculative),
        accepted=one.accepted,
        rejected=one.rejected,
        tau=one.tau or 0.0,
        same_text=one.tokens == standard[0].tokens,
    )


def _after_first(trace: Trace) -> float:
    """Seconds a token, from the first token on."""
    return trace.seconds / (len(trace.tokens) - 1)


def progress(text: str) -> None:
    """One line on standard error, each in place of the last."""
    print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
