"""What stands on a tab's page, and what its widgets show, as a browser keeps them between the server's messages."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from streamlit.proto.Delta_pb2 import Delta
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from tools.load_test_widgets import Widget, opening, text_of, widget_of

Path = tuple[int, ...]


@dataclass(frozen=True)
class Place:
    """An element, and the run and the fragment that put it there."""

    kind: str
    element: Any
    run: str
    fragment: str


@dataclass
class _Kept:
    """A large message that the server may refer to, and the run in which it was last used."""

    delta: Delta
    used: int


@dataclass
class Page:
    """All that a tab shows. `values` are its widgets' values by id, as they go to the server."""

    places: dict[Path, Place] = field(default_factory=dict)
    values: dict[str, WidgetState] = field(default_factory=dict)
    run: str = ""
    keeps: int = 2
    """Runs after which a large message that was not referred to is forgotten."""
    _kept: dict[str, _Kept] = field(default_factory=dict)
    _runs: int = 0

    @property
    def known(self) -> list[str]:
        """The large messages that need not be sent again."""
        return list(self._kept)

    def turn(self) -> None:
        """Another page is opened: nothing stands there until it has been drawn."""
        self.places.clear()
        self.values.clear()

    def begin(self, run: str, keeps: int) -> None:
        """A run of the script, or of fragments, begins."""
        self.run, self.keeps = run, keeps

    def take(self, message: ForwardMsg) -> Place | None:
        """Draw what a message says, and give the element that it put there, if it did."""
        path = tuple(message.metadata.delta_path)
        if message.WhichOneof("type") == "ref_hash":
            kept = self._kept[message.ref_hash]
            kept.used = self._runs
            return self._draw(path, kept.delta)
        if message.metadata.cacheable:
            self._kept.setdefault(message.hash, _Kept(message.delta, self._runs))
        return self._draw(path, message.delta)

    def end(self, run: str, fragments: list[str]) -> None:
        """A run has ended: what it did not draw again is gone, as are messages that were not referred to for long."""

        def stays(place: Place) -> bool:
            return place.run == run or bool(fragments and place.fragment not in fragments)

        self.places = {path: place for path, place in self.places.items() if stays(place)}
        here = {p.element.id for p in self.places.values() if hasattr(p.element, "id")}
        self.values = {name: state for name, state in self.values.items() if name in here}
        self._runs += 1
        for name, kept in list(self._kept.items()):
            if (not fragments or kept.delta.fragment_id in fragments) and self._runs - kept.used > self.keeps:
                del self._kept[name]

    def widgets(self) -> list[Widget]:
        """The widgets on the page, in the order in which they stand there."""
        places = [place for _, place in sorted(self.places.items())]
        return [w for p in places if (w := widget_of(p.kind, p.element, p.fragment)) is not None]

    def value(self, widget: Widget) -> Any:
        """What a widget shows now; None where nothing is chosen."""
        state = self.values.get(widget.id)
        return None if state is None else widget.value(state)

    def texts(self, kind: str | None = None) -> list[str]:
        """The texts on the page, of all kinds of elements or of one."""
        return [text_of(p.kind, p.element) for p in self.places.values() if kind in (None, p.kind)]

    def component(self, name: str) -> Place | None:
        """The component of this name."""
        found = (p for p in self.places.values() if p.kind == "bidi_component")
        return next((p for p in found if p.element.component_name.split(".")[-1] == name), None)

    def _draw(self, path: Path, delta: Delta) -> Place | None:
        if delta.WhichOneof("type") != "new_element":
            self.places.pop(path, None)
            return None
        kind = delta.new_element.WhichOneof("type") or ""
        element = getattr(delta.new_element, kind) if kind else None
        self.places[path] = place = Place(kind, element, self.run, delta.fragment_id)
        widget = widget_of(kind, element, delta.fragment_id)
        if widget and (widget.id not in self.values or getattr(element, "set_value", False)):
            state = opening(widget)
            if state is not None:
                self.values[widget.id] = state
        return place
