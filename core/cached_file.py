"""What a start has measured, kept in a file for the next one."""

from __future__ import annotations

import logging
import os
from contextlib import suppress
from pathlib import Path

log = logging.getLogger(__name__)


def keep(path: Path, text: str, what: str) -> None:
    """Write beside and rename, so that nobody ever reads half a file.

    A folder that takes nothing costs only time: it is told in the log.

    Args:
        what: names what is lost, at the beginning of a sentence.
    """
    part = path.with_suffix(f".{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    except OSError as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        log.warning(
            "%s cannot be kept in %s (%s): it is measured again at the next start. Free some space there, or set "
            "SPECLAB_CACHE to another folder.", what, path.parent, error.strerror or error,
        )  # fmt: skip
