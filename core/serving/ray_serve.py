"""Many pairs on many machines, by Ray Serve: chosen by SPECLAB_ENGINE=ray.

Each replica holds a pair and runs what it is sent as the engine of one machine does, its runs taking turns round by
round. The server of the pages keeps what it does without Ray (the line, equal requests shared, finished runs kept):
its engine takes turns on streams that come from replicas, wherever Ray has put them. A replica that is lost in
mid-run costs its runs nothing but time: each is asked for once more, and what was shown already is not shown again.

Ray comes by requirements-ray.txt. Machines join by its own command line, and RAY_ADDRESS says where.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import AsyncIterator, Callable, Generator, Hashable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, cast

from core.decoding.events import Committed, Drafted, Event, Prefilled, Verified
from core.decoding.request import DecodeRequest
from core.serving.failures import sentence
from core.serving.local import LocalEngine
from core.serving.protocol import EngineError
from core.serving.worker import Desk, Tell
from core.settings import Settings, SettingsError

if TYPE_CHECKING:
    from core.serving.opening import PairFacts

log = logging.getLogger(__name__)

Answer = tuple[Literal["events", "progress", "result", "failed"], Any]
"""What a replica sends: events, how far a call has come, its result (a run's is None), or a sentence."""

APP = "speculative-lab"
MOST_AT_ONCE = 256
"""Streams that one replica takes at once; those beyond its active runs wait in its line."""
LOOK = 0.25
"""Seconds between two looks at how far a call has come."""
LOST = "The machine that this run was on was lost, and so was a second one: try again."
DIFFERS = "The machine that this run was on was lost, and another writes a different text: try again."
MISSING = "SPECLAB_ENGINE=ray needs Ray: install requirements-ray.txt."


class Replica:
    """One pair, and an engine before it. Made by Ray, on whichever machine has room.

    Args:
        open_desk: loads the pair.
        active: runs that take turns.
    """

    def __init__(self, open_desk: Callable[[Tell], Desk], active: int) -> None:
        self._desk = open_desk(lambda fraction, words: None)
        self._engine = LocalEngine(
            self._desk.stream, self._desk.works, active=active, queue_length=MOST_AT_ONCE, cache_size=1
        )
        self._waiters = ThreadPoolExecutor(MOST_AT_ONCE, "waiting")

    def describe(self) -> tuple[PairFacts, tuple[str, ...]]:
        """What is to be said of the pair, and the names of the other work it offers."""
        return self._desk.facts, tuple(self._desk.works)

    async def work(self, name: str, *arguments: Hashable) -> AsyncIterator[Answer]:
        """A run (`stream`, with a request) or other work by its name; it stops when nobody listens any more."""
        if name == "stream":
            # Equal requests have been shared before they came here; one that comes again is a run to be repeated.
            ticket = self._engine.submit(cast(DecodeRequest, arguments[0]), fresh=True)
        else:
            ticket = self._engine.call(name, *arguments)
        loop, seen = asyncio.get_running_loop(), 0
        try:
            while True:
                timeout = None if name == "stream" else LOOK
                snapshot = await loop.run_in_executor(self._waiters, ticket.wait, timeout, seen)
                if len(snapshot.events) > seen:
                    yield "events", snapshot.events[seen:]
                    seen = len(snapshot.events)
                if snapshot.state == "done":
                    yield "result", None if name == "stream" else snapshot.result
                    return
                if snapshot.finished:
                    yield "failed", snapshot.error or LOST
                    return
                if snapshot.progress is not None:
                    yield "progress", snapshot.progress
        finally:
            ticket.cancel()


class Replicas:
    """The server's end: what a desk offers, done by whichever replica Ray picks.

    Args:
        handle: of the deployment of `Replica`.
        lost: the errors by which Ray says that a replica is gone.
    """

    def __init__(self, handle: Any, lost: tuple[type[BaseException], ...]) -> None:
        self._work = handle.options(method_name="work", stream=True)
        self._lost = lost

    def stream(self, request: DecodeRequest) -> Iterator[Event]:
        """The events of a run."""
        return cast(Iterator[Event], self._twice("stream", request))

    def work(self, name: str) -> Callable[..., Generator[object, None, object]]:
        """Other work, by its name."""
        return lambda *arguments: self._twice(name, *arguments)

    def _twice(self, name: str, *arguments: Hashable) -> Generator[object, None, object]:
        shown: list[Event] = []
        for _ in range(2):
            try:
                return (yield from self._once(shown, name, *arguments))
            except self._lost as error:
                log.warning("A replica was lost in mid-run: %s", type(error).__name__)
        raise EngineError(LOST)

    def _once(self, shown: list[Event], name: str, *arguments: Hashable) -> Generator[object, None, object]:
        """The work on one replica; of its events those that are `shown` already are only compared."""
        answers, position = self._work.remote(name, *arguments), 0
        try:
            for kind, value in cast("Iterator[Answer]", answers):
                if kind == "result":
                    return cast(object, value)
                if kind == "failed":
                    raise EngineError(value)
                if kind == "progress":
                    yield value
                    continue
                for event in value:
                    position += 1
                    if position > len(shown):
                        shown.append(event)
                        yield event
                    elif _said(event) != _said(shown[position - 1]):
                        raise EngineError(DIFFERS)
            raise EngineError(LOST)
        finally:
            answers.cancel()


def _said(event: Event) -> object:
    """An event without its times, which differ from run to run."""
    match event:
        case Prefilled():
            return event.prefill.choice.token
        case Committed():
            return event.round.committed
        case Drafted():
            return event.slot, event.token
        case Verified():
            return event.accepted
    return event


def open_replicas(settings: Settings, progress: Tell) -> Desk:
    """Start the replicas, or find those that run already, and give what they offer.

    Raises:
        SettingsError: where Ray is not installed, or the replicas do not start.
    """
    from core.serving.opening import open_desk

    # Ray reports to its makers unless it is told not to.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
        from ray import serve
    except ImportError as error:
        raise SettingsError(MISSING) from error
    progress(0.0, "Joining the machines")
    if not ray.is_initialized():
        _in_a_lasting_thread(partial(ray.init, configure_logging=False, include_dashboard=False))
    serve.start(proxy_location="Disabled")
    running = serve.status().applications.get(APP)
    if running and running.status == "RUNNING":
        handle = serve.get_app_handle(APP)
    else:
        progress(0.1, f"Loading {settings.replicas} pair{'s' * (settings.replicas > 1)}")
        handle = serve.run(application(partial(open_desk, settings), settings), name=APP, route_prefix=None)
    return desk_of(handle)


def _in_a_lasting_thread(start: Callable[[], object]) -> None:
    """Call a function in a thread that never ends. What Ray starts on this machine is ended by the system together
    with the thread that started it, and the one that loads the models ends when they are loaded."""
    done: Future[object] = Future()

    def stay() -> None:
        try:
            done.set_result(start())
        except Exception as error:
            done.set_exception(error)
        threading.Event().wait()

    threading.Thread(target=stay, name="ray", daemon=True).start()
    done.result()


def application(open_desk: Callable[[Tell], Desk], settings: Settings) -> Any:
    """What Ray Serve is to run: the replicas of the settings."""
    from ray import serve

    on_gpu = settings.device is not None and settings.device.startswith("cuda")
    made = serve.deployment(Replica).options(
        num_replicas=settings.replicas,
        max_ongoing_requests=MOST_AT_ONCE,
        ray_actor_options={"num_cpus": 1, "num_gpus": int(on_gpu)},
    )
    return made.bind(open_desk, settings.active)


def desk_of(handle: Any) -> Desk:
    """What replicas offer, by the handle of their deployment.

    Raises:
        SettingsError: where none of them answers.
    """
    from ray import exceptions

    lost = (exceptions.RayActorError, exceptions.WorkerCrashedError, exceptions.NodeDiedError)
    try:
        facts, names = handle.describe.remote().result()
    except lost as error:
        raise SettingsError(f"No pair could be started on the machines. {sentence(error)}") from error
    replicas = Replicas(handle, lost)
    return Desk(replicas.stream, {name: replicas.work(name) for name in names}, facts)
