from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.ui.staged import Stage
from ui import engine as door_module
from ui.door import Door


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    stage = Stage()
    doors: list[Door] = []

    def door() -> Door:
        if not doors:
            doors.append(stage.door())
        return doors[0]

    monkeypatch.setattr(door_module, "door", door)
    yield stage
    stage.let_loading_go()
    stage.engine.close()
