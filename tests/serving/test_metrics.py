"""Runs are counted from outside, whichever way they end; the counters are served, and a log line says no prompt."""

from __future__ import annotations

import logging
import socket
import urllib.request
from collections.abc import Iterator

import pytest

from core.decoding.events import Committed, Done, Drafted, Event, Prefilled
from core.decoding.request import DecodeRequest, RequestError
from core.decoding.rounds import Position, Prefill, Round
from core.serving import EngineBusy, LocalEngine
from core.serving import metrics as module
from core.serving.limits import Limits
from core.serving.metrics import Metrics, account, run_fields
from core.serving.schedule import Load
from core.serving.watching import Figures, watched
from core.settings import read_settings
from tests.serving.fake_runs import PAIR, FakeRuns, choice, request

SECRET = "my very own prompt"
ASKED = DecodeRequest(SECRET, gamma=2, drafter="lookup", max_new_tokens=8)


def position(accepted: bool) -> Position:
    return Position(1, " x", 0.5, 0.5, 0.5, 0.5, 1.0, 0.1, accepted, 1.0, 0.0, 0.0)


def stream(asked: DecodeRequest) -> Iterator[Event]:
    """A prompt of two tokens, a round that keeps one guess and misses one, and a round that keeps both."""
    yield Prefilled(Prefill((1, 2), choice(0), 0.03, 0.01), " 0")
    yield Drafted(0, 0, 1, " x", 0.002)
    half = (position(True), position(False))
    yield Committed(Round(0, 2, half, (1, 2), choice(2), (0.002, 0.003), 0.02, 0.001, (2, 4), (2, 4)), (" x", " y"))
    both = (position(True), position(True))
    yield Committed(Round(1, 2, both, (1, 2, 3), choice(3), (0.002, 0.002), 0.04, 0.0, (4, 7), (4, 6)), ("a", "b", "c"))
    yield Done("length", "text", PAIR)


def value(metrics: Metrics, name: str, **labels: str) -> float | None:
    return metrics.registry.get_sample_value(name, labels)


def test_a_run_is_counted_once_with_all_its_figures() -> None:
    metrics = Metrics()
    run = watched(stream, lambda asked, figures, wall: metrics.count(asked, figures))
    assert len(list(run(ASKED))) == 5
    kind = {"method": "speculative", "drafter": "lookup"}
    assert value(metrics, "speclab_runs_total", **kind, outcome="done") == 1
    assert value(metrics, "speclab_tokens_total", **kind) == 1 + 2 + 3
    assert value(metrics, "speclab_accepted_total", **kind) == 3
    assert value(metrics, "speclab_rejected_total", **kind) == 1
    assert value(metrics, "speclab_target_pass_seconds_count") == 2
    assert value(metrics, "speclab_target_pass_seconds_sum") == pytest.approx(0.06)
    assert value(metrics, "speclab_draft_step_seconds_count", drafter="lookup") == 4
    assert value(metrics, "speclab_draft_step_seconds_sum", drafter="lookup") == pytest.approx(0.009)


def ending(asked: DecodeRequest) -> Figures:
    """How a run of the test's ended, by the engine's own hands."""
    found: list[Figures] = []
    runs = FakeRuns()
    runs.errors = {"refused": RequestError("No."), "broken": KeyError("x")}
    run = watched(runs, lambda asked, figures, wall: found.append(figures))(asked)
    try:
        if asked.prompt == "left":
            next(run)
            run.close()  # type: ignore[attr-defined]
            assert runs.closed == ["left"]
        list(run)
    except (RequestError, KeyError):
        pass
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize(
    ("prompt", "outcome"), [("whole", "done"), ("left", "cancelled"), ("refused", "refused"), ("broken", "failed")]
)
def test_every_end_has_its_word(prompt: str, outcome: str) -> None:
    figures = ending(request(prompt))
    assert figures.outcome == outcome
    assert figures.tokens == {"done": 4, "cancelled": 1}.get(outcome, 0)


