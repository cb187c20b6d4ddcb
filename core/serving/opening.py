"""From settings to an engine with a loaded pair behind it."""

from __future__ import annotations

import atexit
import gc
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from core.decoding.request import Drafter
from core.logs import configure
from core.measure.latency import LENGTHS, LatencyCurve, cached, curve_path, measure
from core.serving.limits import limits_of
from core.serving.local import LocalEngine
from core.serving.metrics import METRICS, account
from core.serving.protocol import Engine
from core.serving.watching import watched
from core.serving.worker import Desk, WorkerProcess
from core.settings import Settings
from core.theory.memory import ModelSize, model_size

if TYPE_CHECKING:
    from transformers import PreTrainedModel

    from core.decoding import DecodeRequest, Scored
    from core.measure.verdict import Verdict
    from core.models import ModelPair

Progress = Callable[[float, str], None]
"""Takes how far loading has come, 0 to 1, and what is being done."""

PATIENCE = 30.0
"""Seconds after which the work of a page that asks no more (a closed tab, a lost connection) is given up."""
LAST_TURN = 2.0
"""Seconds that a turn in the models' process is given to end when the server stops."""
LATENCY_CONTEXT = 128
"""Tokens that stand before the positions whose pass is timed."""


@dataclass(frozen=True)
class PairFacts:
    """A loaded pair in words and numbers. Parameters that the draft takes from the target count for the target;
    `shared_parameters` says how many those are.

    `identical` says whether the check at start found the same text however passes are grouped; None if not checked.
    `drafters` are the sources of guesses that this pair offers, `drafter_bytes` the weights each adds to the target's.
    """

    preset: str
    target: str
    draft: str
    target_size: ModelSize
    draft_size: ModelSize
    shared_parameters: int
    bytes: int
    device: str
    dtype: str
    reason: str
    width: int | None
    padding_cost: float
    context: int
    identical: bool | None
    drafters: tuple[Drafter, ...] = ("draft",)
    drafter_bytes: tuple[tuple[Drafter, int], ...] = ()

    @property
    def target_parameters(self) -> int:
        return self.target_size.weights

    @property
    def draft_parameters(self) -> int:
        return self.draft_size.weights


@dataclass(frozen=True)
class Opened:
    """An engine that is ready, and what stands behind it."""

    engine: Engine
    facts: PairFacts


def open_engine(settings: Settings, progress: Progress) -> Opened:
    """Load the pair of the settings and put an engine before it: in this process, in one of its own, or on others.

    Raises:
        ModelError: when the pair cannot be loaded.
        SettingsError: when Ray is asked for, and is not there.
    """
    if settings.engine == "ray":
        from core.serving.ray_serve import open_replicas

        desk = open_replicas(settings, progress)
        opened = Opened(engine_for(desk, replace(settings, active=settings.active * settings.replicas)), desk.facts)
        atexit.register(opened.engine.close)
        return opened
    if settings.worker == "process":
        worker = WorkerProcess(partial(open_desk, settings), progress)
        works = {name: worker.work(name) for name in worker.names}
        engine = engine_for(Desk(worker.stream, works, worker.facts), settings)
        # The last to be registered goes first: a turn under way may end, then the process is ended whatever it does.
        atexit.register(worker.close)
        atexit.register(engine.close, LAST_TURN)
        return Opened(engine, worker.facts)
    desk = open_desk(settings, progress)
    engine = engine_for(desk, settings)
    atexit.register(engine.close)
    return Opened(engine, desk.facts)


def open_desk(settings: Settings, progress: Progress) -> Desk:
    """Load the pair of the settings, in whichever process this runs.

    Raises:
        ModelError: when the pair cannot be loaded.
    """
    progress(0.0, "Starting the model library")
    from transformers.utils import logging

    from core.models import load_pair

    # In a process of its own it has a log of its own, of the same form.
    configure(settings.log)
    logging.disable_progress_bar()  # its bars would run through the log
    desk = desk_for(load_pair(settings.preset, settings.dtype, settings.device, progress), settings)
    # What was loaded stays for good: the collector, which runs after each script run, need not walk through it.
    gc.collect()
    gc.freeze()
    return desk


def desk_for(pair: ModelPair, settings: Settings) -> Desk:
    """What a loaded pair offers: runs, and by name `score` (prompt, text or token ids, chat), `latency`, `stepping`
    (a request, a round's index), `exactness` (a request, a switch, a number of runs)."""
    from core.decoding import stream
    from core.decoding.stepping import record

    works: dict[str, Callable[..., object]] = {
        "score": partial(_score, pair),
        "latency": partial(_latency, pair, settings),
        "stepping": partial(record, pair),
        "exactness": partial(_exactness, pair),
    }
    return Desk(partial(stream, pair), works, facts(pair))


