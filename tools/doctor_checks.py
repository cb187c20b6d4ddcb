"""What can keep the lab from running well on a machine: one check each, its finding in a sentence."""

from __future__ import annotations

import os
import re
import shutil
import socket
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Literal

import psutil

from core.classroom import ClassroomDown, open_database
from core.models.errors import ModelError
from core.models.gguf import converted_folder, is_whole
from core.models.presets import ROOT, Preset
from core.settings import Settings, configure_threads, usable_cores

Level = Literal["ok", "warn", "fail"]
GB = 1e9
LEAST_MEMORY, GOOD_MEMORY = 2.0 * GB, 4.0 * GB
"""Free bytes: what the bundled pair takes while it loads, and what leaves room for a class besides."""
CONVERSION, GOOD_SPACE = 0.7 * GB, 2.0 * GB
"""Free bytes on the cache's disk: what the conversion writes, and what is comfortable."""

ROUNDING = 1e-3
"""A difference in logits below this is float32's rounding, and far below what parts two choices."""
UNCHECKED = "Run this again without --quick, or start the lab: it looks each time."


@dataclass(frozen=True)
class Finding:
    """What a check found, and what to do about it (empty where nothing is to be done)."""

    name: str
    level: Level
    words: str
    todo: str = ""


def check_memory(free: int | None = None) -> Finding:
    """Free memory, against what the bundled pair and a class take."""
    there = psutil.virtual_memory().available if free is None else free
    words = f"{there / GB:.1f} GB free"
    if there < LEAST_MEMORY:
        return Finding("memory", "fail", words, f"Close other programs: the pair needs {LEAST_MEMORY / GB:g} GB.")
    if there < GOOD_MEMORY:
        return Finding("memory", "warn", words, f"Enough for a few: {GOOD_MEMORY / GB:g} GB are better for a class.")
    return Finding("memory", "ok", words)


def check_cores(cores: int | None = None) -> Finding:
    """Cores that the lab may use."""
    there = usable_cores() if cores is None else cores
    if there < 2:
        return Finding("cores", "warn", "1 core", "The models and the pages share it: give the lab two or more.")
    return Finding("cores", "ok", f"{there} cores")


def check_threads(settings: Settings, environment: Mapping[str, str], cores: int | None = None) -> Finding:
    """Compute threads: not more than there are cores, and one left where many people come."""
    there = usable_cores() if cores is None else cores
    found = dict(environment)
    configure_threads(found)
    threads = int(found["OMP_NUM_THREADS"]) if found["OMP_NUM_THREADS"].isdigit() else 0
    kind = "in a process of their own" if settings.worker == "process" else "in the server's process"
    words = f"SPECLAB_THREADS={settings.threads}: {threads} compute threads, the models {kind}"
    if not 1 <= threads <= there:
        return Finding("threads", "warn", words, f"Unset OMP_NUM_THREADS: there are {there} cores.")
    if not settings.hosted:
        return Finding("threads", "ok", words, "For many people at once, set SPECLAB_THREADS=hosted.")
    return Finding("threads", "ok", words)


