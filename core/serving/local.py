"""The engine of one machine: one worker thread owns the pair, and everybody's work takes turns on it."""

from __future__ import annotations

import logging
import threading
import weakref
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from time import monotonic, perf_counter
from typing import cast

from core.decoding.events import Event
from core.decoding.request import DecodeRequest
from core.serving.failures import for_user, sentence
from core.serving.limits import Limits
from core.serving.protocol import EngineError, Snapshot, Ticket, follow
from core.serving.schedule import Ended, Job, Kind, Load, Schedule
from core.serving.turns import Stream, Work, call_job, close, ends_turn, run_job

log = logging.getLogger(__name__)


class LocalEngine:
    """Runs requests on a pair that only its own worker thread touches.

    Args:
        stream: gives the events of a request.
        works: other work by name, for `call`.
        active: runs that take turns, one round each.
        queue_length: runs (and calls) that may wait after those.
        cache_size: finished runs and calls kept, the least recently asked for dropped first.
        limits: what may be asked for; None for anything. What is done in advance is not looked at.
        patience: seconds after which work that nobody looks at any more is given up; None for never.
        clock: seconds, for patience only.
    """

    def __init__(
        self,
        stream: Stream,
        works: Mapping[str, Work] | None = None,
        *,
        active: int = 4,
        queue_length: int = 64,
        cache_size: int = 128,
        limits: Limits | None = None,
        patience: float | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._stream = stream
        self._works = dict(works or {})
        self._cache_size = cache_size
        self._limits = limits
        self._patience = patience
        self._clock = clock
        self._lock = threading.Lock()
        self._wake = threading.Condition(self._lock)
        self._schedule = Schedule(active, queue_length)
        self._live: dict[Hashable, Job] = {}
        self._finished: OrderedDict[Hashable, Job] = OrderedDict()
        self._leaving: deque[Job] = deque()
        # Tickets that were thrown away arrive here from the garbage collector, which must not wait for our lock.
        self._abandoned: deque[Job] = deque()
        self._recent: dict[Kind, deque[float]] = {"run": deque(maxlen=8), "call": deque(maxlen=8)}
        self._closed = False
        self._start_worker()

    def submit(self, request: DecodeRequest, fresh: bool = False) -> Ticket:
        self._check((request,))
        # A key that equals no other is never found again.
        key: Hashable = (request, object()) if fresh else request
        return self._hold(key, lambda: self._run_job(request, key))

    def call(self, work: str, *arguments: Hashable) -> Ticket:
        self._check(arguments)
        key = (work, *arguments)
        return self._hold(key, lambda: self._call_job(key))

    @property
    def load(self) -> Load:
        """How much there is to do now."""
        with self._lock:
            return self._schedule.load

    def run(self, request: DecodeRequest) -> Iterator[Event]:
        yield from follow(self.submit(request))

    def warm(self, requests: Sequence[DecodeRequest], calls: Sequence[tuple[Hashable, ...]] = ()) -> None:
        with self._lock:
            for job in [*(self._run_job(r, r) for r in requests), *map(self._call_job, calls)]:
                if job.key not in self._live and job.key not in self._finished and not self._closed:
                    job.kept = True
                    self._live[job.key] = job
                    self._schedule.keep(job)
            self._wake.notify()

    def close(self, wait: float = 10.0) -> None:
        """As `Engine.close`; waits so many seconds at most for a turn that is under way."""
        with self._lock:
            self._closed = True
            for job in self._schedule.jobs():
                self._cancel(job)
            self._wake.notify()
            worker = self._worker
        if worker is not threading.current_thread():
            worker.join(timeout=wait)

    def _run_job(self, request: DecodeRequest, key: Hashable) -> Job:
        return run_job(self._stream, request, key, threading.Condition(self._lock))

    def _call_job(self, key: tuple[Hashable, ...]) -> Job:
        return call_job(self._works[str(key[0])], key, threading.Condition(self._lock))

    def _hold(self, key: Hashable, make: Callable[[], Job]) -> Ticket:
        with self._lock:
            if self._closed:
                raise EngineError("The models have been put away: reload the page.")
            self._let_go()
            job = self._finished.get(key) or self._live.get(key) or make()
            if job.ended:
                self._finished.move_to_end(key)
            elif job.holders == 0:
                self._schedule.add(job)
                self._live[key] = job
            job.holders += 1
            job.seen = self._clock()
            self._wake.notify()
        return LocalTicket(self, job)

    def _check(self, asked: Sequence[Hashable]) -> None:
        if self._limits:
            self._limits.check(asked)

    def release(self, job: Job) -> None:
        """One holder less."""
        with self._lock:
            self._release(job)

    def abandon(self, job: Job) -> None:
        """As `release`, at the worker's next turn; takes no lock."""
        self._abandoned.append(job)

    def _release(self, job: Job) -> None:
        job.holders -= 1
        if job.holders or job.ended:
            return
        if job.kept:
            self._schedule.keep(job)
        else:
            self._cancel(job)

    def _cancel(self, job: Job) -> None:
        self._end(job, "cancelled")
        self._leaving.append(job)
        self._wake.notify()

    def _let_go(self) -> None:
        """Give up what nobody holds any more, and what its holders have stopped looking at."""
        while self._abandoned:
            self._release(self._abandoned.popleft())
        if self._patience is not None:
            now = self._clock()
            for job in self._schedule.jobs():
                if job.holders and not job.kept and not job.watchers and now - job.seen > self._patience:
                    self._cancel(job)

    def _end(self, job: Job, state: Ended, result: object = None, error: str | None = None) -> None:
        if job.ended:
            return
        job.ended, job.result, job.error = state, result, error
        self._schedule.remove(job)
        self._live.pop(job.key, None)
        if state == "done":
            self._recent[job.kind].append(job.busy_seconds)
            self._finished[job.key] = job
            while len(self._finished) > self._cache_size:
                self._finished.popitem(last=False)
        job.news.notify_all()

    def snapshot(self, job: Job) -> Snapshot:
        with self._lock:
            job.seen = self._clock()
            return self._snapshot(job)

    def _snapshot(self, job: Job) -> Snapshot:
        position = self._schedule.position(job)
        recent = self._recent[job.kind]
        return Snapshot(
            state=job.ended or ("running" if position is None else "queued"),
            position=position,
            estimate_seconds=position * fmean(recent) if position and recent else None,
            events=tuple(job.events),
            progress=job.progress,
            result=job.result,
            error=job.error,
        )

    def wait(self, job: Job, timeout: float | None, after: int | None) -> Snapshot:
        with self._lock:
            job.watchers += 1
            job.news.wait_for(lambda: job.ended is not None or (after is not None and len(job.events) > after), timeout)
            job.watchers -= 1
            job.seen = self._clock()
            return self._snapshot(job)

    def _start_worker(self) -> None:
        self._worker = threading.Thread(target=self._work, name="models", daemon=True)
        self._worker.start()

    def _work(self) -> None:
        job: Job | None = None
        try:
            while job := self._take():
                self._turn(job)
        except BaseException:
            log.exception("The worker died and is started again.")
            with self._lock:
                if job:
                    self._end(job, "failed", error="The models stopped during this run: try again.")
                self._start_worker()

    def _take(self) -> Job | None:
        with self._lock:
            while True:
                self._let_go()
                if self._leaving:
                    return self._leaving.popleft()
                if self._closed:
                    return None
                if job := self._schedule.take():
                    return job
                self._wake.wait()

    def _turn(self, job: Job) -> None:
        began = perf_counter()
        try:
            if job.ended:
                close(job.steps)
            else:
                self._advance(job)
        except Exception as error:
            if not for_user(error):
                log.error("A %s failed.", job.kind, exc_info=error)
            with self._lock:
                self._end(job, "failed", error=sentence(error))
        finally:
            job.busy_seconds += perf_counter() - began
            if job.ended:
                job.steps = None

    def _advance(self, job: Job) -> None:
        """One turn: to the end of the round, or of a call's next step."""
        job.steps = job.steps or job.begin()
        try:
            while True:
                step = next(job.steps)
                with self._lock:
                    if job.kind == "call":
                        job.progress = step if isinstance(step, float) else None
                        return
                    job.events.append(cast(Event, step))
                    job.news.notify_all()
                if ends_turn(step):
                    return
        except StopIteration as stop:
            result = job.finish(job.events, stop.value)
        with self._lock:
            self._end(job, "done", result)


class LocalTicket:
    """A holder's claim on a job; see `core.serving.protocol.Ticket`."""

    def __init__(self, engine: LocalEngine, job: Job) -> None:
        self._engine = engine
        self._job = job
        self._claim = weakref.finalize(self, engine.abandon, job)
        self._claim.atexit = False

    def snapshot(self) -> Snapshot:
        return self._seen(self._engine.snapshot(self._job))

    def wait(self, timeout: float | None = None, after: int | None = None) -> Snapshot:
        return self._seen(self._engine.wait(self._job, timeout, after))

    def cancel(self) -> None:
        if self._claim.detach():
            self._engine.release(self._job)

    def _seen(self, snapshot: Snapshot) -> Snapshot:
        given_up = not self._claim.alive and not snapshot.finished
        return replace(snapshot, state="cancelled", position=None, estimate_seconds=None) if given_up else snapshot
