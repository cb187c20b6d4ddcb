"""The Lecture page, the speaker's notes, and what a presenter can do on a chapter's page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import Open, sentences
from ui import content, follow, lecture, tour

CODE = "abcdefghjk"


@pytest.fixture
def registry() -> Iterator[follow.Registry]:
    yield follow.registry()
    follow.registry().forget(CODE)


def links(at: AppTest) -> list[Any]:
    return [link.proto for link in at.get("page_link") if link.proto.page == "tour"]


def test_the_lecture_page_makes_a_link_and_takes_it_back(open_page: Open) -> None:
    at = open_page("lecture.py", plan="20")
    assert not at.exception and not at.get("link_button")
    assert [int(link.label.split()[0]) for link in links(at)] == [s.step.number for s in lecture.stops(20)]
    next(b for b in at.button if b.label == "Make a link to the notes").click().run()
    address = at.get("link_button")[0].proto.url
    code = address.partition("code=")[2].partition("&")[0]
    assert follow.tidy(code) == code and address.endswith("plan=20")
    assert follow.registry().look(code) and code in sentences(at)
    next(b for b in at.button if b.label == "End this link").click().run()
    assert follow.registry().look(code) is None
    assert not at.get("link_button") and code not in sentences(at)


def test_the_notes_follow_the_tour_and_turn_it(open_page: Open, registry: follow.Registry) -> None:
    registry.arrive(CODE, 2)
    at = open_page("notes.py", code=CODE, plan="50")
    said = sentences(at)
    assert content.notes()["1-predict"].say in said and content.notes()["1-predict"].ask in said
    assert "Next: 1 · Careful or quick (experiment)" in said
    at.button("turn-next").click().run()
    assert content.notes()["1-stage"].say in sentences(at)
    assert registry.take(CODE) == 3
    at.button("turn-back").click().run()
    assert registry.take(CODE) == 2
    registry.arrive(CODE, tour.length())
    assert at.run().button("turn-next").disabled


@pytest.mark.parametrize("code", ["zzzzzzzzzz", "<b>no</b>", "x" * 5000])
def test_a_wrong_code_gives_one_sentence_and_is_not_repeated(open_page: Open, code: str) -> None:
    at = open_page("notes.py", code=code)
    assert not at.exception
    assert [w.value for w in at.warning] == [w.value for w in at.warning if "No tour can be followed" in w.value]
    assert len(at.warning) == 1 and code not in sentences(at)
    assert not any(b.key == "turn-next" for b in at.button)


def test_a_code_may_be_typed_and_nothing_else_gets_into_the_address(open_page: Open, registry: follow.Registry) -> None:
    registry.arrive(CODE, 1)
    at = open_page("notes.py")
    assert not at.exception and not at.warning
    at.text_input("notes-code").set_value("<img src=x onerror=alert(1)>").run()
    assert at.query_params["code"] == "?" and len(at.warning) == 1
    at.text_input("notes-code").set_value(" ABCDE FGHJK").run()
    assert at.query_params["code"] == CODE
    assert content.notes()["part-I"].say in sentences(at)


def test_the_tour_goes_where_a_follower_asks_and_polls_only_with_a_code(
    open_page: Open, registry: follow.Registry
) -> None:
    at = open_page("tour.py", tour="2")
    assert not at.exception and registry.look(CODE) is None
    at.session_state["visit.follow"] = {"code": CODE}
    at.run()
    seen = registry.look(CODE)
    assert seen and seen.step == 2
    registry.ask(CODE, 5)
    at.run()
    assert at.query_params["tour"] == "5"
    seen = registry.look(CODE)
    assert seen and (seen.step, seen.wanted) == (5, None)


def test_large_type_is_kept_and_a_page_can_be_reset(open_page: Open) -> None:
    at = open_page("lecture.py")
    small = [h.proto.body for h in at.get("html")][0]
    at.toggle("switch-large").set_value(True).run()
    assert len([h.proto.body for h in at.get("html")][0]) > len(small)
    at.switch_page("pages/04_guess.py").run()
    assert not at.exception and len([h.proto.body for h in at.get("html")][0]) > len(small)
    at.slider("guess:gamma").set_value(2).run()
    assert at.query_params["gamma"] == "2"
    at.button("reset-page").click().run()
    assert at.slider("guess:gamma").value == 4 and "gamma" not in at.query_params
