from __future__ import annotations

from dataclasses import replace

import plotly.graph_objects as go
import pytest

from core.decoding.rounds import Candidate, Round
from tests.ui.hand_made import choice, guess, guess_round, speculative, trace
from ui import formulas
from ui.diagrams.caches import CacheRound, cache_rounds
from ui.figures_round import Row, distribution_bars, either, left_over, written
from ui.hand import Hand
from ui.round_words import (
    assumption,
    dropped,
    first_of_either,
    frames,
    gained,
    here,
    quoted,
    story,
    telling_place,
    usable,
)


def made(kept: int, missed: bool, behind: int = 0, final: str | None = "correction") -> Round:
    positions = [guess(f" k{i}", True) for i in range(kept)]
    positions += [guess(" miss", False, p=0.1, q=0.5)] * missed + [guess(" late", None)] * behind
    return guess_round(0, positions, choice(final, " end") if final else None)


WHOLE, AT_ONCE, LAST = made(2, True, 1), made(0, True, 2), made(2, True)
BONUS, ENDED = made(3, False, final="bonus"), made(1, False, 2, final=None)


def held(round_: Round, temperature: float = 1.0) -> Hand:
    run = trace("speculative", "A", [round_], temperature)
    return Hand(run, run.rounds[0])


def test_what_a_miss_cost() -> None:
    assert dropped(WHOLE) == (
        "guess 3 fell, so the 1 answer about the guesses behind it and the one at the bonus place could not be used"
    )
    assert dropped(LAST) == "guess 3 fell, so the answer at the bonus place could not be used"
    assert dropped(BONUS) == "no guess fell, so every one of the answers could be used"
    assert "the text came to its end" in dropped(ENDED)


@pytest.mark.parametrize(
    ("round_", "told"),
    [(WHOLE, "3 tokens: 2 kept guesses and the correction"), (AT_ONCE, "1 token: the correction"),
     (BONUS, "4 tokens: 3 kept guesses and the bonus token"), (ENDED, "1 token: 1 kept guess")],
)  # fmt: skip
def test_what_a_round_gained(round_: Round, told: str) -> None:
    assert gained(round_) == told


def test_an_answer_counts_while_the_guesses_before_it_stand() -> None:
    assert [usable(WHOLE, place) for place in range(5)] == [True, True, True, False, False]
    assert all(usable(BONUS, place) for place in range(4))
    assert "no guess at all" in assumption(WHOLE, 0)
    assert assumption(WHOLE, 1).endswith("guess 1. It was kept, so the answer counts.")
    assert "**Guess 3 missed, so this beginning will not exist**" in assumption(WHOLE, 3)
    assert "guesses 1 to 3" in assumption(BONUS, 3) and "counts" in assumption(BONUS, 3)
    assert "The text ended" in assumption(ENDED, 2)
    assert [telling_place(r) for r in (WHOLE, AT_ONCE, BONUS)] == [2, 0, 0]


def test_frames_go_through_the_round_and_end_with_every_guess_settled() -> None:
    told = frames(WHOLE)
    assert [f.stage for f in told] == ["start", "guess", "guess", "guess", "final", "end"]
    assert [f.at for f in told] == [None, 0, 1, 2, None, None]
    assert [f.states.count("pending") for f in told] == [4, 3, 2, 1, 1, 0]
    assert told[-1].states == ("kept", "kept", "discarded", "discarded") and told[-1].final
    assert [f.final for f in told] == [False, False, False, False, True, True]
    assert [f.stage for f in frames(ENDED)] == ["start", "guess", "end"]
    assert frames(BONUS)[-2].states == ("kept",) * 3


def test_each_step_tells_what_happened_in_its_own_words() -> None:
    hot, cold = held(WHOLE), held(WHOLE, 0.0)
    start, first, *_, missed, final, end = frames(WHOLE)
    assert "**4 guesses**" in story(hot, start) and "**5 places**" in story(hot, start)
    assert "**stays** whatever is drawn" in story(hot, first)
    assert "does not fall below p/q: it **misses**" in story(hot, missed)
    assert "p = 0. It **misses** whatever number is drawn" in story(cold, missed)
    assert "drawn from the residual" in story(hot, final) and "first choice" in story(cold, final)
    assert "3 tokens" in story(hot, end) and "1 guess behind the miss was never examined" in story(hot, end)
    assert "never examined" not in story(held(BONUS), frames(BONUS)[-1])
    assert "**Bonus.**" in story(held(BONUS), frames(BONUS)[-2])


def test_what_the_correction_line_did_here() -> None:
    residual = Candidate(4, " end", 0.6, 0.1, 0.6, 0.1, 0.5)
    final = replace(choice("correction", " end"), token=4, top=(residual,))
    hot = held(replace(WHOLE, final=final))
    assert "at temperature 1: there the line drew “end” from the residual, where it had 50 %" in here(hot)
    assert "it wrote “end”, the target's first choice" in here(held(WHOLE, 0.0))
    assert "that line did not run" in here(held(BONUS)) and "that line did not run" in here(held(ENDED))