def engine_for(desk: Desk, settings: Settings) -> LocalEngine:
    """An engine before what a pair offers, whose runs are counted."""
    engine = LocalEngine(
        watched(desk.stream, account(settings)),
        desk.works,
        active=settings.active,
        queue_length=settings.queue,
        cache_size=settings.traces,
        limits=limits_of(settings),
        patience=PATIENCE,
    )
    METRICS.load = lambda: engine.load
    return engine


def facts(pair: ModelPair) -> PairFacts:
    """What is to be said of a pair."""
    target, of_target = _weights(pair.target, {})
    draft, of_draft = _weights(pair.draft, of_target)
    offered = _offered(pair, of_target)
    return PairFacts(
        preset=pair.preset,
        target=pair.target_name,
        draft=pair.draft_name,
        target_size=model_size(pair.target.config, target),
        draft_size=model_size(pair.draft.config, draft),
        shared_parameters=sum(size for place, size in of_draft.items() if place in of_target),
        bytes=_bytes(pair.target, {}) + _bytes(pair.draft, of_target),
        device=str(pair.device),
        dtype=pair.dtype_name,
        reason=pair.reason,
        width=pair.width,
        padding_cost=pair.padding_cost,
        context=pair.context,
        identical=pair.identity.bitwise if pair.identity else None,
        drafters=tuple(name for name, _ in offered),
        drafter_bytes=offered,
    )


def _offered(pair: ModelPair, of_target: Mapping[int, int]) -> tuple[tuple[Drafter, int], ...]:
    """The sources of guesses that a pair has, and the weights that each one adds, in bytes."""
    from core.decoding.drafters.early_exit import can_leave_early

    draft = _bytes(pair.draft, of_target)
    found: dict[Drafter, int] = {"draft": draft, "lookup": 0}
    if can_leave_early(pair.target):
        found["early_exit"] = 0
    if pair.head is not None:
        found["head"] = _bytes(pair.head, of_target)
    return tuple((found | {"tree": draft}).items())


def _weights(model: PreTrainedModel, elsewhere: Mapping[int, int]) -> tuple[int, dict[int, int]]:
    """Number of a model's weights, those stored `elsewhere` left out, and where they are stored: place to number."""
    from core.models.packing import HalfLinear, PackedLinear

    sizes = {weight.data_ptr(): weight.numel() for weight in model.parameters()}
    own = sum(size for place, size in sizes.items() if place not in elsewhere)
    tied = model.get_output_embeddings() if model.config.tie_word_embeddings else None
    for layer in model.modules():
        if isinstance(layer, HalfLinear | PackedLinear) and layer is not tied:
            own += layer.in_features * layer.out_features
    return own, sizes


def _bytes(model: PreTrainedModel, elsewhere: Mapping[int, int]) -> int:
    """Memory of a model's weights as they lie there, those stored `elsewhere` left out."""
    from core.models.packing import HalfLinear, PackedLinear

    plain = {w.data_ptr(): w.numel() * w.itemsize for w in model.parameters() if w.data_ptr() not in elsewhere}
    return sum(plain.values()) + sum(x.bytes for x in model.modules() if isinstance(x, HalfLinear | PackedLinear))


def _score(pair: ModelPair, prompt: str, text: str | tuple[int, ...], chat: bool) -> Scored:
    from core.decoding import score

    return score(pair, prompt, text if isinstance(text, str) else list(text), chat=chat)


def _latency(pair: ModelPair, settings: Settings) -> Generator[float, None, LatencyCurve]:
    from core.models.machine import machine_key

    reader = pair.target_reader()
    context = min(LATENCY_CONTEXT, pair.context // 2)
    text = [i % pair.vocabulary for i in range(context + LENGTHS[-1])]
    reader.read(text[:context])

    def step(n: int) -> None:
        logits = reader.read(text[:n], keep=n)
        # Reading a number back waits for a device that works on its own.
        logits[-1, 0].item()
        reader.crop(context)

    key = machine_key(pair.target_name, pair.device, pair.dtype_name, pair.width)
    path = curve_path(settings.cache, f"{key}|{context}")
    lengths = [n for n in LENGTHS if context + n <= pair.context]
    return (yield from cached(path, lambda: measure(step, lengths, context=context)))


def _exactness(pair: ModelPair, request: DecodeRequest, switch: str, n: int) -> Generator[float, None, Verdict]:
    from core.decoding.prompt import prompt_tokens
    from core.decoding.request import RequestError
    from core.measure.short_runs import ROOM, short_runs
    from core.measure.world import World, by_prefix

    prompt = prompt_tokens(pair, request.prompt, request.chat)
    if len(prompt) + ROOM > pair.context:
        raise RequestError(f"The prompt fills the {pair.context:,} tokens that this pair reads: shorten it.")
    target, draft = (by_prefix(r, prompt, pair.vocabulary) for r in (pair.target_reader(), pair.draft_reader()))
    world = World(target, draft, pair.vocabulary, request.temperature, request.top_k, pair.eos_ids)
    return (yield from short_runs(world, request, switch, n, pair.piece))
