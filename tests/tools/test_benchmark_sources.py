"""The arithmetic and the table of the sources' benchmark."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.tools.test_benchmark_run import SPECULATIVE, STANDARD
from tools.benchmark_run import Prompt, Run
from tools.benchmark_sources import report, row

CODE, CHAT = Prompt("code", "x"), Prompt("chat", "y")


def made(trace: object, seconds: float = 0.2) -> Run:
    return Run(tuple(trace.tokens), seconds, seconds, trace)  # type: ignore[attr-defined,arg-type]


def test_a_row_is_measured_against_standard_decoding_prompt_by_prompt() -> None:
    slow = replace(SPECULATIVE, rounds=tuple(replace(r, target_time=0.5) for r in SPECULATIVE.rounds))
    standard = {p: [made(STANDARD)] for p in (CODE, CHAT)}
    runs = {CODE: [made(SPECULATIVE)], CHAT: [made(slow)]}
    theirs = {p: [Run((1,) * len(made(SPECULATIVE).tokens), 0.6, 0.6)] for p in (CODE, CHAT)}
    found = row("draft", runs, standard, 24, theirs)
    step = 0.02
    assert found.speedups["code"] == pytest.approx(step / (SPECULATIVE.seconds / (len(SPECULATIVE.tokens) - 1)))
    assert found.worst == found.speedups["chat"] < 0.2
    assert found.alpha == pytest.approx(8 / 10) and found.over_theirs == pytest.approx(3.0)
    assert not found.same_text


def test_the_table_says_what_was_reached() -> None:
    base = row("draft", {CODE: [made(SPECULATIVE)]}, {CODE: [made(STANDARD)]}, 0, None)
    kinds = {"repeat": 1.9, "code": 1.5, "chat": 1.3}
    rows = [replace(base, speedups=kinds), replace(base, name="draft, goodput", speedups=kinds, worst=0.9)]
    rows.append(replace(base, name="lookup", speedups=dict.fromkeys(kinds, 1.0), over_theirs=1.2, c=None, alpha=None))
    text = report(rows)
    assert "met     best source on repeat: draft, goodput, 1.90" in text and "NOT met best source on code" in text
    assert "NOT met goodput on the worst text: 0.90" in text
    assert "met     lookup against Transformers’ prompt lookup: 1.20" in text
