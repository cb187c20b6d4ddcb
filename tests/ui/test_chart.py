"""What is sent to the chart that changes in place, and what is believed of what comes back."""

from __future__ import annotations

import base64
import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from ui.components.chart.chart import LIBRARY, Clicked, clicked, described, served, spec
from ui.figures import plain, titled, trace

SOURCE = files("plotly") / "package_data" / "plotly.min.js"


def test_the_library_is_put_beside_the_app_and_mended(tmp_path: Path) -> None:
    folder = tmp_path / "static"
    assert served(folder)
    copy = folder / LIBRARY
    assert copy.read_bytes() == SOURCE.read_bytes()
    untouched = copy.stat().st_ino
    assert served(folder) and copy.stat().st_ino == untouched
    copy.write_text("cut short")
    assert served(folder) and copy.stat().st_size > 1_000_000
    assert [p.name for p in folder.iterdir()] == [LIBRARY]


def test_where_nothing_can_be_written_the_chart_says_so(tmp_path: Path) -> None:
    in_the_way = tmp_path / "static"
    in_the_way.write_text("a file where the folder should be")
    assert not served(in_the_way)
    assert not served(None)


def test_a_copy_that_fails_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr("shutil.copy2", full)
    assert not served(tmp_path / "static")
    assert list((tmp_path / "static").iterdir()) == []


def test_what_is_no_number_is_sent_as_a_gap() -> None:
    bars = {"type": "bar", "x": [np.int64(1), 2, 3], "y": [1.0, None, float("nan")]}
    sent = json.loads(spec({"data": [bars], "layout": {}}), parse_constant=pytest.fail)
    assert sent["data"][0] == {"type": "bar", "x": [1, 2, 3], "y": [1.0, None, None]}


def test_a_picture_of_plain_data_is_sent_as_the_figure_made_of_it_is() -> None:
    heat = {"type": "heatmap", "z": np.array([[0.5, 1.0, -2.0], [3.0, 4.0, 5.5]]), "x": np.arange(3), "y": [1, 2]}
    line = {"type": "scatter", "x": np.linspace(0, 1, 4)[::-1], "y": np.array([True, False]), "name": "p"}
    picture = {"data": [heat, line], "layout": {"height": 300, "yaxis": {"title": {"text": "speed-up"}}}}
    sent, checked = json.loads(spec(picture)), go.Figure(picture).to_dict()
    assert checked["layout"].pop("template")
    assert sent["layout"] == checked["layout"]
    for mine, own in zip(sent["data"], checked["data"], strict=True):
        assert mine.keys() == own.keys()
        for name, value in mine.items():
            assert np.array_equal(unpacked(value), unpacked(own[name])), name
    assert described(picture) == "Chart: speed-up: p"


def unpacked(value: Any) -> Any:
    """What the browser reads from Plotly's binary form of an array."""
    if not isinstance(value, dict) or "bdata" not in value:
        return value
    array = np.frombuffer(base64.b64decode(value["bdata"]), np.dtype(value["dtype"]))
    return array.reshape([int(n) for n in str(value.get("shape", len(array))).split(",")])


def test_a_figure_is_named_by_its_title_or_else_by_what_is_in_it() -> None:
    bars = [trace("bar", x=[1], name="p"), trace("bar", x=[1], name="q"), trace("bar", x=[1])]
    axes = {"xaxis": titled("token"), "yaxis": titled("probability")}
    assert described(plain(bars, {}, 300)) == "Chart: p, q"
    assert described(plain(bars, axes, 300)) == "Chart: probability over token: p, q"
    assert described(plain(bars, {**axes, **titled("Both models")}, 300)) == "Both models"
    assert described(plain([], {}, 300)) == "Chart"


@pytest.mark.parametrize(
    ("report", "point"),
    [
        ({"trace": 1, "index": 2, "x": "a", "y": 0.5, "customdata": 7}, Clicked(1, 2, "a", 0.5, 7)),
        ({"trace": 0, "index": 0}, Clicked(0, 0, None, None, None)),
        ({"trace": "0", "index": 0}, None),
        ({}, None),
        ("nonsense", None),
        (None, None),
    ],
)
def test_only_a_report_that_makes_sense_is_a_click(report: object, point: Clicked | None) -> None:
    assert clicked({"clicked": report}) == point
