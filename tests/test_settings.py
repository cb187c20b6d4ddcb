import subprocess
import sys
from pathlib import Path

import pytest

from core.decoding.request import MAX_NEW_TOKENS, DecodeRequest
from core.serving.limits import limits_of
from core.settings import SettingsError, configure_threads, read_settings, usable_cores
from ui.content import chapters, default_requests, prompts


def test_the_defaults() -> None:
    settings = read_settings({})
    assert (settings.preset, settings.device, settings.dtype, settings.width) == ("bundled", None, None, None)
    assert (settings.threads, settings.active, settings.queue, settings.traces) == ("alone", 4, 64, 128)
    assert settings.cache == Path.home() / ".cache" / "speculative-lab"


def test_what_is_set() -> None:
    settings = read_settings(
        {
            "SPECLAB_PRESET": "gpt2",
            "SPECLAB_DEVICE": "cuda:1",
            "SPECLAB_DTYPE": "float32",
            "SPECLAB_WIDTH": "0",
            "SPECLAB_CACHE": "/tmp/x",
            "SPECLAB_QUEUE": "0",
            "SPECLAB_ACTIVE": " 2 ",
        }
    )
    assert (settings.preset, settings.device, settings.dtype, settings.width) == ("gpt2", "cuda:1", "float32", 0)
    assert (settings.cache, settings.queue, settings.active) == (Path("/tmp/x"), 0, 2)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DEVICE", "tpu"),
        ("DTYPE", "int8"),
        ("WIDTH", "-1"),
        ("WIDTH", "65"),
        ("THREADS", "many"),
        ("THREADS", "0"),
        ("QUEUE", "1.5"),
        ("ACTIVE", "0"),
        ("TRACES", "²"),
        ("MOST_TOKENS", "10"),
        ("MOST_TOKENS", "2049"),
        ("MOST_PROMPT", "1"),
        ("SESSION_RUNS", "0"),
        ("METRICS", "on"),
        ("METRICS", "0.0.0.0:"),
        ("METRICS", "localhost:99999"),
        ("LOG", "xml"),
        ("LOG_PROMPTS", "yes"),
    ],
)
def test_a_bad_value_is_named_in_one_sentence(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=f"SPECLAB_{name} is .*, not '{value}'\\.$"):
        read_settings({f"SPECLAB_{name}": value})


def test_threads_alone_hosted_and_by_number() -> None:
    cores = min(usable_cores(), 8)
    alone: dict[str, str] = {}
    hosted, three = {"SPECLAB_THREADS": "hosted"}, {"SPECLAB_THREADS": "3"}
    for environment in (alone, hosted, three):
        configure_threads(environment)
    assert alone == {"OMP_NUM_THREADS": str(cores), "GOMP_SPINCOUNT": "1000"}
    assert hosted["OMP_NUM_THREADS"] == str(max(1, cores - 1)) and hosted["OMP_WAIT_POLICY"] == "PASSIVE"
    assert three["OMP_NUM_THREADS"] == "3"


def test_limits_are_tight_where_many_come_and_leave_room_for_the_chapters() -> None:
    alone, hosted = read_settings({}), read_settings({"SPECLAB_THREADS": "hosted"})
    assert (alone.most_tokens, alone.session_runs, alone.hosted) == (MAX_NEW_TOKENS, 16, False)
    assert (hosted.most_tokens, hosted.most_prompt, hosted.session_runs, hosted.hosted) == (512, 6000, 4, True)
    least = read_settings({"SPECLAB_MOST_TOKENS": "64", "SPECLAB_MOST_PROMPT": "500", "SPECLAB_THREADS": "hosted"})
    for request in (*default_requests(), *(DecodeRequest(p.text) for p in prompts())):
        limits_of(least).check([request])
    assert least.most_tokens >= max(c.length for c in chapters())


def test_counters_are_this_machines_own_unless_told() -> None:
    assert read_settings({}).metrics is None
    for said, where in (
        ("9464", ("127.0.0.1", 9464)),
        (":9464", ("127.0.0.1", 9464)),
        ("0.0.0.0:9464", ("0.0.0.0", 9464)),
        ("[::1]:80", ("::1", 80)),
    ):
        assert read_settings({"SPECLAB_METRICS": said}).metrics == where


def test_prompts_stay_out_of_the_log_unless_told() -> None:
    assert not read_settings({}).log_prompts and read_settings({"SPECLAB_LOG_PROMPTS": "on"}).log_prompts


def test_a_bad_thread_setting_stops_no_import() -> None:
    bad, alone = {"SPECLAB_THREADS": "many"}, dict[str, str]()
    configure_threads(bad)
    configure_threads(alone)
    assert bad == {**alone, "SPECLAB_THREADS": "many"}


def test_what_the_user_has_set_is_left_alone() -> None:
    environment = {"OMP_NUM_THREADS": "5", "GOMP_SPINCOUNT": "7"}
    configure_threads(environment)
    assert environment == {"OMP_NUM_THREADS": "5", "GOMP_SPINCOUNT": "7"}


def test_settings_come_before_torch() -> None:
    code = "import sys, core.settings; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_where_votes_are_kept() -> None:
    assert read_settings({}).database == f"sqlite:///{Path.home()}/.local/share/speculative-lab/classroom.db"
    for written in ("postgres", "postgresql", "postgresql+psycopg"):
        settings = read_settings({"SPECLAB_DATABASE": f"{written}://lab:secret@db/lab"})
        assert settings.database == "postgresql+psycopg://lab:secret@db/lab"
    for wrong in ("mysql://lab:secret@db/lab", "sqlite://", "sqlite:///", "lab:secret", "postgresql://"):
        with pytest.raises(SettingsError) as told:
            read_settings({"SPECLAB_DATABASE": wrong})
        assert "secret" not in str(told.value)
