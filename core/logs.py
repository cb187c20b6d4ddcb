"""The program's log: lines for a person, or one JSON object a line for a machine that collects them.

A record's own figures travel as `extra={"fields": {…}}`. What visitors ask the models is written down only where the
setting says so.
"""

from __future__ import annotations

import json
import logging
import sys
import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

OURS = ("core", "ui", "pages", "tools")
"""Loggers that tell more than warnings."""
MOST_KEPT = 50
"""Warnings and errors that are kept for the host's desk."""


@dataclass(frozen=True)
class Line:
    """One line of the log, as the host's desk shows it. `time` is seconds since 1970."""

    time: float
    level: str
    logger: str
    message: str


class Recent(logging.Handler):
    """Keeps the newest warnings and errors, without the details that only the log has."""

    def __init__(self, most: int = MOST_KEPT) -> None:
        super().__init__(logging.WARNING)
        self._kept: deque[Line] = deque(maxlen=most)

    def emit(self, record: logging.LogRecord) -> None:
        self._kept.append(Line(record.created, record.levelname.lower(), record.name, record.getMessage()))

    @property
    def lines(self) -> list[Line]:
        """What is kept, the newest first."""
        return list(self._kept)[::-1]


class JsonLines(logging.Formatter):
    """A record as a JSON object: `time` (UTC), `level`, `logger`, `message`, `fields`, and `error` with its trace."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            "fields": dict(_fields(record)),
        }
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


class TextLines(logging.Formatter):
    """A record as a line to read: time, level, message, and its figures behind it."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(message)s", "%Y-%m-%d %H:%M:%S")

    def formatMessage(self, record: logging.LogRecord) -> str:
        figures = " ".join(f"{name}={value}" for name, value in _fields(record).items())
        line = super().formatMessage(record)
        return f"{line} ({figures})" if figures else line


class ToStderr(logging.Handler):
    """Writes to whatever stderr is at the moment."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            print(self.format(record), file=sys.stderr, flush=True)
        except Exception:
            self.handleError(record)


RECENT = Recent()
"""This process's newest warnings and errors."""
_lock = threading.Lock()
_ours: logging.Handler = ToStderr()


def configure(form: str) -> None:
    """Set the log of this process up; once more changes its form only.

    Args:
        form: `text` or `json`.
    """
    formatter = JsonLines() if form == "json" else TextLines()
    with _lock:
        _ours.setFormatter(formatter)
        root = logging.getLogger()
        for handler in (_ours, RECENT):
            if handler not in root.handlers:
                root.addHandler(handler)
        for name in OURS:
            logging.getLogger(name).setLevel(logging.INFO)
        # A line for every file that a browser fetches buries the lines that matter; a proxy's log has them.
        logging.getLogger("uvicorn.access").setLevel(logging.WARNING)
        _take_over(formatter)


def event(log: logging.Logger, message: str, **fields: object) -> None:
    """Write one line with figures behind it."""
    log.info(message, extra={"fields": fields})


def _take_over(formatter: logging.Formatter) -> None:
    """Loggers with handlers of their own, such as the web server's, write in the same form, and are kept too."""
    for logger in list(logging.root.manager.loggerDict.values()):
        if isinstance(logger, logging.Logger) and logger.handlers and not logger.propagate:
            for handler in logger.handlers:
                if isinstance(handler, logging.StreamHandler):
                    handler.setFormatter(formatter)
            if RECENT not in logger.handlers:
                logger.addHandler(RECENT)


def _fields(record: logging.LogRecord) -> Mapping[str, object]:
    fields = getattr(record, "fields", None)
    return fields if isinstance(fields, Mapping) else {}
