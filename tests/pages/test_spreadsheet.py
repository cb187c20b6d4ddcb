"""Tables on the pages that can be saved as a file: no prompt in one is a formula there."""

from __future__ import annotations

from dataclasses import replace

from tests.pages.conftest import Open
from tests.pages.test_exactness import PAGE, VERDICT


def test_a_prompt_among_the_verdicts_is_no_formula(open_page: Open) -> None:
    at = open_page(PAGE)
    verdict = replace(VERDICT, request=replace(VERDICT.request, prompt='=HYPERLINK("x")'))
    at.session_state["exactness.asked"] = None
    at.session_state["exactness.verdicts"] = {(verdict.request, verdict.switch, verdict.n): verdict}
    at.run()
    assert not at.exception and list(at.dataframe[0].value["Prompt"]) == ['\'=HYPERLINK("x")']
