"""Start the lab for many people: `python -m ui.serve [--server.port=8501 …]`.

What `streamlit run Home.py` does, and three things before it: settings that make no sense end it with one sentence,
the log is set up, and the pair begins to load at once instead of at the first visit. Arguments go to Streamlit.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import core  # noqa: F401  (its thread settings come before torch)
from core.settings import SettingsError, read_settings

ROOT = Path(__file__).parents[1]


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until told to stop, and give the process's exit status."""
    try:
        read_settings()
    except SettingsError as error:
        print(error, file=sys.stderr)
        return 2
    from streamlit.web.cli import main as streamlit

    from ui import engine

    engine.door()
    options = list(sys.argv[1:] if arguments is None else arguments)
    streamlit(["run", str(ROOT / "Home.py"), "--server.headless=true", *options])
    return 0


if __name__ == "__main__":
    sys.exit(main())
