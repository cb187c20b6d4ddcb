from __future__ import annotations

import ast

import pytest
import torch

import core.models
from core.decoding import DecodeRequest, decode
from core.models import ModelPair
from tests.pages import stand_in
from ui import content
from ui.code_words import notes, transformers_snippet
from ui.components.code_steps.code_steps import code_data


def asked(gamma: int = 4, temperature: float = 1.0) -> DecodeRequest:
    return DecodeRequest("Go on.", gamma=gamma, temperature=temperature, max_new_tokens=20)


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_every_step_has_a_sentence_that_fits_what_it_did(temperature: float) -> None:
    recording = stand_in.stepping(asked(temperature=temperature), 0)
    told = notes(recording, greedy=temperature == 0)
    assert len(told) == len(recording.steps) and all(told)
    assert told[0].startswith("A round begins") and told[-1].startswith("The round is over")
    tests = [t for t, s in zip(told, recording.steps, strict=True) if s.kind == "test"]
    assert ["stays" in t for t in tests] == [True, False] and "misses" in tests[-1]
    assert any("Guess 2 is looked at: ' maybe'" in t for t in told)
    assert ("Whatever u is" in tests[-1]) == (temperature == 0)
    assert any(("can give nothing else" if temperature == 0 else "drawn from the residual") in t for t in told)


def test_a_round_without_a_miss_says_that_no_guess_is_left_and_where_the_bonus_comes_from() -> None:
    recording = stand_in.stepping(asked(gamma=1), 0)
    told = notes(recording, greedy=False)
    assert "No guess is left: all of them were kept." in told
    assert told[-2].startswith("Every guess was kept.")


def test_a_new_recording_has_a_new_name_and_its_step_stays_inside() -> None:
    first, second = (stand_in.stepping(asked(), i) for i in (0, 1))
    told = [code_data(r, notes(r, False), 99) for r in (first, second, first)]
    assert told[0]["id"] == told[2]["id"] != told[1]["id"]
    assert told[0]["step"] == len(first.steps) - 1
    assert all(0 <= s["line"] < len(told[0]["lines"]) for s in told[0]["steps"])


@pytest.mark.parametrize("chat", [True, False])
@pytest.mark.parametrize("prompt", ["quotes \" and ' and \\", "two\nlines", "{braces} مرحبا"])
def test_the_snippet_is_a_program_whatever_the_prompt(prompt: str, chat: bool) -> None:
    tree = ast.parse(transformers_snippet(DecodeRequest(prompt, chat=chat), "bundled"))
    assert prompt in [n.value for n in ast.walk(tree) if isinstance(n, ast.Constant)]


def test_the_snippet_writes_what_the_lab_writes(
    pair: ModelPair, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first = content.prompts()[0]
    request = DecodeRequest(first.text, gamma=3, max_new_tokens=12, chat=first.chat)
    monkeypatch.setattr(core.models, "load_pair", lambda preset: pair)
    # The snippet sets these on the draft that all tests share.
    before = pair.draft.generation_config
    monkeypatch.setattr(pair.draft, "generation_config", type(before)(**before.to_dict()))
    with torch.inference_mode():
        exec(transformers_snippet(request, "bundled"), {})
    assert capsys.readouterr().out.strip() == decode(pair, request).text.strip()
