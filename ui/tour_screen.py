"""The tour's page: the step's own page drawn in place, its screens alone in the window, and the keys."""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from types import CodeType

import streamlit as st

from core.decoding.request import DecodeRequest, RequestError
from ui import content, engine, follow, navigation, tour, visit
from ui.components.keys import keys
from ui.request_bar import STYLE, TEXT, gamma_control, prompt_control, seed_control, temperature_control
from ui.tour import PARAMETER, Step

log = logging.getLogger(__name__)
ROOT = Path(__file__).parent.parent

_STYLE = """<style>
:is([data-testid=stHeader], [data-testid=stToolbar], [data-testid=stSidebar]) { display: none !important; }
[class*=st-key-request-],
[data-testid=stLayoutWrapper]:has(> [class*=st-key-aside-]) {
  display: none !important;
}
[data-testid=stMain] { overflow: hidden; --step-hint: none; }
[data-testid=stMainBlockContainer] { max-width: none; height: 0; padding: 0 !important; overflow: hidden; }
[data-testid=stMainBlockContainer] [data-testid=stException] {
  position: fixed;
  inset: 0 0 2.5rem;
  z-index: 999;
  overflow: auto;
  background-color: var(--st-background-color, white);
}
[class*=st-key-view-] {
  position: fixed !important;
  left: 0;
  top: 0;
  box-sizing: border-box;
  width: 100vw !important;
  max-width: none !important;
  padding: 1.3rem 3rem 0.8rem;
  gap: 0.75rem;
  opacity: 0;
  pointer-events: none;
}
[class*=st-key-view-] { --small: 1rem; --lane-text: 1.2rem; --lane-line: 1.6; }
[class*=st-key-view-] :is(
  [data-testid=stCaptionContainer], [data-testid=stWidgetLabel], [data-testid=stMetricLabel], button
) p,
[class*=st-key-view-] [data-testid=stSliderThumbValue] {
  font-size: 1rem;
}
[class*=st-key-view-] :is(h3, h4, h5, h6) { padding-block: 0.2rem 0.5rem; }
[class*=st-key-view-] [data-testid=stAlert] p { max-width: none; }
[class*=st-key-view-part] [class*=st-key-card-] h5 { padding: 0.1rem 0 1rem; }
[class*=st-key-view-part] [class*=st-key-card-] > :nth-child(n + 2) { display: none; }
[class*=st-key-view-][class*=-takeaway] { padding-inline: 7rem; }
[class*=st-key-takeaway-] { border-left-width: 0.45rem; padding-left: 2rem; }
[class*=st-key-takeaway-] p:last-child { font: 650 2.3rem/1.3 "Source Serif", serif; max-width: none; }
</style>"""


def play() -> None:
    """Draw the step that the address names, and listen to the keys."""
    here = tour.arrive(_due())
    later = _next_page(here)
    st.html(_STYLE)
    _steps(here.page, later is not None)
    follow.obey(tour.go)
    # Two places by turns, so that a page that was drawn ahead stays where it is when its turn comes.
    places = st.container(), st.container()
    with tour.showing():
        with places[_turn(here)]:
            _draw(here)
        if later:
            with places[_turn(later)]:
                _draw_ahead(later)
    _prepare(here)


@st.fragment
def _steps(drawn: str, ahead: bool) -> None:
    """The keys. A step to another screen of the page that is drawn runs this alone, unless the next page is due."""
    here = tour.arrive(_due())
    leaves = keys(tour.steps(), here, key="tour-keys", on_go=tour.go)
    if leaves:
        st.switch_page(navigation.path(here.page))
    if here.page != drawn or (_next_page(here) and not ahead):
        st.rerun()


def _due() -> int:
    """The number of the step to show: at first the address's, or 1 where it has none, or nonsense."""
    number = tour.due()
    if number is not None:
        return number
    text = st.query_params.get(PARAMETER, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 5 else 1


def _draw(here: Step) -> None:
    """Run the step's own page here. A page that is no chapter is one screen."""
    code = _compiled(ROOT / "pages" / here.page, (ROOT / "pages" / here.page).stat().st_mtime_ns)
    names = {"__name__": "__main__", "__file__": code.co_filename}
    if here.chapter is not None:
        exec(code, names)
        return
    with st.container(key=f"view-{here.id}"):
        exec(code, names)


def _next_page(here: Step) -> Step | None:
    """The step after a page's last one: its page is drawn while that is looked at, so that it is there at once."""
    following = tour.step(here.number + 1)
    return following if following.page != here.page else None


def _turn(step: Step) -> int:
    """Which of two places the step's page is drawn in."""
    pages = list(dict.fromkeys(s.page for s in tour.steps()))
    return pages.index(step.page) % 2


def _draw_ahead(later: Step) -> None:
    """Draw a page that is not looked at yet. What goes wrong there is told when its turn comes."""
    try:
        _draw(later)
    except Exception:
        log.exception("A page could not be drawn ahead.")


@lru_cache(maxsize=64)
def _compiled(path: Path, changed: int) -> CodeType:
    """A page's code. `changed` makes an edited file be compiled again."""
    return compile(path.read_text(encoding="utf-8"), str(path), "exec", dont_inherit=True)


def _prepare(here: Step) -> None:
    """Have the runs of the next chapter made while this one is looked at."""
    later = (s.chapter for s in tour.steps()[here.number :] if s.chapter not in (None, here.chapter))
    chapter = content.chapter(next(later, 0) or 0)
    if chapter:
        engine.prepare(_opening_runs(chapter))


def _opening_runs(chapter: content.ChapterText) -> list[DecodeRequest]:
    """What a chapter's stage will ask for with the controls in hand; nothing for a prompt that cannot be run."""
    chosen = visit.expected(prompt_control(content.default_prompt(chapter).id))
    curated = next((p for p in content.prompts() if p.id == chosen), None)
    text, chat = (curated.text, curated.chat) if curated else (visit.expected(TEXT), visit.expected(STYLE) == "message")
    try:
        request = DecodeRequest(
            text,
            chat=chat,
            temperature=visit.expected(temperature_control(chapter.temperature)),
            seed=visit.expected(seed_control(chapter.seed)),
            gamma=visit.expected(gamma_control(chapter.gamma)),
            max_new_tokens=chapter.length,
        )
    except RequestError:
        return []
    return [replace(request, method=method) for method in chapter.methods]
