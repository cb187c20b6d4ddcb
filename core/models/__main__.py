"""Make the pair ready ahead of time: `python -m core.models` converts, measures, and says what it found."""

from __future__ import annotations

import sys

from transformers.utils import logging

from core.models import ModelError, load_pair
from core.settings import SettingsError, read_settings


def main() -> int:
    """Prepare the pair that is set; 0 when it is ready, 1 with one sentence on stderr when it can't be."""

    def show(fraction: float, words: str) -> None:
        print(f"[{fraction:4.0%}] {words}", flush=True)

    logging.disable_progress_bar()  # its bars would run through our lines
    try:
        pair = load_pair(read_settings().preset, progress=show)
    except (ModelError, SettingsError) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{pair.target_name} and {pair.draft_name}: {pair.reason}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
