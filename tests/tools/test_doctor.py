"""Every check of the preflight, in good order and out of it."""

from __future__ import annotations

import json
import os
import socket
from importlib import metadata
from pathlib import Path

import pytest

from core.models.gguf import MANIFEST, WEIGHTS, converted_folder
from core.models.presets import Preset, find_preset
from core.settings import read_settings
from tools import doctor
from tools import doctor_checks as checks
from tools.doctor_checks import GB, Finding


@pytest.mark.parametrize(("free", "level"), [(0.5, "fail"), (1.99, "fail"), (3.0, "warn"), (4.0, "ok"), (64.0, "ok")])
def test_memory(free: float, level: str) -> None:
    found = checks.check_memory(int(free * GB))
    assert found.level == level and f"{free:.1f} GB" in found.words and bool(found.todo) is (level != "ok")
    assert checks.check_memory().words != "0.0 GB free"


@pytest.mark.parametrize(("cores", "level"), [(1, "warn"), (2, "ok"), (64, "ok")])
def test_cores(cores: int, level: str) -> None:
    assert checks.check_cores(cores).level == level


def test_threads() -> None:
    hosted, alone = read_settings({"SPECLAB_THREADS": "hosted"}), read_settings({})
    found = checks.check_threads(hosted, {"SPECLAB_THREADS": "hosted", "OMP_NUM_THREADS": "1"}, cores=2)
    assert (found.level, found.todo) == ("ok", "") and "process of their own" in found.words
    found = checks.check_threads(alone, {"OMP_NUM_THREADS": "2"}, cores=2)
    assert found.level == "ok" and "SPECLAB_THREADS=hosted" in found.todo
    for bad in ("9", "many", "0"):
        found = checks.check_threads(alone, {"OMP_NUM_THREADS": bad}, cores=2)
        assert found.level == "warn" and "OMP_NUM_THREADS" in found.todo


def test_cache(tmp_path: Path) -> None:
    assert checks.check_cache(tmp_path / "new" / "cache", space=int(9 * GB)).level == "ok"
    assert list((tmp_path / "new" / "cache").iterdir()) == []
    assert checks.check_cache(tmp_path, space=int(1 * GB)).level == "warn"
    full = checks.check_cache(tmp_path, space=int(0.1 * GB))
    assert full.level == "fail" and "0.7 GB" in full.todo
    (tmp_path / "file").touch()
    found = checks.check_cache(tmp_path / "file")
    assert found.level == "fail" and "cannot be written" in found.words and "SPECLAB_CACHE" in found.todo


def test_models_in_folders(tmp_path: Path) -> None:
    whole, bare = tmp_path / "whole", tmp_path / "bare"
    for folder in (whole, bare):
        folder.mkdir()
    for file in ("model.safetensors", "config.json"):
        (whole / file).touch()
    pair = Preset("x", "X", target=str(whole), draft=str(bare), head=str(tmp_path / "none"))
    assert [(f.name, f.level) for f in checks.check_models(pair, tmp_path)] == [
        ("target", "ok"),
        ("draft", "fail"),
        ("head", "warn"),
    ]


def test_the_bundled_target_is_converted_or_not(tmp_path: Path) -> None:
    preset = find_preset("bundled")
    target, draft = checks.check_models(preset, tmp_path)[:2]
    assert (target.level, draft.level) == ("warn", "ok") and "make models" in target.todo
    folder = converted_folder(preset.package, preset.file, tmp_path)
    folder.mkdir(parents=True)
    (folder / WEIGHTS).write_bytes(b"123")
    (folder / MANIFEST).write_text(json.dumps({"bytes": 3}))
    assert checks.check_models(preset, tmp_path)[0].level == "ok"
    lost = checks.check_models(Preset("x", "X", draft="", package="no-such-package", file="x.gguf"), tmp_path)[0]
    assert lost.level == "fail" and "not installed" in lost.words


def test_port() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        found = checks.check_port("127.0.0.1", port)
        assert found.level == "fail" and str(port) in found.words and "PORT=" in found.todo
    assert checks.check_port("127.0.0.1", port).level == "ok"
    assert checks.check_port("no.such.host.invalid", port).level == "fail"


def test_database(tmp_path: Path) -> None:
    found = checks.check_database(f"sqlite:///{tmp_path}/new/votes.db")
    assert found.level == "ok" and "votes.db" in found.words
    (tmp_path / "file").touch()
    found = checks.check_database(f"sqlite:///{tmp_path}/file/votes.db")
    assert found.level == "fail" and "SPECLAB_DATABASE" in found.todo
    found = checks.check_database(f"postgresql+psycopg://lab:secret@/x?host={tmp_path}")
    assert found.level == "fail" and "secret" not in found.words


def test_versions(tmp_path: Path) -> None:
    there = metadata.version("numpy")
    needed, rest = tmp_path / "requirements.txt", tmp_path / "constraints.txt"
    rest.write_text("not-installed-anywhere==1.0\n")
    needed.write_text(f"# a comment\n-c constraints.txt\nnumpy=={there}\n")
    assert checks.check_versions(needed, rest).level == "ok"
    needed.write_text("numpy==0.1\n")
    found = checks.check_versions(needed, rest)
    assert found.level == "warn" and f"numpy {there} (tested: 0.1)" in found.words
    needed.write_text("no-such-package[binary]==1.0\n")
    found = checks.check_versions(needed, rest)
    assert found.level == "fail" and "no-such-package" in found.words


def test_identity() -> None:
    found = [checks.check_identity(worst) for worst in (0.0, 2e-5, 0.4, None)]
    assert [one.level for one in found] == ["ok", "ok", "warn", "warn"]
    assert "last bit" in found[0].words and "2e-05" in found[1].words and "float32" in found[2].todo


def test_user(monkeypatch: pytest.MonkeyPatch) -> None:
    for number, level in ((0, "warn"), (1000, "ok")):
        monkeypatch.setattr(os, "geteuid", lambda number=number: number)
        assert checks.check_user().level == level


def test_the_report_has_a_line_each_and_fails_where_one_does(capsys: pytest.CaptureFixture[str]) -> None:
    good, odd, bad = (
        Finding("a", "ok", "fine"),
        Finding("b", "warn", "so so", "Look."),
        Finding("c", "fail", "no", "Do."),
    )
    assert doctor.report([good]) == 0 and "All is well." in capsys.readouterr().out
    assert doctor.report([good, odd]) == 0 and "0 to mend first, 1 to think about." in capsys.readouterr().out
    assert doctor.report([good, odd, bad]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[:1] + lines[1:5:2]] == ["ok", "warn", "FAIL"]
    assert lines[2].strip() == "Look." and lines[4].strip() == "Do."


def test_all_checks_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SPECLAB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("SPECLAB_DATABASE", f"sqlite:///{tmp_path}/votes.db")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert doctor.main(["--quick", "--address=127.0.0.1", f"--port={taken.getsockname()[1]}"]) == 1
    said = capsys.readouterr().out
    for name in "packages cores threads memory cache target draft port database user identity".split():
        assert sum(line[6:].startswith(f"{name} ") for line in said.splitlines()) == 1
    monkeypatch.setenv("SPECLAB_QUEUE", "many")
    assert doctor.main([]) == 1 and "SPECLAB_QUEUE" in capsys.readouterr().out
