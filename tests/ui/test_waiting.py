"""What is said to those who wait."""

from __future__ import annotations

import pytest

from core.decoding.events import Event
from tests.serving.fake_runs import choice, one_round
from ui.waiting import _about, _place_in_line, _so_far


@pytest.mark.parametrize(
    ("seconds", "said"), [(None, ""), (0.2, ", about 1 s"), (12.4, ", about 12 s"), (150, ", about 2 min")]
)
def test_waits_are_said_roughly(seconds: float | None, said: str) -> None:
    assert _about(seconds) == said


def test_places_in_line_are_said_in_words() -> None:
    from core.serving import Snapshot

    said = [_place_in_line(Snapshot("queued", position, 3.0)) for position in (1, 2, 3)]
    assert [s.removeprefix("Others are using the models. ") for s in said] == [
        "You are next, about 3 s.",
        "One is ahead of you, about 3 s.",
        "2 are ahead of you, about 3 s.",
    ]


def test_the_text_so_far_counts_guesses_until_they_are_checked() -> None:
    from core.decoding.events import Committed, Drafted, Prefilled
    from core.decoding.rounds import Prefill

    events: list[Event] = [
        Prefilled(Prefill((1,), choice(0), 0.1, 0.1), "One"),
        Drafted(0, 0, 5, " two", 0.01),
        Committed(one_round(1), (" two", " three")),
        Drafted(1, 0, 6, " four", 0.01),
        Drafted(1, 1, 7, " five", 0.01),
    ]
    assert _so_far(events) == ("One two three", 3, 2)
    assert _so_far([]) == ("", 0, 0)
