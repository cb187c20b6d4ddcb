"""Two chapters on the pair that ships: what the pages say is what the models did."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from core.decoding import score, stream
from core.decoding.request import DecodeRequest
from core.models import ModelPair
from core.serving.local import LocalEngine
from core.serving.opening import Opened, facts
from tests.pages import stand_in
from tests.pages.conftest import Open, lanes_of, sentences, settled, skip, strip_of
from ui import content, engine
from ui.engine import Door


@pytest.fixture(scope="module")
def real_door(pair: ModelPair) -> Door:
    works: dict[str, Callable[..., object]] = {"score": partial(score, pair), "latency": stand_in.latency}
    return settled(Door(lambda say: Opened(LocalEngine(partial(stream, pair), works), facts(pair))))


@pytest.fixture
def real(real_door: Door, monkeypatch: pytest.MonkeyPatch, open_page: Open) -> Open:
    monkeypatch.setattr(engine, "door", lambda: real_door)
    monkeypatch.setattr(engine, "AT_ONCE", 120.0)
    return open_page


def test_agreement_is_counted_on_the_targets_own_words(real: Open, pair: ModelPair) -> None:
    at = skip(real("02_easy.py"), 2)
    prompt = content.prompts()[0]
    request = DecodeRequest(prompt.text, method="standard", max_new_tokens=20, chat=prompt.chat)
    tokens = engine.door().opened.engine.submit(request).wait(60).trace
    assert tokens is not None
    same = sum(x.rank_q == 0 for x in score(pair, prompt.text, tokens.tokens, chat=prompt.chat).positions)
    assert [t["state"] for t in strip_of(at)].count("same") == same
    assert f"**{same} of {len(tokens.tokens)} words**" in sentences(at)


def test_both_lanes_write_the_same_text(real: Open) -> None:
    at = skip(real("04_guess.py"), 4)
    alone, together = ("".join(t["text"] for t in lane["tokens"] if t["state"] != "discarded") for lane in lanes_of(at))
    assert alone == together and len(alone) > 40
    assert "The texts are equal" in sentences(at)
