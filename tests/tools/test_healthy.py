"""The container's health check, against a server that is well, one that is not, and none."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from tools.healthy import main
from tools.local_server import free_port


class Health(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        well = self.path in ("/_stcore/health", "/speclab/_stcore/health")
        self.send_response(200 if well else 503)
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def port() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Health)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield str(server.server_port)
    server.shutdown()
    server.server_close()


def test_a_server_is_well_under_its_own_path_only(port: str) -> None:
    here = {"STREAMLIT_SERVER_PORT": port}
    assert main(here) == 0
    assert main({**here, "STREAMLIT_SERVER_BASE_URL_PATH": "/speclab/"}) == 0
    assert main({**here, "STREAMLIT_SERVER_BASE_URL_PATH": "other"}) == 1
    assert main({"STREAMLIT_SERVER_PORT": str(free_port())}) == 1
