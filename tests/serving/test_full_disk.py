"""A cache that takes nothing: measurements go on and say so, a conversion says what to do."""

from __future__ import annotations

import logging
import resource
import signal
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from core.cached_file import keep
from core.measure import latency
from core.models import gguf, machine
from core.models.errors import ModelError
from core.models.pair import Costs, Identity
from core.models.presets import find_preset

CURVE = latency.LatencyCurve((1, 2), (0.01, 0.01), (0.01, 0.02), 8, 3)
FINDINGS = machine.Findings("float32", Costs({}, {}), 1.0, Identity(True, 0.0))


def no_folder(tmp_path: Path) -> Path:
    """A folder that cannot be made, even by root."""
    (tmp_path / "file").touch()
    return tmp_path / "file" / "cache"


def test_what_was_measured_and_cannot_be_kept_is_said_once_and_used(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cache = no_folder(tmp_path)

    def measuring() -> latency.Measuring:
        yield 0.5
        return CURVE

    with caplog.at_level(logging.WARNING):
        assert latency.drain(latency.cached(cache / "curve.json", measuring)) == CURVE
        machine.write_findings(cache / "machine.json", "key", FINDINGS)
    assert len(caplog.messages) == 2
    for message in caplog.messages:
        assert "cannot be kept" in message and "SPECLAB_CACHE" in message and str(cache) in message


def test_a_disk_that_fills_up_leaves_no_half_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(self: Path, text: str, **_: object) -> int:
        self.touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    keep(tmp_path / "curve.json", "{}", "The measured curve")
    machine.write_findings(tmp_path / "machine.json", "key", FINDINGS)
    assert list(tmp_path.iterdir()) == [] and caplog.text.count("No space left on device") == 2


def test_a_conversion_into_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    preset = find_preset("bundled")
    with pytest.raises(ModelError, match="can't be written to .*SPECLAB_CACHE"):
        gguf.converted_target(preset.package, preset.file, no_folder(tmp_path), lambda fraction, words: None)


def test_the_weights_own_writer_is_heard_when_the_disk_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files may have 100 kB for a moment, which is what a full disk is to the library that writes weights."""

    def convert(source: Path, folder: Path) -> None:
        save_file({"a": torch.zeros(10**6)}, folder / gguf.WEIGHTS)

    monkeypatch.setattr(gguf, "_convert", convert)
    preset = find_preset("bundled")
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        with pytest.raises(ModelError, match="can't be written to .*600 MB there"):
            gguf.converted_target(preset.package, preset.file, tmp_path, lambda fraction, words: None)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, handler)
    assert list((tmp_path / "targets").iterdir()) == []
