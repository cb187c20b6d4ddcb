"""Figures for whoever keeps the lab running: counters in Prometheus' own form, and one line of the log a run.

Counted in the server's process, whichever process the models are in. Served on a port of their own, never among the
pages.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from core.decoding.request import DecodeRequest
from core.logs import event
from core.serving.memory import Memory, memory
from core.serving.schedule import Load
from core.serving.watching import Figures
from core.settings import Settings

log = logging.getLogger(__name__)

SECONDS = (0.001, 0.002, 0.004, 0.008, 0.015, 0.03, 0.06, 0.12, 0.25, 0.5, 1.0, 2.0)
"""Bounds of the histograms: a draft step on a GPU to a pass on a machine that is out of breath."""


class Metrics:
    """One server's counters, in a registry of their own.

    Attributes:
        load: how much is under way and waiting; None while no pair is loaded.
    """

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.load: Callable[[], Load] | None = None
        kinds = ("method", "drafter")
        self._runs = Counter("speclab_runs", "Runs that are over.", (*kinds, "outcome"), registry=self.registry)
        self._tokens = Counter("speclab_tokens", "Tokens written.", kinds, registry=self.registry)
        self._accepted = Counter("speclab_accepted", "Guesses that were kept.", kinds, registry=self.registry)
        self._rejected = Counter("speclab_rejected", "Guesses that missed.", kinds, registry=self.registry)
        self._passes = Histogram(
            "speclab_target_pass_seconds", "A target pass of a round.", buckets=SECONDS, registry=self.registry
        )
        self._steps = Histogram(
            "speclab_draft_step_seconds", "A draft step.", ("drafter",), buckets=SECONDS, registry=self.registry
        )
        self.registry.register(_Now(self))
        ProcessCollector(registry=self.registry)

    def count(self, request: DecodeRequest, figures: Figures) -> None:
        """Add a run that is over."""
        kind = (request.method, drafter(request))
        self._runs.labels(*kind, figures.outcome).inc()
        self._tokens.labels(*kind).inc(figures.tokens)
        self._accepted.labels(*kind).inc(figures.accepted)
        self._rejected.labels(*kind).inc(figures.rejected)
        for seconds in figures.passes:
            self._passes.observe(seconds)
        for seconds in figures.steps:
            self._steps.labels(kind[1]).observe(seconds)

    def serve(self, host: str, port: int) -> Callable[[], None] | None:
        """Serve the counters; the function that is given back stops that. None, and a line in the log, where the
        port is taken."""
        try:
            server, thread = start_http_server(port, host, self.registry)
        except OSError as error:
            log.error("Counters cannot be served on %s:%s: %s.", host, port, error.strerror or error)
            return None
        # The port that the server has: 0 asks for any.
        event(log, "Counters are served.", address=f"http://{host}:{server.server_port}/metrics")

        def stop() -> None:
            server.shutdown()
            server.server_close()
            thread.join(timeout=5)

        return stop


class _Now:
    """What is read anew whenever somebody asks for the counters."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def collect(self) -> Iterator[Metric]:
        load = self._metrics.load() if self._metrics.load else None
        now = load or Load(0, 0, 0, 0)
        yield GaugeMetricFamily(
            "speclab_pair_ready", "Whether the pair is loaded: 1 or 0.", value=float(load is not None)
        )
        yield GaugeMetricFamily("speclab_active_runs", "Runs that take turns.", value=now.active)
        yield GaugeMetricFamily("speclab_queued_runs", "Runs that wait for their turn.", value=now.queued)
        yield GaugeMetricFamily("speclab_calls", "Measurements under way or waiting.", value=now.calls)
        yield CounterMetricFamily(
            "speclab_turned_away", "Requests that found the queue full.", value=float(now.turned_away)
        )
        yield _memory(memory())


def _memory(found: Memory) -> Metric:
    gauge = GaugeMetricFamily("speclab_memory_bytes", "Memory in use, by process.", labels=("process",))
    gauge.add_metric(("server",), found.server)
    if found.models is not None:
        gauge.add_metric(("models",), found.models)
    return gauge


METRICS = Metrics()
"""This server's counters."""


def account(settings: Settings) -> Callable[[DecodeRequest, Figures, float], None]:
    """Counts each run that is over, and writes its line in the log, as the settings say."""

    def report(request: DecodeRequest, figures: Figures, wall: float) -> None:
        METRICS.count(request, figures)
        event(log, "A run is over.", **run_fields(request, figures, wall, prompts=settings.log_prompts))

    return report


def run_fields(request: DecodeRequest, figures: Figures, wall: float, prompts: bool = False) -> dict[str, object]:
    """A run's line in the log: its figures, and what was asked only where `prompts` is set."""
    fields: dict[str, object] = {
        "outcome": figures.outcome,
        "method": request.method,
        "drafter": drafter(request),
        "gamma": request.gamma,
        "temperature": request.temperature,
        "prompt_tokens": figures.prompt_tokens,
        "tokens": figures.tokens,
        "accepted": figures.accepted,
        "rejected": figures.rejected,
        "seconds": round(figures.seconds, 3),
        "wall_seconds": round(wall, 3),
    }
    return fields | ({"prompt": request.prompt} if prompts else {})


def drafter(request: DecodeRequest) -> str:
    """Where a run's guesses come from, in a word: `none` for a model that writes alone."""
    return request.drafter if request.method == "speculative" else "none"
