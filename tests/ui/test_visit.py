from __future__ import annotations

import pytest
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
    visit.turn_page()
    size = visit.Control("size", 3, visit.whole(1, 9))
    words = visit.Control("words", "", visit.text)
    st.slider("Size", 1, 9, **visit.bind(size, page))
    st.text_area("Words", **visit.bind(words, page))
    for sentence in visit.unreadable(size):
        st.warning(sentence)
    st.button("Reset", on_click=visit.reset_page)


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


def test_a_reset_page_has_its_defaults_again_and_leaves_other_pages_alone() -> None:
    at = opened(size="7")
    at.session_state["visit.controls"]["elsewhere"] = 5
    at.text_area[0].set_value("word " * 200).run()
    at.button[0].click().run()
    assert at.slider[0].value == 3 and at.text_area[0].value == ""
    assert "size" not in at.query_params
    at.run()
    assert at.slider[0].value == 3
    assert at.session_state["visit.controls"] == {"elsewhere": 5}
    at.slider[0].set_value(8).run()
    assert at.query_params["size"] == "8"


def gone_and_back() -> None:
    import streamlit as st

    from ui import visit

    size = visit.Control("size", 3, visit.whole(1, 9))
    bound = visit.bind(size, "a")
    # What the browser sends for a widget that was gone for a while: a change for the server, for nobody else.
    bound["on_change"](*bound["args"])
    elsewhere = visit.expected(visit.Control("size", 5, visit.whole(1, 9)))
    st.session_state[bound["key"]] = 7
    bound["on_change"](*bound["args"])
    st.session_state["seen"] = elsewhere, visit.expected(size)


def test_a_widget_that_reports_what_it_showed_has_chosen_nothing() -> None:
    # A page whose default is another keeps it; what somebody chose does come along.
    assert AppTest.from_function(gone_and_back).run().session_state["seen"] == (5, 7)


def listing() -> None:
    import streamlit as st

    from ui import visit

    number = visit.Control("number", 0, visit.whole(0, 9))
    for reported, shown in ((2, 2), ("3 of 7", 2)):
        st.session_state["list"] = reported
        visit.take(number, "list", shown)
    untouched = dict(st.query_params), dict(st.session_state.get("visit.controls", {}))
    st.session_state["list"] = 4
    visit.take(number, "list", 2)
    st.session_state["seen"] = untouched, dict(st.query_params)


def test_only_another_line_of_a_list_is_taken_as_chosen() -> None:
    assert AppTest.from_function(listing).run().session_state["seen"] == (({}, {}), {"number": "4"})


def holding() -> None:
    import streamlit as st

    from ui import visit

    visit.switch(visit.HOLD, True)
    visit.predict(1, 2)
    visit.predict(2, None)
    before = visit.answered(1), visit.answered(2), visit.answered(3)
    visit.switch(visit.HOLD, False)
    st.session_state["seen"] = before, (visit.answered(1), visit.answered(2), visit.answered(3))


def test_answers_are_held_back_until_the_switch_is_off_and_skipped_ones_are_not() -> None:
    assert AppTest.from_function(holding).run().session_state["seen"] == ((False, True, False), (True, True, False))


def memory() -> None:
    import streamlit as st

    from ui import visit

    if "kept" in st.session_state:
        visit.PREDICTIONS.restore(st.session_state["kept"])
    if "said" in st.session_state:
        visit.predict(2, st.session_state["said"])
    st.session_state["now"] = visit.PREDICTIONS.json()
    st.session_state["second"] = visit.prediction(2)


def remembered(**state: object) -> AppTest:
    at = AppTest.from_function(memory)
    for name, value in state.items():
        at.session_state[name] = value
    return at.run()


def test_predictions_go_into_text_and_come_back() -> None:
    text = remembered(said=14).session_state["now"]
    assert remembered(kept=text).session_state["second"] == visit.Prediction(14)


@pytest.mark.parametrize("kept", ["", "nonsense", '{"2": {"value": "x"}}', "[1]", None, 5, "[" * 1_000_000])
def test_text_that_holds_no_predictions_is_left_alone(kept: object) -> None:
    assert remembered(kept=kept).session_state["now"] == "{}"


def test_what_is_said_now_counts_more_than_what_was_kept() -> None:
    at = remembered(said=3)
    at.session_state["kept"] = '{"2": {"value": 14}, "3": {"value": 1}}'
    del at.session_state["said"]
    assert at.run().session_state["second"] == visit.Prediction(3)
    assert '"3":{"value":1,' in at.session_state["now"]
