from __future__ import annotations

from streamlit.testing.v1 import AppTest

from ui import visit


def test_whole_numbers_are_kept_in_range_and_on_their_steps() -> None:
    parse = visit.whole(50, 3000, 50)
    assert [parse(t) for t in ("600", "610", "640", "49", "3001", "x", "nan", "inf", "")] == [
        600, 600, 650, None, None, None, None, None, None,
    ]  # fmt: skip


def test_decimals_are_kept_in_range_and_on_their_steps() -> None:
    parse = visit.decimal(0.0, 2.0, 0.1)
    assert [parse(t) for t in ("0.7", "0.77", "2", "2.01", "-0.1", "1e400", "abc")] == [
        0.7, 0.8, 2.0, None, None, None, None,
    ]  # fmt: skip


def app() -> None:
    import streamlit as st

    from ui import visit

    page = st.session_state.get("page", "a")
    size = visit.Control("size", 3, visit.whole(1, 9))
    words = visit.Control("words", "", visit.text)
    st.slider("Size", 1, 9, **visit.bind(size, page))
    st.text_area("Words", **visit.bind(words, page))
    for sentence in visit.unreadable(size):
        st.warning(sentence)


def opened(**params: str) -> AppTest:
    at = AppTest.from_function(app)
    for name, value in params.items():
        at.query_params[name] = value
    return at.run()


def test_a_link_opens_its_values() -> None:
    assert opened(size="7").slider[0].value == 7


def test_a_changed_control_is_in_the_address_and_its_default_is_not() -> None:
    at = opened()
    at.slider[0].set_value(8).run()
    assert at.query_params["size"] == "8"
    at.slider[0].set_value(3).run()
    assert "size" not in at.query_params


def test_a_value_out_of_range_gives_one_sentence_and_the_default() -> None:
    at = opened(size="99")
    assert at.slider[0].value == 3
    assert [w.value for w in at.warning] == ["The link's “size” makes no sense here, so the usual value is used."]
    at.slider[0].set_value(4).run()
    assert not at.warning and at.query_params["size"] == "4"


def test_choosing_the_default_mends_a_bad_link() -> None:
    at = opened(size="99")
    at.slider[0].set_value(5).run()
    at.slider[0].set_value(3).run()
    assert "size" not in at.query_params


def test_back_to_an_address_without_the_value_is_the_default() -> None:
    at = opened(size="7")
    del at.query_params["size"]
    at.run()
    assert at.slider[0].value == 3


def test_a_choice_comes_along_to_another_page_and_into_its_address() -> None:
    at = opened(size="7")
    at.query_params.clear()
    at.session_state["page"] = "b"
    at.run()
    assert at.slider[0].value == 7
    assert at.query_params["size"] == "7"


def test_a_long_text_stays_out_of_the_address_and_in_the_visit() -> None:
    at = opened()
    long = "word " * 200
    at.text_area[0].set_value(long).run()
    at.run()
    assert at.text_area[0].value == long
    assert "words" not in at.query_params
    at.text_area[0].set_value("short").run()
    assert at.query_params["words"] == "short"