def test_the_counters_are_served_with_how_busy_the_lab_is() -> None:
    metrics = Metrics()
    metrics.count(ASKED, Figures("done", tokens=5))

    def text() -> str:
        return urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5).read().decode()

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        # While somebody else has the port, the lab goes on without counters.
        assert metrics.serve("127.0.0.1", port) is None
    stop = metrics.serve("127.0.0.1", port)
    assert stop
    try:
        assert "speclab_pair_ready 0.0" in text()
        metrics.load = lambda: Load(active=4, queued=7, calls=1, turned_away=2)
        said = text()
    finally:
        stop()
    for line in (
        "speclab_pair_ready 1.0",
        "speclab_active_runs 4.0",
        "speclab_queued_runs 7.0",
        "speclab_turned_away_total 2.0",
        'speclab_tokens_total{drafter="lookup",method="speculative"} 5.0',
    ):
        assert line in said
    assert 'speclab_memory_bytes{process="server"}' in said and "process_cpu_seconds_total" in said
    assert SECRET not in said


def test_an_engine_tells_how_busy_it_is() -> None:
    runs = FakeRuns()
    runs.hold("a")
    engine = LocalEngine(runs, {"count": lambda: 1}, active=1, queue_length=1)
    first = engine.submit(request("a"))
    runs.reached("a")
    second, call = engine.submit(request("b")), engine.call("count")
    with pytest.raises(EngineBusy):
        engine.submit(request("c"))
    assert engine.load == Load(active=1, queued=1, calls=1, turned_away=1)
    runs.let_go("a")
    assert all(ticket.wait(10).state == "done" for ticket in (first, second, call))
    assert engine.load == Load(0, 0, 0, 1)
    engine.close()


def test_a_runs_line_has_figures_and_its_prompt_only_if_asked_for(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    metrics = Metrics()
    monkeypatch.setattr(module, "METRICS", metrics)
    for said, shown in (("off", False), ("on", True)):
        caplog.clear()
        with caplog.at_level(logging.INFO):
            report = account(read_settings({"SPECLAB_LOG_PROMPTS": said}))
            list(watched(stream, report)(ASKED))
        (record,) = caplog.records
        fields = record.fields  # type: ignore[attr-defined]
        assert (fields.get("prompt") == SECRET) is shown and (SECRET in str(fields)) is shown
        assert (fields["outcome"], fields["tokens"], fields["accepted"], fields["rejected"]) == ("done", 6, 3, 1)
        assert fields["seconds"] == pytest.approx(0.11, abs=0.001)
    assert value(metrics, "speclab_runs_total", method="speculative", drafter="lookup", outcome="done") == 2


def test_who_writes_alone_has_no_drafter() -> None:
    assert run_fields(request("a"), Figures(), 0.0)["drafter"] == "none"


def test_limits_are_told_with_their_number_and_bind_whatever_is_asked() -> None:
    runs = FakeRuns()
    works = {"score": lambda *_: 1, "exactness": lambda *_: 1}
    engine = LocalEngine(runs, works, limits=Limits(tokens=10, prompt=20))
    with pytest.raises(RequestError, match="may write 10 tokens here, and this one asks for 11: choose a shorter"):
        engine.submit(request("a", rounds=10))
    with pytest.raises(RequestError, match="prompt may have 20 characters here, and this one has 21: shorten it"):
        engine.submit(request("a" * 21))
    with pytest.raises(RequestError, match="may write 10 tokens"):
        engine.call("exactness", request("a", rounds=10), "none", 3)
    with pytest.raises(RequestError, match="text may have 20 characters here"):
        engine.call("score", "a", "b" * 21, False)
    assert runs.started == []
    assert engine.submit(request("a" * 20, rounds=9)).wait(10).state == "done"
    # What the lab prepares by itself is its own affair.
    engine.warm([request("own", rounds=12)])
    assert engine.call("score", "a", "b", False).wait(10).state == "done"
    engine.close()
