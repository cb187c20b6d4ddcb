"""The lab as it is hosted, over a process of its own whose runs never end. Run as a script; see test_stopping.py."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from core.decoding.events import Event  # noqa: E402
from core.decoding.request import DecodeRequest  # noqa: E402
from core.serving.opening import Opened, open_engine  # noqa: E402
from core.serving.worker import Desk  # noqa: E402
from core.settings import Settings, read_settings  # noqa: E402
from tests.serving.fake_runs import FakeRuns  # noqa: E402


def stream(asked: DecodeRequest) -> Iterator[Event]:
    for event in FakeRuns()(asked):
        time.sleep(0.1)
        yield event


def open_desk(settings: Settings, progress: Callable[[float, str], None]) -> Desk:
    from tests.pages.stand_in import FACTS

    Path(os.environ["SLOW_WORKER"]).write_text(str(os.getpid()))
    return Desk(stream, {}, FACTS)


def open_it(say: Callable[[float, str], None]) -> Opened:
    opened = open_engine(read_settings(), say)
    opened.engine.warm([DecodeRequest("on and on", method="standard", max_new_tokens=2000)])
    return opened


def main() -> None:
    # The worker unpickles the function by its module's name, and this file is `__main__` here.
    from core.serving import opening
    from tests.serving import slow_server
    from ui import engine, serve

    opening.open_desk = slow_server.open_desk
    engine._open = open_it
    sys.exit(serve.main(sys.argv[1:]))


if __name__ == "__main__":
    main()
