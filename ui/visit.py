"""A visit's state and its only owner: the controls in hand, the predictions, the runs made.

A control's value lives in the page's address, so that a copied link opens the same controls and the
browser's Back works. What is absent there is the default, except when a page has just been opened: then
what was chosen elsewhere in this visit comes along. Everything else lives in the session.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Generic, TypeVar

import streamlit as st
from pydantic import TypeAdapter, ValidationError
from streamlit.runtime.scriptrunner import get_script_run_ctx

K = TypeVar("K")
T = TypeVar("T")

ADDRESS_LIMIT = 500
"""Longer values stay out of the address: browsers and chats cut long links."""

LONGEST_KEPT = 500_000
"""Characters that a browser may hand back for one store; a visit never fills as many."""


@dataclass(frozen=True)
class Control(Generic[T]):
    """A value that a visitor sets, by its name in the address.

    `parse` turns the address's text into a value, or None where it makes no sense.
    """

    name: str
    default: T
    parse: Callable[[str], T | None]


@dataclass(frozen=True)
class Prediction:
    """What a visitor said before looking, and what was right on the run then on screen.

    `value` is None for a question that was skipped; `answer` is None until the run is there. `shown` is False while
    the answer is held back, to be asked for.
    """

    value: int | None
    answer: int | None = None
    shown: bool = True


@dataclass(frozen=True)
class Store(Generic[K, T]):
    """What a visit gathers under one name, by key: held in the session, and kept by the browser over a reload.

    `kind` is the dictionary's type, by which text from a browser is checked.
    """

    name: str
    kind: type[dict[K, T]]

    def held(self) -> dict[K, T]:
        """What there is in this session, to read or to change."""
        held: dict[K, T] = st.session_state.setdefault(f"visit.{self.name}", {})
        return held

    def json(self) -> str:
        """All of it as text."""
        return _adapter(self.kind).dump_json(self.held()).decode()

    def restore(self, text: object) -> None:
        """Take back what a browser kept; text that holds none is left alone, and what is held by now counts more."""
        if isinstance(text, str) and len(text) <= LONGEST_KEPT:
            with suppress(ValidationError):
                held = self.held()
                kept = _adapter(self.kind).validate_json(text)
                now = {**kept, **held}
                held.clear()
                held.update(now)


PREDICTIONS = Store("predictions", dict[int, Prediction])
"""What was said about each chapter's question, by its number."""
SWITCHES = Store("switches", dict[str, bool])
"""What a presenter has switched on, by name; what is absent is off."""
LARGE, HOLD = "large", "hold"
"""The switches: larger type, and answers that wait until they are asked for."""
_HERE = "visit.here"
_OPEN = "visit.open"


def whole(low: int, high: int, step: int = 1) -> Callable[[str], int | None]:
    """A parser of whole numbers from `low` to `high`; what lies between two steps goes to the nearer."""

    def parse(text: str) -> int | None:
        number = decimal(low, high, step)(text)
        return None if number is None else round(number)

    return parse


def decimal(low: float, high: float, step: float) -> Callable[[str], float | None]:
    """A parser of numbers from `low` to `high`; what lies between two steps goes to the nearer."""

    def parse(text: str) -> float | None:
        try:
            number = float(text)
        except ValueError:
            return None
        if not low <= number <= high:
            return None
        return round(min(high, low + round((number - low) / step) * step), 6)

    return parse


def one_of(*names: str) -> Callable[[str], str | None]:
    """A parser of names."""
    return lambda text: text if text in names else None


def text(value: str) -> str | None:
    """The parser of free text."""
    return value


def bind(control: Control[Any], page: str) -> dict[str, Any]:
    """The `key` and `on_change` of the widget that shows a control on a page; its value is set beforehand."""
    key = f"{page}:{control.name}"
    value = _current(control, key)
    # Said on every run: a run that is cut short may never reach the browser, which would then show the widget's
    # own default. Only free text is left alone once it is there, since somebody may be typing.
    if control.parse is not text or key not in st.session_state or st.session_state[key] != value:
        st.session_state[key] = value
    return {"key": key, "on_change": _changed, "args": (control, key, value)}


def value(control: Control[T], page: str) -> T:
    """A control's value on a page, for what is drawn before its widget."""
    current: T = _current(control, f"{page}:{control.name}")
    return current


def expected(control: Control[T]) -> T:
    """What a control will be on a page that has not been opened yet; nothing is changed."""
    if control.name in st.query_params:
        found = control.parse(st.query_params[control.name])
        return control.default if found is None else found
    remembered: T = _controls().get(control.name, control.default)
    return remembered


