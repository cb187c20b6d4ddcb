"""Streamlit's elements as a tab needs them: which are widgets, what these show, and how their values are sent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from streamlit.proto.Slider_pb2 import Slider
from streamlit.proto.WidgetStates_pb2 import WidgetState


@dataclass(frozen=True)
class Widget:
    """A widget on the page. `key` is the name that the program gave it; `fragment` is what runs when it is moved."""

    id: str
    kind: str
    label: str
    key: str
    fragment: str
    element: Any

    def state(self, value: Any) -> WidgetState:
        """A value as it is sent: a number, a text, a truth value, or a list of texts, as the widget's kind has it."""
        made = WidgetState(id=self.id)
        field = _field(self)
        if field == "double_array_value":
            made.double_array_value.data.extend(value if isinstance(value, list) else [value])
        elif field == "string_array_value":
            made.string_array_value.data.extend(value)
        else:
            setattr(made, field, value)
        return made

    def value(self, state: WidgetState) -> Any:
        """The value that was sent; a slider's with one handle is a number."""
        field = _field(self)
        found = getattr(state, field)
        if field == "double_array_value":
            return found.data[0] if len(found.data) == 1 else list(found.data)
        return list(found.data) if field == "string_array_value" else found


_FIELDS = {
    "slider": "double_array_value",
    "number_input": "double_value",
    "checkbox": "bool_value",
    "radio": "string_value",
    "selectbox": "string_value",
    "text_input": "string_value",
    "text_area": "string_value",
    "button_group": "string_array_value",
    "multiselect": "string_array_value",
    "button": "trigger_value",
}
_TEXTS = {
    "markdown": "body",
    "text": "body",
    "alert": "body",
    "heading": "body",
    "progress": "text",
    "exception": "message",
    "bidi_component": "json",
    "plotly_chart": "spec",
}


def widget_of(kind: str, element: Any, fragment: str) -> Widget | None:
    """The widget that an element is; None for one that is none, or that cannot be moved."""
    if kind not in _FIELDS or element.disabled:
        return None
    # "$$ID-HASH-KEY": the key is the program's own name for it.
    key = element.id.split("-", 2)[-1]
    return Widget(element.id, kind, element.label, "" if key == "None" else key, fragment, element)


def opening(widget: Widget) -> WidgetState | None:
    """What a browser takes a new widget to show, or what the program has set it to; None for nothing chosen."""
    element = widget.element
    value = _OPENING[widget.kind](element) if widget.kind in _OPENING else _one(element)
    return None if value is None else widget.state(value)


def text_of(kind: str, element: Any) -> str:
    """An element's text; empty for one that has none."""
    return str(getattr(element, _TEXTS[kind])) if kind in _TEXTS else ""


def _field(widget: Widget) -> str:
    chosen = widget.kind == "slider" and widget.element.type == Slider.SELECT_SLIDER
    return "string_array_value" if chosen else _FIELDS[widget.kind]


def _slider(element: Any) -> list[Any]:
    if element.type == Slider.SELECT_SLIDER:
        return list(element.raw_value) if element.set_value else [element.options[int(i)] for i in element.default]
    return list(element.value if element.set_value else element.default)


def _choice(element: Any) -> str | None:
    if element.set_value:
        return element.raw_value if element.HasField("raw_value") else None
    return element.options[element.default] if element.HasField("default") and element.options else None


def _group(element: Any) -> list[str]:
    return list(element.raw_values) if element.set_value else [element.options[i].content for i in element.default]


def _several(element: Any) -> list[str]:
    return list(element.raw_values) if element.set_value else [element.options[i] for i in element.default]


def _one(element: Any) -> Any:
    """A number, a text or a truth value."""
    field = "value" if element.set_value else "default"
    fields = element.DESCRIPTOR.fields_by_name
    return getattr(element, field) if not fields[field].has_presence or element.HasField(field) else None


_OPENING: dict[str, Callable[[Any], Any]] = {
    "slider": _slider,
    "radio": _choice,
    "selectbox": _choice,
    "button_group": _group,
    "multiselect": _several,
    "button": lambda element: None,
}
