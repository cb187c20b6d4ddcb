"""What leaves the lab for a spreadsheet is text or a number there, never a formula."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.classroom.views import Row, as_csv
from core.spreadsheet import STARTS, harmless
from tests.ui.hand_made import CAT, CAT_ROUNDS, speculative
from ui import trace_files, workbench

FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", '=HYPERLINK("http://x.example")', "＝1＋1"]
TRACE = speculative(CAT[0], CAT_ROUNDS)


@pytest.mark.parametrize("text", FORMULAS)
def test_what_begins_like_a_formula_becomes_text(text: str) -> None:
    assert harmless(text) == f"'{text}"


@given(st.text(max_size=8))
def test_no_text_comes_out_as_a_formula_and_none_is_lost(text: str) -> None:
    said = harmless(text)
    assert not said.startswith(STARTS) and said.removeprefix("'") in (text, text.removeprefix("'"))
    assert harmless(said) == said
    assert said == text or text.startswith(STARTS)


@pytest.mark.parametrize("text", FORMULAS)
def test_no_file_of_the_labs_holds_a_formula(text: str) -> None:
    votes = as_csv([Row(1, 1, 1, -3, None, 0.0)], lambda _: text, lambda *_: text)
    (vote,) = csv.DictReader(io.StringIO(votes, newline=""))
    assert vote["question"] == vote["said in words"] == f"'{text}" and vote["said"] == "-3"

    chosen = replace(TRACE.prefill, choice=replace(TRACE.prefill.choice, text=text))
    drafted = replace(TRACE.rounds[0].positions[0], text=text)
    first = replace(TRACE.rounds[0], positions=(drafted, *TRACE.rounds[0].positions[1:]))
    trace = replace(TRACE, prefill=chosen, rounds=(first, *TRACE.rounds[1:]))
    rows = list(csv.DictReader(io.StringIO(trace_files.as_csv(trace), newline="")))
    assert rows[0]["text"] == rows[1]["text"] == f"'{text}" and rows[0]["round"] == "-1"
    assert not any(cell.startswith(STARTS) for row in rows for name, cell in row.items() if name != "round")

    # A table on a page has a button that makes a file of it; this one may show a stranger's prompt.
    assert workbench.settings([replace(TRACE.request, prompt=text)])["Prompt"] == [f"'{text}"]


def test_a_line_end_in_a_text_begins_no_cell_of_its_own() -> None:
    text = "one\r=1+1\n=2"
    votes = as_csv([Row(1, 1, 1, 2, None, 0.0)], lambda _: text, lambda *_: "two")
    (vote,) = csv.DictReader(io.StringIO(votes, newline=""))
    assert vote["question"] == text
    trace = replace(TRACE, prefill=replace(TRACE.prefill, choice=replace(TRACE.prefill.choice, text=text)))
    assert next(csv.DictReader(io.StringIO(trace_files.as_csv(trace), newline="")))["text"] == text
