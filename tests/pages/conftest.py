"""Pages open on a pair without models, loaded once."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Element

from tests.pages.stand_in import open_stand_in
from ui import engine
from ui.engine import Door

ROOT = Path(__file__).parents[2]
Open = Callable[..., AppTest]


def settled(door: Door) -> Door:
    """The door, once everything behind it is ready."""
    deadline = time.monotonic() + 60
    while door.status.state == "loading":
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert door.status.state == "ready", door.status.text
    return door


@pytest.fixture(scope="session")
def stand_in() -> Door:
    """A door behind which the pair without models is."""
    return settled(Door(open_stand_in))


@pytest.fixture
def open_page(stand_in: Door, monkeypatch: pytest.MonkeyPatch) -> Iterator[Open]:
    """Opens a page by its file's name, with the controls of its address."""
    monkeypatch.setattr(engine, "door", lambda: stand_in)

    def open_it(page: str, **params: str) -> AppTest:
        at = AppTest.from_file(str(ROOT / "Home.py"), default_timeout=60)
        for name, value in params.items():
            at.query_params[name] = value
        at.run()
        if page != "home.py":
            at.switch_page(f"pages/{page}")
            for name, value in params.items():
                at.query_params[name] = value
            at.run()
        return at

    yield open_it


def sentences(at: AppTest) -> str:
    """Everything that the page says, in one text."""
    kinds = (
        "title",
        "header",
        "subheader",
        "markdown",
        "caption",
        "text",
        "info",
        "success",
        "warning",
        "error",
        "code",
    )
    return "\n".join(str(element.value) for kind in kinds for element in at.get(kind) if isinstance(element, Element))


def charts(at: AppTest) -> list[dict[str, Any]]:
    """The figures that the page draws, as plain data: `data`, `layout` and the `label` a screen reader says."""
    sent = [json.loads(c.proto.json) for c in at.get("bidi_component") if c.proto.json]
    return [{**json.loads(c["figure"]), "label": c["label"]} for c in sent if "figure" in c]
