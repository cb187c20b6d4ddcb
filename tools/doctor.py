"""Is this machine ready for the lab? `python -m tools.doctor` looks at everything that a start needs.

It changes nothing but what a start would: it makes the cache's folder and brings the votes' tables up to date.
One line a finding: ok, warn or fail, and what to do. The exit status is 1 where anything fails.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Iterator, Sequence

import core  # noqa: F401  (its thread settings come before torch)
from core.models.errors import ModelError
from core.models.gguf import converted_folder
from core.models.presets import ROOT, find_preset, resolve
from core.settings import Settings, SettingsError, read_settings
from tools import doctor_checks as checks
from tools.doctor_checks import Finding

MARKS = {"ok": "ok  ", "warn": "warn", "fail": "FAIL"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print every finding and give the process's exit status."""
    parser = argparse.ArgumentParser(prog="python -m tools.doctor", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--address", default="localhost", help="where the pages are to be served")
    parser.add_argument("--port", type=int, default=8501)
    parser.add_argument("--quick", action="store_true", help="do not load the pair where nothing is known of it yet")
    given = parser.parse_args(arguments)
    try:
        settings = read_settings()
    except SettingsError as error:
        return report([Finding("settings", "fail", str(error))])
    return report(findings(settings, given.address, given.port, given.quick))


def findings(settings: Settings, address: str, port: int, quick: bool) -> Iterator[Finding]:
    """All checks, the quick ones first."""
    yield checks.check_versions(ROOT / "requirements.txt", ROOT / "constraints.txt")
    yield checks.check_cores()
    yield checks.check_threads(settings, os.environ)
    yield checks.check_memory()
    yield checks.check_cache(settings.cache)
    try:
        yield from checks.check_models(find_preset(settings.preset), settings.cache)
    except ModelError as error:
        yield Finding("models", "fail", str(error))
    yield checks.check_port(address, port)
    yield checks.check_database(settings.database)
    yield checks.check_user()
    yield checks.check_identity(_worst(settings, quick))


def report(found: Iterable[Finding]) -> int:
    """Print findings as they come; 1 where one of them is a failure."""
    levels = []
    for one in found:
        levels.append(one.level)
        print(f"{MARKS[one.level]}  {one.name:<9} {one.words}", flush=True)
        if one.todo:
            print(f"{'':<16}{one.todo}", flush=True)
    failed, warned = levels.count("fail"), levels.count("warn")
    print(f"{failed} to mend first, {warned} to think about." if failed or warned else "All is well.")
    return int(failed > 0)


def _worst(settings: Settings, quick: bool) -> float | None:
    """What an earlier start found on this machine with these settings; else what loading the pair finds now."""
    import torch

    from core.models import ModelError, load_pair, machine

    try:
        device = torch.device(settings.device or ("cuda" if torch.cuda.is_available() else "cpu"))
        key = machine.machine_key(_target(settings), device, settings.dtype, settings.width)
        found = machine.read_findings(settings.cache / "machine.json", key)
        identity = found.identity if found else None
        if identity is None and not quick:
            identity = load_pair(settings.preset).identity
    except (ModelError, RuntimeError) as error:
        print(error, file=sys.stderr)
        return None
    return identity.worst if identity else None


def _target(settings: Settings) -> str:
    """Where the target is, as the loader names it."""
    preset = find_preset(settings.preset)
    if preset.package:
        return str(converted_folder(preset.package, preset.file, settings.cache))
    return resolve(preset.target)


if __name__ == "__main__":
    sys.exit(main())
