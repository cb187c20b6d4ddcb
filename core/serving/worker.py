"""The models in a process of their own, for a server that many people use.

A hundred sessions' Python and the models' would otherwise share one interpreter lock. The scheduling stays in the
server (`core.serving.local`): what it takes turns on are generators, and the generators made here ask the process for
one turn at a time. If the process dies, by a fault or for want of memory, the runs under way fail with a sentence, and
the next one starts a new process.
"""

from __future__ import annotations

import itertools
import logging
import pickle
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from core.decoding.events import Event
from core.decoding.request import DecodeRequest
from core.serving.protocol import EngineError
from core.serving.turns import Stream, Work, close, ends_turn, steps

if TYPE_CHECKING:
    from core.serving.opening import PairFacts

log = logging.getLogger(__name__)

Tell = Callable[[float, str], None]
DIED = "The models stopped during this run and are started again: try again in a few seconds."


@dataclass(frozen=True)
class Desk:
    """What a worker process offers: runs, other work by name, and what is to be said of the pair."""

    stream: Stream
    works: Mapping[str, Work]
    facts: PairFacts


class WorkerProcess:
    """The server's end. Used by one thread at a time, the engine's own.

    Args:
        open_desk: a function that the new process can import; it is given something to tell its progress to.
        tell: told how far the first start has come.
    """

    def __init__(self, open_desk: Callable[[Tell], Desk], tell: Tell = lambda fraction, words: None) -> None:
        self._open = open_desk
        self._ids = itertools.count()
        self._start(tell)

    def stream(self, request: DecodeRequest) -> Iterator[Event]:
        """A run in the process; each turn is a round."""
        return cast(Iterator[Event], self._turns("stream", request))

    def work(self, name: str) -> Callable[..., Generator[object, None, object]]:
        """Other work in the process, by its name."""
        return lambda *arguments: self._turns(name, *arguments)

    def close(self) -> None:
        """End the process."""
        self._process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=5)

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process.poll() is None

    def _start(self, tell: Tell) -> None:
        # Not `multiprocessing`: its children run the program's main file anew, which in the server is a page.
        ours, theirs = socket.socketpair()
        command = [sys.executable, "-m", "core.serving.worker", str(theirs.fileno())]
        self._process = subprocess.Popen(command, pass_fds=[theirs.fileno()], cwd=Path(__file__).parents[2])
        theirs.close()
        self._pipe = Connection(ours.detach())
        self._pipe.send(self._open)
        while True:
            kind, value = self._receive()
            if kind == "progress":
                tell(*value)
            elif kind == "ready":
                self.facts, self.names = value
                return
            else:
                raise value

    def _turns(self, name: str, *arguments: object) -> Generator[object, None, object]:
        if not self.alive:
            log.warning("The models' process is not there and is started again.")
            self._start(lambda fraction, words: None)
        process, job = self._process, next(self._ids)
        self._send("begin", job, (name, arguments))
        try:
            # A later process knows nothing of this job.
            while process is self._process:
                self._send("turn", job, None)
                kind, value = self._receive()
                if kind == "error":
                    raise value
                taken, result = value
                yield from taken
                if kind == "end":
                    return result
            raise EngineError(DIED)
        finally:
            if process is self._process and self.alive:
                with suppress(EngineError):
                    self._send("close", job, None)

    def _send(self, what: str, job: int, value: object) -> None:
        try:
            self._pipe.send((what, job, value))
        except (OSError, ValueError) as error:
            raise self._gone() from error

    def _receive(self) -> tuple[str, Any]:
        try:
            return cast(tuple[str, Any], self._pipe.recv())
        except (EOFError, OSError) as error:
            raise self._gone() from error

    def _gone(self) -> EngineError:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=5)
        log.error("The models' process ended with code %s.", self._process.returncode)
        return EngineError(DIED)


def serve(pipe: Connection) -> None:
    """The process's end: open the desk that is sent first, then do what is asked until the other end goes away."""
    open_desk: Callable[[Tell], Desk] = pipe.recv()
    try:
        desk = open_desk(lambda fraction, words: pipe.send(("progress", (fraction, words))))
    except BaseException as error:
        pipe.send(("error", _sendable(error)))
        return
    pipe.send(("ready", (desk.facts, tuple(desk.works))))
    jobs: dict[int, Iterator[object]] = {}
    while True:
        try:
            what, job, value = pipe.recv()
        except (EOFError, OSError):
            return
        if what == "begin":
            name, arguments = value
            jobs[job] = steps(desk.stream if name == "stream" else desk.works[name], arguments)
        elif what == "close":
            close(jobs.pop(job, None))
        else:
            pipe.send(_turn(jobs[job]))


def _turn(running: Iterator[object]) -> tuple[str, object]:
    """The steps up to the end of a round, or a call's next one; its return value; or what went wrong."""
    taken: list[object] = []
    try:
        while True:
            taken.append(next(running))
            if ends_turn(taken[-1]):
                return "steps", (taken, None)
    except StopIteration as stop:
        return "end", (taken, stop.value)
    except Exception as error:
        return "error", _sendable(error)


def _sendable(error: BaseException) -> BaseException:
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


if __name__ == "__main__":
    # Ctrl+C reaches every process of a terminal's group. The server's end is in charge of this one's.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    serve(Connection(int(sys.argv[1])))
