"""The log's two forms, what the host's desk is shown of it, and that nobody's words are in it."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator

import pytest
from streamlit.logger import get_logger

from core import logs
from core.logs import JsonLines, Recent, TextLines
from ui import start


@pytest.fixture
def root() -> Iterator[logging.Logger]:
    """The root logger, left as it was found."""
    root = logging.getLogger()
    before = list(root.handlers)
    yield root
    root.handlers = before


def record(message: str, *, fields: object = None, error: bool = False) -> logging.LogRecord:
    made = logging.LogRecord("core.x", logging.ERROR, "x.py", 1, message, (), None)
    if fields is not None:
        made.fields = fields
    if error:
        try:
            raise KeyError("the detail")
        except KeyError as found:
            made.exc_info = (KeyError, found, found.__traceback__)
    return made


def test_json_is_one_object_a_line_whatever_is_in_it() -> None:
    line = JsonLines().format(record('a "b"\nc', fields={"tokens": 3, "odd": object()}, error=True))
    assert "\n" not in line
    found = json.loads(line)
    assert (found["level"], found["logger"], found["message"]) == ("error", "core.x", 'a "b"\nc')
    assert found["fields"]["tokens"] == 3 and "the detail" in found["error"] and found["time"].endswith("+00:00")
    assert json.loads(JsonLines().format(record("plain")))["fields"] == {}


def test_text_has_its_figures_behind_it() -> None:
    line = TextLines().format(record("A run is over.", fields={"tokens": 3, "outcome": "done"}))
    assert line.endswith("ERROR A run is over. (tokens=3 outcome=done)")
    assert TextLines().format(record("plain")).endswith("ERROR plain")


def test_only_so_many_errors_are_kept_the_newest_first_without_details() -> None:
    recent = Recent(most=3)
    logger = logging.Logger("core.test")
    logger.addHandler(recent)
    logger.info("not kept")
    for i in range(5):
        logger.warning("warning %d", i)
    try:
        raise KeyError("the detail")
    except KeyError:
        logger.exception("It broke.")
    assert [line.message for line in recent.lines] == ["It broke.", "warning 4", "warning 3"]
    assert recent.lines[0].level == "error"


def test_it_is_set_up_once_and_takes_the_web_servers_lines_along(
    root: logging.Logger, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = io.StringIO()
    monkeypatch.setattr(logs, "_ours", logging.StreamHandler(out))
    monkeypatch.setattr(logs, "RECENT", Recent())
    other = logging.getLogger("test-logs-server")
    theirs = io.StringIO()
    other.propagate = False
    other.addHandler(logging.StreamHandler(theirs))
    for _ in range(3):
        logs.configure("json")
    logs.event(logging.getLogger("core.x"), "Ready.", seconds=1.5)
    other.error("A socket broke.")
    logging.getLogger("some.library").info("chatter")
    (line,) = out.getvalue().splitlines()
    assert json.loads(line)["fields"] == {"seconds": 1.5}
    assert json.loads(theirs.getvalue())["message"] == "A socket broke."
    assert [kept.message for kept in logs.RECENT.lines] == ["A socket broke."]
    logs.configure("text")
    logs.event(logging.getLogger("core.x"), "Ready.", seconds=1.5)
    assert out.getvalue().splitlines()[1].endswith("INFO Ready. (seconds=1.5)")
    other.handlers.clear()


def test_at_the_first_visit_the_web_servers_own_log_is_brought_into_line(
    root: logging.Logger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPECLAB_LOG", "json")
    monkeypatch.setattr(logs, "RECENT", Recent())
    theirs = get_logger("streamlit.test-logs")
    said = io.StringIO()
    theirs.streamlit_console_handler.setStream(said)  # type: ignore[attr-defined]
    start.visited.clear()
    start.visited()
    theirs.warning("Something odd.")
    assert json.loads(said.getvalue())["message"] == "Something odd."
    assert [line.message for line in logs.RECENT.lines] == ["Something odd."]
    monkeypatch.setenv("SPECLAB_LOG", "xml")
    start.visited.clear()
    start.visited()
    logs.configure("text")
