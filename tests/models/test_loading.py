"""What can go wrong with models: each failure is one sentence, and nothing half-written is ever used."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from core.decoding import DecodeRequest, decode
from core.models import ModelError, load_pair, presets
from core.models import gguf as gguf_module
from core.models.checks import check_config, check_memory
from core.models.machine import Costs, Findings, Identity, read_findings, write_findings


def save_model(folder: Path, words: str = "the cat sat on a mat .", **config: object) -> Path:
    """A tiny Llama with a word tokenizer, as two local folders would hold it."""
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace

    vocabulary = {w: i for i, w in enumerate(["[unk]", *words.split()])}
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="[unk]"))
    tokenizer.pre_tokenizer = Whitespace()
    settings = {"vocab_size": 8, "hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1} | config
    model = LlamaForCausalLM(LlamaConfig(num_attention_heads=2, num_key_value_heads=1, **settings))
    model.save_pretrained(folder)
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="[unk]").save_pretrained(folder)
    return folder


@pytest.fixture
def folders(tmp_path, monkeypatch) -> tuple[Path, Path]:
    monkeypatch.setenv("SPECLAB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    return save_model(tmp_path / "target"), save_model(tmp_path / "draft")


def load(folders: tuple[Path, Path], **options: object):
    return load_pair(f"{folders[0]}::{folders[1]}", dtype="float32", **options)  # type: ignore[arg-type]


def refused(call, match: str) -> None:
    with pytest.raises(ModelError, match=match) as caught:
        call()
    assert "\n" not in str(caught.value) and str(caught.value).endswith(".")


def test_two_local_folders_make_a_pair_that_decodes(folders):
    pair = load(folders)
    trace = decode(pair, DecodeRequest("the cat", max_new_tokens=6, gamma=2))
    standard = decode(pair, DecodeRequest("the cat", max_new_tokens=6, method="standard"))
    assert trace.tokens == standard.tokens and pair.target_name == "target"


def test_progress_is_told_from_start_to_end(folders):
    told: list[float] = []
    load(folders, progress=lambda fraction, words: told.append(fraction))
    assert told == sorted(told) and told[-1] == 1.0


def test_an_unknown_preset_lists_those_there_are():
    refused(lambda: load_pair("nonsense"), "bundled")


def test_a_folder_that_is_not_there(tmp_path):
    refused(lambda: load_pair(f"{tmp_path}/a::{tmp_path}/b"), "There is no folder")


def test_a_model_that_cannot_be_fetched(monkeypatch, tmp_path):
    monkeypatch.setenv("SPECLAB_CACHE", str(tmp_path))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    refused(lambda: load_pair("qwen-1_5b"), "not on this machine")


def test_half_downloaded_weights(folders):
    weights = folders[0] / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])
    refused(lambda: load(folders), "damaged or half downloaded")


def test_missing_weights(folders):
    (folders[1] / "model.safetensors").unlink()
    refused(lambda: load(folders), "draft is not")


def test_pickled_weights_are_never_loaded(folders):
    (folders[0] / "model.safetensors").unlink()
    torch.save({}, folders[0] / "pytorch_model.bin")
    refused(lambda: load(folders), "safetensors")


def test_code_from_a_folder_is_never_run(folders, tmp_path):
    config = json.loads((folders[0] / "config.json").read_text())
    config |= {"model_type": "strange", "auto_map": {"AutoConfig": "evil.Config", "AutoModelForCausalLM": "evil.Model"}}
    (folders[0] / "config.json").write_text(json.dumps(config))
    (folders[0] / "evil.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    refused(lambda: load(folders), "can't be used here")
    assert not (tmp_path / "ran").exists()


def test_broken_configuration(folders):
    (folders[0] / "config.json").write_text("{")
    with pytest.raises(ModelError):
        load(folders)


def test_tokenizers_that_differ(folders, tmp_path):
    other = save_model(tmp_path / "other", words="sat the cat on a mat .")
    refused(lambda: load((folders[0], other)), "token")


def test_layers_that_forget_cannot_be_rolled_back():
    config = LlamaConfig()
    config.layer_types = ["sliding_attention", "full_attention"]
    refused(lambda: check_config(config, "model"), "rolled back")


def test_too_little_memory():
    refused(lambda: check_memory(10**15, torch.device("cpu")), "GB are free")


def test_a_device_that_is_not_there(folders):
    if torch.cuda.is_available():
        assert load(folders, device="cuda").device.type == "cuda"
    else:
        refused(lambda: load(folders, device="cuda"), "no CUDA device")


def test_an_unknown_dtype():
    refused(lambda: load_pair(dtype="int3"), "dtype")


def test_a_missing_target_package(monkeypatch, tmp_path):
    refused(
        lambda: gguf_module.converted_target("no-such-package", "x.gguf", tmp_path, lambda f, w: None), "not installed"
    )


@pytest.mark.parametrize("damage", ["cut", "no manifest", "bad manifest", "no weights"])
def test_a_conversion_that_was_not_finished_is_made_again(damage, tmp_path, monkeypatch):
    made = []

    def convert(source: Path, folder: Path) -> None:
        made.append(folder)
        (folder / gguf_module.WEIGHTS).write_bytes(b"x" * 100)
        (folder / gguf_module.MANIFEST).write_text(json.dumps({"bytes": 100}))

    monkeypatch.setattr(gguf_module, "_convert", convert)
    preset = presets()["bundled"]
    folder = gguf_module.converted_target(preset.package, preset.file, tmp_path, lambda f, w: None)
    assert gguf_module.converted_target(preset.package, preset.file, tmp_path, lambda f, w: None) == folder
    assert len(made) == 1
    match damage:
        case "cut":
            (folder / gguf_module.WEIGHTS).write_bytes(b"x" * 60)
        case "no manifest":
            (folder / gguf_module.MANIFEST).unlink()
        case "bad manifest":
            (folder / gguf_module.MANIFEST).write_text("{")
        case "no weights":
            (folder / gguf_module.WEIGHTS).unlink()
    gguf_module.converted_target(preset.package, preset.file, tmp_path, lambda f, w: None)
    assert len(made) == 2 and gguf_module.is_whole(folder)


def test_an_interrupted_conversion_leaves_nothing_behind(tmp_path, monkeypatch):
    def convert(source: Path, folder: Path) -> None:
        (folder / gguf_module.WEIGHTS).write_bytes(b"x")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(gguf_module, "_convert", convert)
    preset = presets()["bundled"]
    refused(
        lambda: gguf_module.converted_target(preset.package, preset.file, tmp_path, lambda f, w: None), "No space left"
    )
    assert list((tmp_path / "targets").iterdir()) == []


def test_findings_are_kept_and_damaged_files_ignored(tmp_path):
    path, found = tmp_path / "machine.json", Findings("float32", Costs({"float32": 1.0}, {}), 1.5, Identity(True, 0.0))
    assert read_findings(path, "a") is None
    write_findings(path, "a", found)
    write_findings(path, "b", found)
    assert read_findings(path, "a") == read_findings(path, "b") == found
    path.write_text(path.read_text()[:30])
    assert read_findings(path, "a") is None
    write_findings(path, "a", found)
    assert read_findings(path, "a") == found


def test_the_bundled_pair_says_what_it_is(pair):
    assert pair.dtype == torch.float32 and pair.width is None and "float32" in pair.reason
    assert pair.context == 8192 and pair.eos_ids == {2} and pair.vocabulary == 49152
    assert pair.identity is not None and pair.identity.worst < 1e-3


def test_the_bundled_draft_shares_the_targets_embeddings(pair):
    ours, theirs = (m.get_input_embeddings().weight for m in (pair.draft, pair.target))
    assert ours.data_ptr() == theirs.data_ptr()
