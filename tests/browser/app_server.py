"""The pages, served for browser tests over a pair without models: a fresh server each time it is called.

Run as a script it is that server; its arguments go to Streamlit.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]


@contextmanager
def app_server() -> Iterator[str]:
    """Serve while the block runs, and give the address."""
    from tools.local_server import serving

    with serving([str(Path(__file__))]) as url:
        yield url


def main() -> None:
    sys.path.insert(0, str(ROOT))
    from streamlit.web import bootstrap

    from tests.pages.stand_in import open_stand_in
    from ui import engine

    engine._open = open_stand_in
    options = dict(argument.removeprefix("--").replace(".", "_", 1).split("=", 1) for argument in sys.argv[1:])
    bootstrap.load_config_options(options)
    bootstrap.run(str(ROOT / "Home.py"), False, [], options)


if __name__ == "__main__":
    main()
