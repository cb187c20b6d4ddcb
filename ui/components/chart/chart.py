"""Mounting a Plotly figure that changes in place: no blank moment, zoom kept, clicks reported.

Streamlit's own chart is built anew whenever its figure changes. Here the browser loads the plotly.js that came with
the Python package, once, from the app's own static folder, and has it redraw only what is new.
"""

from __future__ import annotations

import base64
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import plotly
import streamlit as st
from plotly.io.json import to_json_plotly
from streamlit.runtime.scriptrunner import get_script_run_ctx

HERE = Path(__file__).parent
STATIC = "static"
"""The folder beside the app's main script that Streamlit serves at `app/static/`."""
LIBRARY = f"plotly-{plotly.__version__}.min.js"
"""Named by the package's version, so that no browser keeps an old one."""

_chart = st.components.v2.component(
    "chart",
    html='<div class="lab-chart" role="img"></div>',
    css=(HERE / "chart.css").read_text(encoding="utf-8"),
    js=(HERE / "chart.js").read_text(encoding="utf-8"),
    # Plotly puts its styles into the document, where a shadow root would not see them.
    isolate_styles=False,
)


@dataclass(frozen=True)
class Clicked:
    """A point of a figure that was clicked: its trace, its place in the trace, and what the trace says of it."""

    trace: int
    index: int
    x: Any
    y: Any
    customdata: Any


Picture: TypeAlias = Mapping[str, Any]
"""A figure's `data` and `layout` as plain data. Plotly's own objects check what they are given, which takes longer than
all else that a page does; so the tests have them check each picture, and the pages do without."""
Styling = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""Turns a figure's own layout into the whole one."""


def chart(
    figure: Picture,
    key: str,
    alt: str | None = None,
    on_click: Callable[[Clicked], None] | None = None,
    styling: Styling = dict,
) -> bool:
    """Draw a figure; False, with nothing drawn, where the library cannot be served.

    Args:
        alt: what a screen reader says; the figure's title or the names of its traces where None.
        on_click: called with each point that is clicked, before the page runs again.
        styling: what is done to the figure's layout before it is sent.
    """
    if not served(library_folder()):
        return False

    def report() -> None:
        if on_click and (point := clicked(st.session_state[key])):
            on_click(point)

    data = {
        "library": LIBRARY,
        "figure": spec(figure, styling),
        "label": alt or described(figure),
        "clickable": on_click is not None,
    }
    _chart(key=key, data=data, on_clicked_change=report)
    return True


def packed(value: Any) -> Any:
    """A NumPy array of numbers as Plotly's JSON takes it: type, bytes in base64, and shape where it has more than one
    dimension. Anything else as it is."""
    if not isinstance(value, np.ndarray):
        return value
    # The browser has no 64-bit integers, and no truth values in an array.
    array = np.ascontiguousarray(value, dtype=None if value.dtype.kind == "f" else np.int32)
    coded = {"dtype": array.dtype.str[1:], "bdata": base64.b64encode(array.tobytes()).decode("ascii")}
    return coded | ({"shape": ", ".join(map(str, array.shape))} if array.ndim > 1 else {})


def spec(picture: Picture, styling: Styling = dict) -> str:
    """What the browser draws, as JSON, the traces' arrays in Plotly's own binary form."""
    traces = [{name: packed(value) for name, value in trace.items()} for trace in picture["data"]]
    return str(to_json_plotly({"data": traces, "layout": styling(picture["layout"])}))


def described(picture: Picture) -> str:
    """A label from the figure's title, else from the names of its axes and traces."""
    layout = picture["layout"]
    if title := _title(layout):
        return title
    axes = [title for name in ("yaxis", "xaxis") if (title := _title(layout.get(name, {})))]
    names = [str(trace["name"]) for trace in picture["data"] if trace.get("name")]
    over = " over ".join(axes)
    return ": ".join(filter(None, ["Chart", over or None, ", ".join(dict.fromkeys(names)) or None]))


def _title(part: Mapping[str, Any]) -> str:
    return str(part.get("title", {}).get("text") or "")


def clicked(state: Mapping[str, Any]) -> Clicked | None:
    """The point in a browser's report, or None where it makes no sense."""
    report = state.get("clicked")
    if not isinstance(report, Mapping):
        return None
    trace, index = report.get("trace"), report.get("index")
    if not isinstance(trace, int) or not isinstance(index, int):
        return None
    return Clicked(trace, index, report.get("x"), report.get("y"), report.get("customdata"))


def library_folder() -> Path | None:
    """The folder that this server serves, or None where it serves none."""
    context = get_script_run_ctx()
    if context is None or not st.get_option("server.enableStaticServing"):
        return None
    return Path(context.main_script_path).parent / STATIC


def served(folder: Path | None) -> bool:
    """Whether `folder` holds the library, once it has been put there where it was missing or cut short."""
    if folder is None:
        return False
    with as_file(files("plotly") / "package_data" / "plotly.min.js") as source:
        try:
            if not _same_size(source, folder / LIBRARY):
                _put(source, folder / LIBRARY)
        except OSError:
            return False
    return True


def _same_size(source: Path, copy: Path) -> bool:
    return copy.is_file() and copy.stat().st_size == source.stat().st_size


def _put(source: Path, copy: Path) -> None:
    """Copy aside, then rename: nobody is ever served half a file, and two servers may do it at once."""
    copy.parent.mkdir(exist_ok=True)
    handle, aside = tempfile.mkstemp(prefix=".", dir=copy.parent)
    os.close(handle)
    try:
        shutil.copy2(source, aside)
        os.replace(aside, copy)
    except OSError:
        with suppress(OSError):
            os.unlink(aside)
        raise
