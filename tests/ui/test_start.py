from __future__ import annotations

import sys

import pytest

from ui import start


@pytest.mark.parametrize(("visits", "seconds"), [(None, 0.02), (1, 0.02), (3, 0.02), (4, 0.0005), (100, 0.0005)])
def test_many_visits_share_the_interpreter_more_finely(
    monkeypatch: pytest.MonkeyPatch, visits: int | None, seconds: float
) -> None:
    before = sys.getswitchinterval()
    monkeypatch.setattr(start, "visits", lambda: visits)
    try:
        start.take_turns()
        assert sys.getswitchinterval() == pytest.approx(seconds)
    finally:
        sys.setswitchinterval(before)
