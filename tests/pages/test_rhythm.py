"""Chapter 11 on a pair without models: its figures are those of the runs on screen."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages import stand_in
from tests.pages.conftest import Open, charts, components, sentences

PAGE = "11_rhythm.py"


def schedule_of(at: AppTest) -> dict[str, Any]:
    return next(c for c in components(at) if "lanes" in c)


def table_of(at: AppTest) -> dict[str, list[str]]:
    """The rows of the page's table."""
    text = next(m.value for m in at.markdown if m.value.startswith("| |"))
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()[2:]]
    return {row[0]: row[1:] for row in rows}


def test_one_request_both_ways_on_one_axis(open_page: Open) -> None:
    at = open_page(PAGE)
    assert not at.exception and not at.warning
    picture = schedule_of(at)
    alone, together = picture["lanes"]
    assert picture["unit"] == "seconds since the request"
    assert [t["text"] for t in alone["tokens"]] == [t["text"] for t in together["tokens"]] == stand_in.WORDS[:32]
    # Each pass on its own, against eleven rounds; the standard run's clock is that of unpadded passes.
    assert len({t["time"] for t in alone["tokens"]}) == 32 and len({t["time"] for t in together["tokens"]}) == 12
    step = (0.024 + 0.0005) / 1.1
    assert alone["tokens"][-1]["time"] == pytest.approx(0.024 + 31 * step)
    said = sentences(at)
    assert "The texts are equal" in said and "all 32 tokens" in said
    table = table_of(at)
    assert table["Time to the first token"] == ["24 ms", "24 ms"]
    assert table["Gap between two tokens, median"] == ["22 ms", "0"]
    assert table["Gap, 95th percentile"] == ["22 ms", "33 ms"]
    wasted = {m.label: m.value for m in at.metric}
    assert int(wasted["Guesses"]) == sum(int(wasted[k]) for k in ("Kept", "Missed", "Dropped unseen"))
    gaps, memory = charts(at)
    assert gaps["layout"]["xaxis"]["title"]["text"] == "gap between two tokens, ms"
    # 100 million weights in float32, 10 million of the draft's own.
    assert [bar["x"][0] for bar in memory["data"] if bar.get("name", "").endswith("weights")] == [400, 40]
    assert r"2 \times 12 \times 4 \times 64 \times 4" in at.latex[0].value
    assert all(title in said for title in ("**What stays**", "**What gets faster**", "**What it costs**"))
    assert "## 1.90×" in said


def test_target_passes_on_the_classroom_clock_come_from_the_address(open_page: Open) -> None:
    at = open_page(PAGE, clock="classroom", unit="passes", target_ms="1000", draft_ms="100", gamma="2")
    alone, together = schedule_of(at)["lanes"]
    assert [t["time"] for t in alone["tokens"]] == pytest.approx([1.0 + i for i in range(32)])
    assert together["tokens"][1]["time"] == pytest.approx(1.0 + 1.2)
    assert table_of(at)["Gap between two tokens, median"] == ["1 pass", "0"]
    assert charts(at)[0]["layout"]["xaxis"]["title"]["text"] == "gap, target passes"
    at.button_group(key="rhythm:unit").set_value("seconds").run()
    assert table_of(at)["Whole answer"][0] == "32.00 s"


def test_nonsense_in_the_address_and_a_sampled_run(open_page: Open) -> None:
    at = open_page(PAGE, clock="sundial", unit="parsecs", gamma="0", temperature="1.0")
    assert not at.exception
    assert at.slider("rhythm:gamma").value == 4 and schedule_of(at)["unit"] == "seconds since the request"
    assert "coupled draws" in sentences(at)


def test_an_answer_of_one_token_has_no_rhythm(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stand_in, "WORDS", stand_in.WORDS[:1])
    at = open_page(PAGE, seed="77")
    assert not at.exception and "one token long" in at.info[0].value
