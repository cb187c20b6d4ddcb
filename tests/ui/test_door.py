"""Loading the pair: how far it is, why it failed, once for all."""

from __future__ import annotations

import logging

import pytest

from tests.ui.staged import Stage, page_with_a_run, settled, started, words
from ui import engine as door_module


def test_loading_shows_how_far_it_is_and_then_the_page(stage: Stage) -> None:
    stage.hold_loading()
    at = started(page_with_a_run)
    bar = at.get("progress")[0].proto
    assert bar.text == "Loading the target …" and bar.value == 50
    assert "no trace" in words(at) and len(stage.loads) == 1
    stage.let_loading_go()
    settled(door_module.door())
    assert words(at.run()) == "text of a"


def test_a_failed_load_says_why_and_can_be_tried_again(stage: Stage) -> None:
    from core.models.errors import ModelError

    stage.error = ModelError("The weights are damaged: fetch them again.")
    at = started(page_with_a_run)
    assert at.text[0].value == "The weights are damaged: fetch them again."
    stage.error = None
    at.button[0].click()
    door = door_module.door()
    at.run()
    settled(door)
    assert words(at.run()) == "text of a" and len(stage.loads) == 2


def test_a_fault_while_loading_keeps_its_details_to_the_log(stage: Stage) -> None:
    stage.error = KeyError("secret")
    assert door_module.door().status.state == "failed" and "secret" not in door_module.status().text


def test_loading_happens_once_for_all(stage: Stage) -> None:
    for _ in range(3):
        started(page_with_a_run)
        door_module.door().load()
    assert len(stage.loads) == 1


def test_the_log_tells_when_the_pair_is_ready_and_why_it_is_not(stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    from core.models.errors import ModelError

    with caplog.at_level(logging.INFO):
        stage.error = ModelError("The weights are damaged.")
        door = door_module.door()
        assert door.status.state == "failed" and "The weights are damaged." in caplog.text
        assert "are ready" not in caplog.text
        stage.error = None
        door.load()
        settled(door)
    (ready,) = [record for record in caplog.records if record.message == "The models are ready."]
    assert ready.fields["target"] == "big" and ready.fields["seconds"] >= 0  # type: ignore[attr-defined]
