"""The server's one door to the pair: loads it in the background and then holds its engine."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Literal

from core.logs import event
from core.serving import EngineError
from core.settings import SettingsError

if TYPE_CHECKING:
    from core.serving.opening import Opened, PairFacts

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class EngineStatus:
    """`progress` goes from 0 to 1 while loading; `text` says what is being done, or what went wrong."""

    state: Literal["loading", "ready", "failed"]
    progress: float
    text: str


class Door:
    """Loads the pair in the background, once per server, and then holds its engine."""

    def __init__(self, opening: Callable[[Callable[[float, str], None]], Opened]) -> None:
        self._opening = opening
        self._lock = threading.Lock()
        self._status = EngineStatus("failed", 0.0, "")
        self._opened: Opened | None = None
        self.load()

    @property
    def status(self) -> EngineStatus:
        return self._status

    @property
    def opened(self) -> Opened:
        """The engine and the pair's facts.

        Raises:
            EngineError: while they are not ready.
        """
        if self._opened is None:
            raise EngineError("The models are not loaded yet: wait a moment.")
        return self._opened

    def load(self) -> None:
        """Start loading; does nothing unless the last try has failed."""
        with self._lock:
            if self._status.state == "failed":
                self._status = EngineStatus("loading", 0.0, "Starting")
                threading.Thread(target=self._load, name="loading", daemon=True).start()

    def _load(self) -> None:
        from core.models.errors import ModelError

        began = perf_counter()
        try:
            self._opened = self._opening(self._say)
            _tell_ready(self._opened.facts, perf_counter() - began)
            self._status = EngineStatus("ready", 1.0, "The models are ready.")
        except (ModelError, SettingsError) as error:
            log.error("The models could not be loaded: %s", error)
            self._status = EngineStatus("failed", 0.0, str(error))
        except Exception:
            log.exception("Loading failed.")
            text = "The models could not be loaded because of a fault in the program: the server's log says more."
            self._status = EngineStatus("failed", 0.0, text)

    def _say(self, progress: float, text: str) -> None:
        self._status = EngineStatus("loading", min(max(progress, 0.0), 1.0), text)


def _tell_ready(facts: PairFacts, seconds: float) -> None:
    """The line of the log by which a host knows that the pair is loaded."""
    told = {"target": facts.target, "draft": facts.draft, "device": facts.device, "dtype": facts.dtype}
    event(log, "The models are ready.", seconds=round(seconds, 1), **told)
