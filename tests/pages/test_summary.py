from __future__ import annotations

from tests.pages.conftest import Open, sentences, skip


def test_a_visit_looks_back_on_what_it_predicted(open_page: Open) -> None:
    at = open_page("03_reading.py")
    at.number_input("said-3").set_value(4)
    at.button("commit-3").click()
    at.run()
    at.switch_page("pages/04_guess.py")
    skip(at.run(), 4)
    at.switch_page("pages/summary.py").run()
    said = sentences(at)
    assert "0 of 1 right. Look again at 3." in said
    assert "You said: 4 calls" in said and "skipped" in said and said.count("not asked yet") == 8
    at.button[-1].click()
    assert "Nothing predicted yet" in sentences(at.run())
