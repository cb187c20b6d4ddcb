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
from ui import engine, navigation
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
    # The first run on a busy machine takes longer than a visitor is kept waiting without a panel.
    monkeypatch.setattr(engine, "AT_ONCE", 30.0)

    def open_it(page: str, **params: str) -> AppTest:
        at = AppTest.from_file(str(ROOT / "Home.py"), default_timeout=60)
        for name, value in {navigation.GOTO: page, **params}.items():
            at.query_params[name] = value
        return at.run()

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


def components(at: AppTest) -> list[dict[str, Any]]:
    """What the page sends to its components."""
    return [json.loads(c.proto.json) for c in at.get("bidi_component") if c.proto.json]


def charts(at: AppTest) -> list[dict[str, Any]]:
    """The figures that the page draws, as plain data: `data`, `layout` and the `label` a screen reader says."""
    return [{**json.loads(c["figure"]), "label": c["label"]} for c in components(at) if "figure" in c]


def lanes_of(at: AppTest) -> list[dict[str, Any]]:
    """The lanes of the page's replay; none where it has no replay."""
    return next((c["lanes"] for c in components(at) if "lanes" in c), [])


def strip_of(at: AppTest) -> list[dict[str, Any]]:
    """The tokens of the page's first strip."""
    return next(c["tokens"] for c in components(at) if "tokens" in c)


def skip(at: AppTest, chapter: int) -> AppTest:
    """Skip the chapter's question."""
    return at.button(f"skip-{chapter}").click().run()
