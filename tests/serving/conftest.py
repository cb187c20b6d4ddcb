from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.serving import LocalEngine
from tests.serving.fake_runs import FakeRuns


@pytest.fixture
def runs() -> FakeRuns:
    return FakeRuns()


@pytest.fixture
def engine(runs: FakeRuns) -> Iterator[LocalEngine]:
    engine = LocalEngine(runs, active=2, queue_length=2, cache_size=3)
    yield engine
    engine.close()
