"""The files that a host starts from name settings, modules and folders that exist, and are what they say they are."""

from __future__ import annotations

import ast
import importlib.util
import re
from pathlib import Path

import pytest
import yaml

from core import settings
from core.settings import read_settings

ROOT = Path(__file__).parents[1]
FILES = ("Dockerfile", "compose.yaml", "deploy/speculative-lab.service", "deploy/nginx.conf", "docs/hosting.md")
KNOWN = set(re.findall(r"SPECLAB_\w+", settings.__doc__ or ""))


def text(file: str) -> str:
    return (ROOT / file).read_text(encoding="utf-8")


@pytest.mark.parametrize("file", FILES)
def test_settings_and_modules_named_there_exist(file: str) -> None:
    assert set(re.findall(r"SPECLAB_\w+", text(file))) <= KNOWN
    for module in re.findall(r"-m\"?,? \"?((?:core|ui|tools)(?:\.\w+)*)", text(file)):
        assert importlib.util.find_spec(module), module


def test_every_setting_is_in_the_table_of_settings() -> None:
    read = set(re.findall(r'_(?:text|whole|switch)\(environment, "(\w+)"', text("core/settings.py")))
    assert {f"SPECLAB_{name}" for name in read} == KNOWN


def test_what_they_set_is_accepted() -> None:
    unit = dict(re.findall(r"^Environment=(SPECLAB_\w+)=(\S+)$", text("deploy/speculative-lab.service"), re.MULTILINE))
    image = dict(re.findall(r"^(?:ENV|   )\s*(SPECLAB_\w+)=(\S+)", text("Dockerfile"), re.MULTILINE))
    compose = yaml.safe_load(text("compose.yaml"))["services"]["lab"]["environment"]
    filled = {name: re.sub(r"\$\{LAB_DB_PASSWORD.*?\}", "secret", str(value)) for name, value in compose.items()}
    for given in (unit, image, filled):
        found = read_settings(given)
        assert found.hosted and found.worker == "process" and found.log == "json"
    assert read_settings(filled).database == "postgresql+psycopg://lab:secret@votes/lab"
    assert read_settings(unit).metrics == ("127.0.0.1", 9464)


def test_the_image_has_two_targets_runs_as_nobody_special_and_keeps_secrets_out() -> None:
    lines = text("Dockerfile").splitlines()
    targets = [line.split()[-1] for line in lines if line.startswith("FROM ")]
    assert {"cpu", "cuda"} <= set(targets)
    for target in ("cpu", "cuda"):
        start = next(i for i, line in enumerate(lines) if line.startswith("FROM ") and line.endswith(f" AS {target}"))
        after = next((i for i in range(start + 1, len(lines)) if lines[i].startswith("FROM ")), len(lines))
        stage = lines[start:after]
        assert "USER lab" in stage and any("core.models" in line for line in stage)
        assert any("tools.healthy" in line for line in stage)
    ignored = text(".dockerignore").splitlines()
    assert {".git", ".venv", ".env", ".streamlit/secrets.toml"} <= set(ignored)
    assert not {"models", "content", "static", "core"} & set(ignored)


def test_compose_publishes_the_pages_to_this_machine_only() -> None:
    services = yaml.safe_load(text("compose.yaml"))["services"]
    assert [p.split(":")[0] for p in services["lab"]["ports"]] == ["127.0.0.1"] and "ports" not in services["votes"]
    assert services["lab"]["expose"] == ["9464"]


def missing(said: str) -> list[str]:
    """The tests that a text names and that are not there; `…::name` is in the file named before it."""
    found, file = [], ""
    for named, test in re.findall(r"`(tests/[\w/]+\.py|…)(?:::(\w+))?`", said):
        file = file if named == "…" else named
        there = (ROOT / file).is_file() and {
            node.name for node in ast.walk(ast.parse(text(file))) if isinstance(node, ast.FunctionDef)
        }
        if not there or (test and test not in there):
            found.append(f"{file}::{test}")
    return found


def test_every_threat_names_a_test_and_each_exists() -> None:
    said = text("docs/security.md")
    assert missing(said) == []
    rows = [line.split(" | ") for line in said.splitlines() if line.startswith("| ") and "---" not in line][1:]
    assert len(rows) > 10 and [row[0] for row in rows if len(row) != 3 or "`tests/" not in row[2]] == []
    # What it must notice: a test that was renamed, one of the same file, a file that is gone.
    gone = "`tests/test_hosting.py::text` `…::nothing` `tests/none.py` `tests/none.py::text`"
    assert missing(gone) == ["tests/test_hosting.py::nothing", "tests/none.py::", "tests/none.py::text"]