def choose(control: Control[T], value: T) -> None:
    """Set a control from outside its widget: from a button's callback, say."""
    _controls()[control.name] = value
    if value != control.default and _fits(value):
        st.query_params[control.name] = str(value)
    elif control.name in st.query_params:
        del st.query_params[control.name]


def take(control: Control[int], key: str, shown: int) -> None:
    """The callback of a list of numbered things that differ from run to run, of which `shown` is the one on screen.

    A list that was gone and is drawn again may report what it had shown, or a line of another run's list, as text.
    Neither was chosen by anybody.
    """
    chosen = st.session_state[key]
    if isinstance(chosen, int) and chosen != shown:
        choose(control, chosen)


def unreadable(*controls: Control[Any]) -> list[str]:
    """One sentence for each control whose value in the address makes no sense."""
    return [
        f"The link's “{c.name}” makes no sense here, so the usual value is used."
        for c in controls
        if c.name in st.query_params and c.parse(st.query_params[c.name]) is None
    ]


def prediction(chapter: int) -> Prediction | None:
    """What was said about a chapter's question, or None before anything was."""
    return PREDICTIONS.held().get(chapter)


def predict(chapter: int, value: int | None) -> None:
    """Keep an answer, or None for a skipped question, whose answer is then wanted."""
    PREDICTIONS.held()[chapter] = Prediction(value, shown=value is None or not switched(HOLD))


def show_answer(chapter: int) -> None:
    """Hold the answer to a chapter's question back no longer."""
    PREDICTIONS.held()[chapter] = replace(PREDICTIONS.held()[chapter], shown=True)


def answered(chapter: int) -> bool:
    """Whether a chapter may show what its question asks about."""
    held = prediction(chapter)
    return held is not None and held.shown


def switched(name: str) -> bool:
    """Whether a switch is on."""
    return SWITCHES.held().get(name, False)


def switch(name: str, on: bool) -> None:
    """Turn a switch on or off. Answers that were held back come out once nothing holds them."""
    SWITCHES.held()[name] = on
    if name == HOLD and not on:
        for chapter in PREDICTIONS.held():
            show_answer(chapter)


def mark(chapter: int, answer: int) -> int:
    """What a prediction is held against: the answer of the first run that gave one, whatever is run later."""
    held = PREDICTIONS.held()[chapter]
    if held.answer is None:
        PREDICTIONS.held()[chapter] = replace(held, answer=answer)
        return answer
    return held.answer


def turn_page() -> None:
    """Say that a page begins: from here on its controls are noted, for `reset_page`."""
    st.session_state[_HERE] = set()


def reset_page() -> None:
    """Set every control of the page on screen back to its default, in the visit and in the address."""
    for name in st.session_state.get(_HERE, ()):
        _controls().pop(name, None)
        if name in st.query_params:
            del st.query_params[name]


def forget(chapter: int) -> None:
    """Ask a chapter's question again."""
    PREDICTIONS.held().pop(chapter, None)


def _current(control: Control[Any], key: str) -> Any:
    st.session_state.setdefault(_HERE, set()).add(control.name)
    just_opened = _just_opened(key)
    remembered = _controls().get(control.name, control.default)
    if control.name in st.query_params:
        value = control.parse(st.query_params[control.name])
        if value is None:
            return control.default
        _controls()[control.name] = value
        return value
    if just_opened and remembered != control.default:
        choose(control, remembered)
    return remembered if just_opened or not _fits(remembered) else control.default


def _changed(control: Control[Any], key: str, shown: Any) -> None:
    value = st.session_state[key]
    # A widget that was gone and is drawn again reports what it had shown before: nobody has touched it.
    if value != shown:
        choose(control, control.default if value is None else value)


def _just_opened(key: str) -> bool:
    """Whether a widget comes up anew. One of the same key on the page before (a chapter's, and the tour of it) may have
    left its value behind, so that counts for each page by itself."""
    context = get_script_run_ctx()
    page = context.page_script_hash if context else ""
    before, seen = st.session_state.get(_OPEN, (None, set()))
    if before != page:
        seen = set()
        st.session_state[_OPEN] = page, seen
    new = key not in seen or key not in st.session_state
    seen.add(key)
    return new


def _fits(value: Any) -> bool:
    return len(str(value)) <= ADDRESS_LIMIT


def _controls() -> dict[str, Any]:
    controls: dict[str, Any] = st.session_state.setdefault("visit.controls", {})
    return controls


@cache
def _adapter(kind: type[dict[K, T]]) -> TypeAdapter[dict[K, T]]:
    return TypeAdapter(kind)
