import subprocess
import sys
from pathlib import Path

import pytest

from core.settings import SettingsError, configure_threads, read_settings, usable_cores


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
