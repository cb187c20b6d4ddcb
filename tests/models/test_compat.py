"""Pairs looked at without their weights: tiny models in folders, and the pair that ships."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from core.models import ModelError
from core.models import outline as outline_module
from core.models.compat import PairReport, examine
from core.models.gguf import converted_target
from core.models.outline import folders_preset
from core.models.presets import Preset, find_preset
from core.models.runtimes import runtimes
from core.settings import read_settings
from tests.models.test_loading import save_model

NOWHERE = Path("/nowhere")


def look(target: Path, draft: Path) -> PairReport:
    return examine(folders_preset(str(target), f" {draft} "), NOWHERE)


def states(report: PairReport) -> dict[str, str]:
    return {f.name: f.state for f in report.findings}


def takers(report: PairReport) -> dict[str, str]:
    return {r.name: r.state for r in runtimes(report)}


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return save_model(tmp_path / "target", num_hidden_layers=4)


def test_two_of_a_kind_fit_everywhere(target: Path, tmp_path: Path) -> None:
    report = look(target, save_model(tmp_path / "draft"))
    assert set(states(report).values()) == {"fits"} and report.state == "fits" and report.refusal is None
    assert set(takers(report).values()) == {"fits"}
    assert (report.target.size.layers, report.target.size.kv_heads, report.target.size.head_dim) == (4, 1, 8)
    assert report.target.name == "target" and report.context == 2048


@pytest.mark.parametrize("tied", [True, False])
def test_weights_are_counted_without_any_weights(tied: bool, tmp_path: Path) -> None:
    folder = save_model(tmp_path / "model", tie_word_embeddings=tied)
    there = look(folder, folder).target
    (folder / "model.safetensors").unlink()
    gone = look(folder, folder).target
    assert there.size == gone.size and there.size.weights > 8 * 16 * (2 - tied)
    assert there.here and not gone.here


def test_ids_that_mean_something_else_are_found(target: Path, tmp_path: Path) -> None:
    # Ids 6 and 7 change places: the probe, which knows none of these words, would not show it.
    report = look(target, save_model(tmp_path / "draft", words="the cat sat on a . mat"))
    assert states(report)["Vocabulary"] == "fails" and report.tokens.clashes == 2
    assert states(report)["A probe text"] == "fits"
    assert takers(report) == dict.fromkeys(("This lab", "Transformers", "vLLM", "llama.cpp"), "fails")
    assert report.refusal and "number their tokens differently" in report.refusal


def test_other_words_at_the_same_ids_are_found(target: Path, tmp_path: Path) -> None:
    report = look(target, save_model(tmp_path / "draft", words="the cat sat on dogs tomorrow !"))
    assert report.tokens.clashes == 3 and report.state == "fails"
    assert takers(report)["This lab"] == "fails"


@pytest.mark.parametrize(("rows", "llama"), [(136, "fits"), (137, "fails")])
def test_a_padded_vocabulary_is_judged_by_each_runtime(rows: int, llama: str, target: Path, tmp_path: Path) -> None:
    report = look(target, save_model(tmp_path / "draft", vocab_size=rows))
    assert states(report)["Vocabulary"] == "note" and report.state == "note"
    assert takers(report) == {"This lab": "fits", "Transformers": "note", "vLLM": "note", "llama.cpp": llama}


def test_shorter_contexts_sliding_windows_and_dear_drafts_are_told(target: Path, tmp_path: Path) -> None:
    short = look(target, save_model(tmp_path / "short", max_position_embeddings=100))
    assert states(short)["Context length"] == "note" and short.context == 100
    sliding = look(target, save_model(tmp_path / "sliding", sliding_window=4))
    assert states(sliding)["Attention"] == "fails" and takers(sliding)["This lab"] == "fails"
    dear = look(target, target)
    assert states(dear)["Structure"] == "note"


def test_special_tokens_and_templates_are_compared(target: Path, tmp_path: Path) -> None:
    draft = save_model(tmp_path / "draft")
    for folder, more in (
        (target, {"chat_template": "{{ messages }}", "eos_token": "."}),
        (draft, {"eos_token": "mat"}),
    ):
        path = folder / "tokenizer_config.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | more))
    (target / "chat_template.jinja").write_text("{{ messages }}")
    found = next(f for f in look(target, draft).findings if f.name == "Special tokens")
    assert found.state == "note" and "end token" in found.words and "no chat template" in found.words


def test_the_pair_that_ships() -> None:
    preset, cache = find_preset("bundled"), read_settings().cache
    converted_target(preset.package, preset.file, cache, lambda fraction, words: None)
    report = examine(preset, cache)
    assert report.state == "fits" and report.tokens.borrowed
    assert (report.target.vocabulary, report.target.size.layers, report.draft.size.layers) == (49_152, 30, 2)
    assert 134e6 < report.target.size.weights < 135e6 and report.draft.size.weights < 15e6
    assert takers(report) == {"This lab": "fits", "Transformers": "note", "vLLM": "fails", "llama.cpp": "fails"}


def test_nothing_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr(socket, "getaddrinfo", lambda *a, **k: asked.append(a))
    monkeypatch.setattr(socket.socket, "connect", lambda *a: asked.append(a))
    with pytest.raises(ModelError, match="nothing is not on this machine, and this page fetches nothing"):
        examine(Preset("x", "x", target="nobody/nothing", draft="nobody/nothing"), NOWHERE)
    assert not asked


def test_what_a_hub_left_here_before_is_used(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outline_module, "try_to_load_from_cache", lambda name, file: str(target / file))
    assert examine(Preset("x", "x", target="some/big", draft="some/big"), NOWHERE).target.name == "big"


def test_a_target_that_was_never_converted(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="not converted yet"):
        examine(find_preset("bundled"), tmp_path)


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda f: (f / "config.json").write_text("[1, 2"), "configuration of draft"),
        (lambda f: (f / "config.json").write_text('{"model_type": "moon"}'), "configuration of draft"),
        (lambda f: (f / "config.json").unlink(), "configuration of draft"),
        (lambda f: (f / "tokenizer.json").write_text("{}"), "tokenizer of draft"),
        (lambda f: (f / "model.safetensors").write_bytes(b"half"), "weights of draft are damaged"),
    ],
)
def test_spoilt_folders_give_one_sentence(spoil, says: str, target: Path, tmp_path: Path) -> None:
    draft = save_model(tmp_path / "draft")
    spoil(draft)
    with pytest.raises(ModelError, match=says) as caught:
        look(target, draft)
    assert "\n" not in str(caught.value) and str(caught.value).endswith(".")


@pytest.mark.parametrize("name", ["", "no/such/folder", "~nobody-at-all/x", "a\0b", "a::b", "x" * 5000])
def test_names_that_are_no_folders(name: str, target: Path) -> None:
    with pytest.raises(ModelError) as caught:
        folders_preset(str(target), name)
    assert str(caught.value).endswith(".")
