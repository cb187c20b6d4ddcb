from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.decoding import DecodeRequest, Scored, decode, score
from core.decoding.stepping import Recording
from core.measure.latency import LatencyCurve
from core.models import ModelPair
from core.models.pair import Identity
from core.serving import LocalEngine
from core.serving.opening import desk_for, engine_for, facts
from core.settings import read_settings
from tests.tiny import tiny_model, tiny_pair


@pytest.fixture(scope="module")
def tiny() -> ModelPair:
    return tiny_pair()


@pytest.fixture
def engine(tiny: ModelPair, tmp_path: Path) -> Iterator[LocalEngine]:
    settings = read_settings({"SPECLAB_CACHE": str(tmp_path), "SPECLAB_ACTIVE": "3"})
    engine = engine_for(desk_for(tiny, settings), settings)
    yield engine
    engine.close()


def test_runs_that_take_turns_write_what_each_writes_alone(engine: LocalEngine, tiny: ModelPair) -> None:
    asked = [
        DecodeRequest("1 2 3", method=method, gamma=3, temperature=temperature, max_new_tokens=20, seed=7, chat=False)
        for method in ("standard", "speculative", "draft")
        for temperature in (0.0, 1.0)
    ]
    traces: dict[DecodeRequest, object] = {}

    def visitor(request: DecodeRequest) -> None:
        trace = engine.submit(request).wait(60).trace
        traces[request] = trace and trace.tokens

    threads = [threading.Thread(target=visitor, args=(request,)) for request in asked]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert traces == {request: decode(tiny, request).tokens for request in asked}


def test_a_request_that_does_not_fit_fails_in_its_own_words(engine: LocalEngine) -> None:
    snapshot = engine.submit(DecodeRequest("1 " * 100, chat=False)).wait(60)
    assert snapshot.state == "failed" and "at most 64" in (snapshot.error or "")


def test_scores(engine: LocalEngine, tiny: ModelPair) -> None:
    by_ids, by_text = (engine.call("score", "1 2", text, False).wait(60).result for text in ((3, 4), "3 4"))
    assert isinstance(by_ids, Scored) and by_ids == by_text == score(tiny, "1 2", [3, 4], chat=False)


def test_a_round_is_watched(engine: LocalEngine, tiny: ModelPair) -> None:
    request = DecodeRequest("1 2 3", gamma=3, temperature=1.0, max_new_tokens=12, seed=7, chat=False)
    recording = engine.call("stepping", request, 1).wait(60).result
    assert isinstance(recording, Recording) and recording.shows(decode(tiny, request).rounds[1])


def test_latency_stays_within_the_context(engine: LocalEngine) -> None:
    curve = engine.call("latency").wait(60).result
    assert isinstance(curve, LatencyCurve)
    assert curve.context == 32 and curve.n[-1] == 32 and all(seconds > 0 for seconds in curve.one_pass)


def test_the_facts_of_a_pair() -> None:
    target, draft = tiny_model(1), tiny_model(2)
    draft.model.embed_tokens.weight = target.model.embed_tokens.weight
    of_target = sum(weight.numel() for weight in target.parameters())
    of_draft = sum(weight.numel() for weight in draft.parameters()) - 5 * 16
    told = facts(replace(tiny_pair(target, draft), reason="as asked for", identity=Identity(True, 0.0)))
    assert (told.target_parameters, told.draft_parameters) == (of_target, of_draft)
    assert told.bytes == 4 * (of_target + of_draft)
    assert told.shared_parameters == 5 * 16
    assert (told.target_size.layers, told.target_size.kv_heads, told.target_size.head_dim) == (1, 2, 4)
    assert (told.target, told.dtype, told.reason, told.identical) == ("tiny target", "float32", "as asked for", True)
    assert facts(tiny_pair(target, draft)).identical is None


def test_packed_layers_count_as_what_they_were() -> None:
    from core.models.packing import pack_linears

    target, draft = tiny_model(1), tiny_model(2)
    plain = facts(tiny_pair(target, draft))
    pack_linears(target)
    assert facts(tiny_pair(target, draft)).target_parameters == plain.target_parameters