@pytest.mark.parametrize("text", [" *a*", "$x$", "<b>", "`c`", "[l](u)", ":smile:", "\\"])
def test_a_tokens_text_is_never_markup(text: str) -> None:
    told = quoted(text)
    marks = set("*_$<>`[]:\\")
    assert all(told[i - 1] == "\\" for i, c in enumerate(told) if c in marks and c != "\\")
    assert told.replace("\\", "") == text.strip().replace("\\", "")


def candidates(n: int) -> tuple[Candidate, ...]:
    """p falls with the token's number, q rises with it."""
    total = n * (n + 1) / 2
    return tuple(Candidate(i, f" t{i}", (n - i) / total, (i + 1) / total, 0, 0, 0.0) for i in range(n))


def test_the_first_twelve_of_either_hold_the_guess_and_the_rest_adds_up() -> None:
    x = replace(guess(" t10", True), token=10, top=candidates(20))
    shown, rest_p, rest_q = first_of_either(x)
    assert len(shown) == 12 and any(c.token == 10 for c in shown)
    assert {0, 1, 18, 19} <= {c.token for c in shown}
    assert rest_p == pytest.approx(1 - sum(c.p for c in shown)) and rest_q == pytest.approx(1 - sum(c.q for c in shown))
    rows = either(x)
    assert len(rows) == 13 and rows[-1].text == "all others"
    assert [r.text for r in rows if r.mark] == [" t10"]
    assert sum(r.p or 0 for r in rows) == pytest.approx(1) and sum(r.q or 0 for r in rows) == pytest.approx(1)


def test_bars_mark_the_miss_and_what_was_written_instead() -> None:
    top = candidates(20)
    missed, final = replace(guess(" t9", False), token=9, top=top), replace(choice("correction", " t8"), token=8)
    marked = {r.text: r.mark for r in left_over(missed, final) if r.mark}
    assert marked == {" t9": "✕", " t8": "✎"}
    late = replace(choice("bonus", " t15"), token=15, p=top[15].p, top=top)
    rows = written(late)
    assert rows[-2].text == " t15" and rows[-2].mark == "+" and all(r.q is None for r in rows)
    assert sum(r.p or 0 for r in rows) == pytest.approx(1)


def test_a_figure_has_a_bar_for_each_distribution_that_is_there() -> None:
    assert [t.name for t in go.Figure(distribution_bars([Row("a", 0.5), Row("b", 0.5)])).data] == ["target p"]
    figure = go.Figure(distribution_bars([Row("<b>a", 0.9, 0.0, 0.0004)]))
    assert [t.name for t in figure.data] == ["target p", "draft q", "residual"]
    assert [t.text[0] for t in figure.data] == ["90.0%", "0", "<0.1%"]
    assert "<b>" not in figure.layout.yaxis.ticktext[0]


def test_formulas_hold_the_numbers_of_the_round() -> None:
    assert [formulas.number(x) for x in (0.0, 1.0, 0.2504, 0.00003)] == ["0.000", "1.000", "0.250", r"3\cdot 10^{-5}"]
    kept, missed = replace(guess(" a", True, 0.2, 0.8), u=0.1), replace(guess(" a", False, 0.2, 0.8), u=0.3)
    assert r"\frac{0.200}{0.800} = 0.250" in formulas.test(kept, 0) and r"u_1 = 0.100 <" in formulas.test(kept, 0)
    assert r"u_3 = 0.300 \ge" in formulas.test(missed, 2) and r"\text{miss}" in formulas.test(missed, 2)
    assert "= 0.700" in formulas.beta(kept)
    assert r"\underbrace{2}_{\text{kept}} + \underbrace{1}_{\text{correction}} = 3" in formulas.gain(WHOLE)
    assert formulas.gain(WHOLE).endswith("= 5") and "+ " in formulas.gain(BONUS)
    y = Candidate(8, " y", 0.6, 0.1, 0.6, 0.1, 0.5 / 0.3)
    told = formulas.residual(replace(missed, top=(y,)), replace(choice("correction", " y"), token=8))
    assert r"\frac{0.500}{1 - \beta} = \frac{0.500}{0.300}" in told


def test_caches_show_what_was_read_and_what_is_taken_back() -> None:
    round_ = replace(WHOLE, target_cache=(7, 10), draft_cache=(7, 10))
    target, draft = cache_rounds(held(round_))
    assert target == CacheRound(7, ("A", " k0", " k1", " miss", " late"), 10) and target.taken_back == 2
    # The last guess was drawn and never read.
    assert draft == CacheRound(7, ("A", " k0", " k1", " miss"), 10) and draft.taken_back == 1
    assert target.sentence("Target") == "Target: 7 entries, 5 more are read, 2 entries are taken back: 10 stay."


def test_a_draft_that_lags_reads_two_tokens_first() -> None:
    run = speculative("A", [([" b", " c"], [], "bonus", " d"), ([" e", " f"], [], "bonus", " g")])
    # Prompt of three: 3 + 4 tokens before the second round; the target holds all but one, the draft all but two.
    second = replace(run.rounds[1], target_cache=(6, 9), draft_cache=(5, 8))
    target, draft = cache_rounds(Hand(replace(run, rounds=(run.rounds[0], second)), second))
    assert target == CacheRound(6, (" d", " e", " f"), 9) and target.taken_back == 0
    assert draft == CacheRound(5, (" c", " d", " e"), 8) and draft.taken_back == 0