def check_cache(folder: Path, space: int | None = None) -> Finding:
    """Whether the cache's folder takes files, and has room for more."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, prefix="doctor-") as probe:
            probe.write(b"x" * 4096)
            probe.flush()
    except OSError as error:
        words = f"{folder} cannot be written ({error.strerror or error})"
        return Finding("cache", "fail", words, "Give it to the lab's user, or set SPECLAB_CACHE to another folder.")
    free = shutil.disk_usage(folder).free if space is None else space
    words = f"{folder}, {free / GB:.1f} GB free"
    if free < CONVERSION:
        return Finding("cache", "fail", words, f"Free {CONVERSION / GB:g} GB there: converting the target needs it.")
    if free < GOOD_SPACE:
        return Finding("cache", "warn", words, f"Free some space there: {GOOD_SPACE / GB:g} GB are comfortable.")
    return Finding("cache", "ok", words)


def check_models(preset: Preset, cache: Path) -> list[Finding]:
    """Whether target, draft and head are on this machine."""
    found = [_target(preset, cache), _folder("draft", preset.draft)]
    return found + ([_folder("head", preset.head)] if preset.head else [])


def _target(preset: Preset, cache: Path) -> Finding:
    if not preset.package:
        return _folder("target", preset.target)
    try:
        folder = converted_folder(preset.package, preset.file, cache)
    except ModelError as error:
        return Finding("target", "fail", f"{preset.package} is not installed", str(error))
    if is_whole(folder):
        return Finding("target", "ok", f"{folder.name}, converted")
    todo = "Run `make models` now, or the first start takes half a minute longer."
    return Finding("target", "warn", f"{preset.file} is not converted yet", todo)


def _folder(name: str, reference: str) -> Finding:
    folder = ROOT / Path(reference).expanduser()
    if not folder.is_dir():
        todo = "It is fetched at the start, if the network allows. A local folder in presets.toml needs none."
        return Finding(name, "warn", f"{reference} is not a folder here", todo)
    if not list(folder.glob("*.safetensors")) or not (folder / "config.json").is_file():
        return Finding(name, "fail", f"{reference} lacks its weights or config.json", "Fetch it again.")
    return Finding(name, "ok", reference)


def check_port(address: str, port: int) -> Finding:
    """Whether the pages' port is free at this address."""
    here = f"{address or 'every address'}, port {port}"
    try:
        kind, *_, where = socket.getaddrinfo(address or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        with socket.socket(kind) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(where)
    except OSError as error:
        todo = "Stop what runs there, or serve elsewhere: make run PORT=8600."
        return Finding("port", "fail", f"{here} cannot be used ({error.strerror or error})", todo)
    return Finding("port", "ok", f"{here} is free")


def check_database(address: str) -> Finding:
    """Whether votes can be kept: opening brings the tables up to date, which writes."""
    kind = "PostgreSQL" if address.startswith("postgresql") else "SQLite"
    try:
        open_database(address).close()
    except ClassroomDown as error:
        todo = "See the line above, then SPECLAB_DATABASE: is the server on, may its user write?"
        return Finding("database", "fail", f"{kind}: {error}", todo)
    if kind == "SQLite":
        return Finding("database", "ok", f"SQLite, {address.partition('///')[2]}, can be written")
    return Finding("database", "ok", "PostgreSQL, can be written")


def check_versions(requirements: Path, constraints: Path) -> Finding:
    """Installed packages, against the versions that the program was tested with."""
    needed, wrong, missing = _pins(requirements), [], []
    for name, version in (_pins(constraints) | needed).items():
        try:
            # PyTorch's own builds say after a plus what they are for.
            there = metadata.version(name).partition("+")[0]
        except metadata.PackageNotFoundError:
            missing += [name] if name in needed else []
            continue
        if there != version:
            wrong.append(f"{name} {there} (tested: {version})")
    if missing:
        return Finding("packages", "fail", f"not installed: {', '.join(missing)}", "pip install -r requirements.txt")
    if wrong:
        return Finding("packages", "warn", ", ".join(wrong), "pip install -r requirements.txt")
    return Finding("packages", "ok", f"the {len(needed)} that the program names, as tested")


def _pins(file: Path) -> dict[str, str]:
    """Names and versions of a requirements file's `name==version` lines."""
    lines = re.findall(r"^([\w.\-]+)(?:\[.*?\])?==(\S+)", file.read_text(encoding="utf-8"), re.MULTILINE)
    return dict(lines)


def check_identity(worst: float | None) -> Finding:
    """What the check at start found: how far a token's logits part when passes are grouped otherwise.

    Args:
        worst: the largest difference seen, in logits; 0 for none to the last bit, None where nobody has looked.
    """
    if worst is None:
        return Finding("identity", "warn", "not checked on this machine yet", UNCHECKED)
    if worst == 0:
        return Finding("identity", "ok", "logits are the same to the last bit, however passes are grouped")
    words = f"logits part by up to {worst:.1g} when passes are grouped otherwise"
    if worst < ROUNDING:
        return Finding("identity", "ok", f"{words}: rounding, too little to change a text")
    todo = "Greedy texts may part from standard decoding's: SPECLAB_DTYPE=float32 keeps them together."
    return Finding("identity", "warn", words, todo)


def check_user() -> Finding:
    """Whether the lab would run as root, which nothing here needs."""
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        return Finding("user", "warn", "root", "The lab needs no rights: run it as a user of its own.")
    return Finding("user", "ok", "not root")
