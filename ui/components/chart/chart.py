"""Mounting a Plotly figure that changes in place: no blank moment, zoom kept, clicks reported.

Streamlit's own chart is built anew whenever its figure changes. Here the browser loads the plotly.js that came with
the Python package, once, from the app's own static folder, and has it redraw only what is new.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import plotly
import plotly.graph_objects as go
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


Styling = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""Turns a figure's own layout into the whole one."""


def chart(
    figure: go.Figure,
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


def spec(figure: go.Figure, styling: Styling = dict) -> str:
    """What the browser draws, as JSON: the figure without Plotly's own template, in whose place the page's theme comes.

    Numbers travel as Plotly's own binary arrays where the figure holds NumPy arrays.
    """
    parts = figure.to_dict()
    parts["layout"].pop("template", None)
    return str(to_json_plotly({"data": parts["data"], "layout": styling(parts["layout"])}))


def described(figure: go.Figure) -> str:
    """A label from the figure's title, else from the names of its axes and traces."""
    if figure.layout.title.text:
        return str(figure.layout.title.text)
    axes = [axis.title.text for axis in (figure.layout.yaxis, figure.layout.xaxis) if axis.title.text]
    names = [str(trace.name) for trace in figure.data if trace.name]
    over = " over ".join(axes)
    return ": ".join(filter(None, ["Chart", over or None, ", ".join(dict.fromkeys(names)) or None]))


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
