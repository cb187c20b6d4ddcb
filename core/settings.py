"""Settings, read from environment variables. A visitor of the pages can change none of them.

| Variable             | Default                  | Meaning                                                        |
| -------------------- | ------------------------ | -------------------------------------------------------------- |
| SPECLAB_PRESET       | bundled                  | pair to load, by its name in core/models/presets.toml          |
| SPECLAB_DEVICE       | auto                     | cpu, cuda or cuda:N; auto takes CUDA where there is one        |
| SPECLAB_DTYPE        | auto                     | bfloat16, float16 or float32; auto measures and takes the best |
| SPECLAB_WIDTH        | the pair's own           | positions of every target pass, 1 to 64; 0 for no fixed width  |
| SPECLAB_THREADS      | alone                    | alone: all cores, short spinning. hosted: leaves a core to the |
|                      |                          | web server, never spins. A number: that many compute threads   |
| SPECLAB_WORKER       | as threads say           | thread: the models live in the server's own process. process:  |
|                      |                          | in one of their own, which hosted threads bring along          |
| SPECLAB_ENGINE       | local                    | local: one pair on this machine. ray: pairs on all machines of |
|                      |                          | a Ray cluster (requirements-ray.txt), or several on this one   |
| SPECLAB_REPLICAS     | 1                        | pairs that Ray loads                                           |
| SPECLAB_CACHE        | ~/.cache/speculative-lab | folder of converted models and measurements                    |
| SPECLAB_ACTIVE       | 4                        | runs that take turns, round by round                           |
| SPECLAB_QUEUE        | 64                       | runs that may wait after those; one more is turned away        |
| SPECLAB_TRACES       | 128                      | finished runs kept for whoever asks for the same again         |
| SPECLAB_MOST_TOKENS  | 2048; hosted 512         | tokens that one run may write                                  |
| SPECLAB_MOST_PROMPT  | 100,000; hosted 6000     | characters that a prompt may have                              |
| SPECLAB_SESSION_RUNS | 16; hosted 4             | runs that one visit may have under way at once                 |
| SPECLAB_FOLDERS      | off                      | on: chapter 15 reads configurations and tokenizers from any    |
|                      |                          | folder of this machine that a visitor names. Leave it off      |
|                      |                          | where others can reach the pages                               |
| SPECLAB_DATABASE     | a file in                | where classes and their votes are kept: postgresql://… or      |
|                      | ~/.local/share/          | sqlite:///FILE                                                 |
|                      | speculative-lab          |                                                                |
| SPECLAB_CLASS_HOURS  | 8                        | hours after which a class's code stops working                 |
| SPECLAB_CLASS_SIZE   | 500                      | phones that can join one class                                 |
| SPECLAB_VOTE_DAYS    | 90                       | days after which a class and its votes are deleted             |
| SPECLAB_METRICS      | off                      | HOST:PORT, or a port of this machine alone: where counters for |
|                      |                          | Prometheus are served, beside the pages                        |
| SPECLAB_LOG          | text                     | text, or json: one object a line                               |
| SPECLAB_LOG_PROMPTS  | off                      | on: what visitors ask the models is written to the log         |

Nothing here imports torch: the thread settings only count if they are made before it is loaded.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from pathlib import Path

MOST_THREADS = 8
"""Above this, more threads cost a small model's pass more in waiting than they save in arithmetic."""

LEAST_TOKENS, MOST_TOKENS = 64, 2048
"""Between these lies what one run may write: the chapters' own runs need the one, no request may ask for more than the
other."""
LEAST_PROMPT = 500
"""Characters that every prompt of the lab's own fits into."""


class SettingsError(ValueError):
    """A setting that makes no sense; the message is one sentence for the person who starts the program."""


@dataclass(frozen=True)
class Settings:
    """All settings, checked. `device`, `dtype` and `width` are None where the program decides."""

    preset: str
    device: str | None
    dtype: str | None
    width: int | None
    threads: str
    worker: str
    engine: str
    replicas: int
    cache: Path
    active: int
    queue: int
    traces: int
    folders: bool
    database: str
    class_hours: int
    class_size: int
    vote_days: int
    most_tokens: int
    most_prompt: int
    session_runs: int
    metrics: tuple[str, int] | None
    log: str
    log_prompts: bool

    @property
    def hosted(self) -> bool:
        """Whether the lab is set up for many people."""
        return self.threads == "hosted"


