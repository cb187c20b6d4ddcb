"""Whether the lab's server answers: the exit status says so. For a container's health check, which has no curl."""

from __future__ import annotations

import os
import sys
import urllib.request


def main(environment: dict[str, str] | None = None) -> int:
    """0 when the server says that it is well, else 1.

    The port and the path are read where Streamlit reads them: STREAMLIT_SERVER_PORT, STREAMLIT_SERVER_BASE_URL_PATH.
    """
    given = os.environ if environment is None else environment
    port = given.get("STREAMLIT_SERVER_PORT", "8501")
    under = given.get("STREAMLIT_SERVER_BASE_URL_PATH", "").strip("/")
    url = f"http://127.0.0.1:{port}/{under + '/' if under else ''}_stcore/health"
    try:
        with urllib.request.urlopen(url, timeout=4) as answer:
            return 0 if answer.read().strip() == b"ok" else 1
    except OSError as error:
        print(f"{url}: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