def read_settings(environment: Mapping[str, str] = os.environ) -> Settings:
    """The settings of this process.

    Raises:
        SettingsError: for a value that makes no sense.
    """
    dtype = _text(environment, "DTYPE", "auto")
    if dtype not in ("auto", "bfloat16", "float16", "float32"):
        raise SettingsError(f"SPECLAB_DTYPE is auto, bfloat16, float16 or float32, not {dtype!r}.")
    device = _text(environment, "DEVICE", "auto")
    if device not in ("auto", "cpu") and device.split(":")[0] != "cuda":
        raise SettingsError(f"SPECLAB_DEVICE is auto, cpu, cuda or cuda:N, not {device!r}.")
    width = _text(environment, "WIDTH", "")
    threads = _threads(environment)
    worker = _text(environment, "WORKER", "process" if threads == "hosted" else "thread")
    if worker not in ("thread", "process"):
        raise SettingsError(f"SPECLAB_WORKER is thread or process, not {worker!r}.")
    engine = _text(environment, "ENGINE", "local")
    if engine not in ("local", "ray"):
        raise SettingsError(f"SPECLAB_ENGINE is local or ray, not {engine!r}.")
    log = _text(environment, "LOG", "text")
    if log not in ("text", "json"):
        raise SettingsError(f"SPECLAB_LOG is text or json, not {log!r}.")
    hosted = threads == "hosted"
    return Settings(
        preset=_text(environment, "PRESET", "bundled"),
        device=None if device == "auto" else device,
        dtype=None if dtype == "auto" else dtype,
        width=_whole(environment, "WIDTH", 0, 0, 64) if width else None,
        threads=threads,
        worker=worker,
        engine=engine,
        replicas=_whole(environment, "REPLICAS", 1, 1, 1000),
        cache=_cache(environment),
        active=_whole(environment, "ACTIVE", 4, 1, 64),
        queue=_whole(environment, "QUEUE", 64, 0, 10_000),
        traces=_whole(environment, "TRACES", 128, 1, 100_000),
        folders=_switch(environment, "FOLDERS"),
        database=_database(environment),
        class_hours=_whole(environment, "CLASS_HOURS", 8, 1, 24 * 14),
        class_size=_whole(environment, "CLASS_SIZE", 500, 1, 100_000),
        vote_days=_whole(environment, "VOTE_DAYS", 90, 1, 3650),
        most_tokens=_whole(environment, "MOST_TOKENS", 512 if hosted else MOST_TOKENS, LEAST_TOKENS, MOST_TOKENS),
        most_prompt=_whole(environment, "MOST_PROMPT", 6000 if hosted else 100_000, LEAST_PROMPT, 1_000_000),
        session_runs=_whole(environment, "SESSION_RUNS", 4 if hosted else 16, 1, 1000),
        metrics=_metrics(environment),
        log=log,
        log_prompts=_switch(environment, "LOG_PROMPTS"),
    )


def configure_threads(environment: MutableMapping[str, str] = os.environ) -> None:
    """Set the compute threads' variables; what the user has set already is left alone. Call before importing torch.

    Threads that spin while they wait are quickest on a free machine and stall each other on a busy one.
    """
    try:
        mode = _threads(environment)
    except SettingsError:
        # An import is no place to complain: `read_settings` does, where the sentence can be shown.
        mode = "alone"
    cores = min(usable_cores(), MOST_THREADS)
    if mode == "hosted":
        environment.setdefault("OMP_NUM_THREADS", str(max(1, cores - 1)))
        environment.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    else:
        environment.setdefault("OMP_NUM_THREADS", str(cores) if mode == "alone" else mode)
        environment.setdefault("GOMP_SPINCOUNT", "1000")


def usable_cores() -> int:
    """Cores this process may use: its affinity, and its container's quota where there is one."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
        return max(1, min(cores, round(int(quota) / int(period))))
    except (OSError, ValueError):
        return cores


def _text(environment: Mapping[str, str], name: str, default: str) -> str:
    return environment.get(f"SPECLAB_{name}", "").strip() or default


def _whole(environment: Mapping[str, str], name: str, default: int, low: int, high: int) -> int:
    text = _text(environment, name, str(default))
    if not text.isascii() or not text.isdigit() or not low <= int(text) <= high:
        raise SettingsError(f"SPECLAB_{name} is a whole number from {low} to {high}, not {text!r}.")
    return int(text)


def _switch(environment: Mapping[str, str], name: str) -> bool:
    said = _text(environment, name, "off")
    if said not in ("on", "off"):
        raise SettingsError(f"SPECLAB_{name} is on or off, not {said!r}.")
    return said == "on"


def _metrics(environment: Mapping[str, str]) -> tuple[str, int] | None:
    """Where counters are served. A port without a host is this machine's own, which no other one reaches."""
    said = _text(environment, "METRICS", "off")
    if said == "off":
        return None
    host, _, port = said.rpartition(":")
    if not port.isascii() or not port.isdigit() or not 1 <= int(port) <= 65535:
        raise SettingsError(f"SPECLAB_METRICS is off, a port or HOST:PORT, not {said!r}.")
    return host.strip("[]") or "127.0.0.1", int(port)


def _threads(environment: Mapping[str, str]) -> str:
    mode = _text(environment, "THREADS", "alone")
    if mode not in ("alone", "hosted") and not (mode.isascii() and mode.isdigit() and 1 <= int(mode) <= 1024):
        raise SettingsError(f"SPECLAB_THREADS is alone, hosted or a number of threads, not {mode!r}.")
    return mode


def _cache(environment: Mapping[str, str]) -> Path:
    base = environment.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(_text(environment, "CACHE", f"{base}/speculative-lab")).expanduser()


def _database(environment: Mapping[str, str]) -> str:
    """An address that SQLAlchemy takes. PostgreSQL is reached by psycopg, whichever way it is written."""
    base = Path(environment.get("XDG_DATA_HOME") or "~/.local/share").expanduser()
    address = _text(environment, "DATABASE", f"sqlite:///{base}/speculative-lab/classroom.db")
    kind, _, rest = address.partition("://")
    if rest and kind in ("postgres", "postgresql", "postgresql+psycopg"):
        return f"postgresql+psycopg://{rest}"
    if kind == "sqlite" and rest.strip("/"):
        return address
    # The address may hold a password, so it is not repeated.
    raise SettingsError("SPECLAB_DATABASE is postgresql://USER:PASSWORD@HOST/NAME or sqlite:///FILE.")
