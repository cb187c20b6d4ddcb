"""What chapters 6 and 7 say about many draws."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.decoding.events import fold
from core.decoding.request import DecodeRequest
from core.decoding.rounds import Position
from core.decoding.trace import Trace
from core.measure.exactness import ChiSquare
from core.measure.toy import play
from tests.pages.stand_in import stream
from ui.toy_words import (
    beta_formula,
    keep_formula,
    last_rounds,
    noise_words,
    outcome_words,
    output_formula,
    position_split,
    residual_formula,
    toy_tallies,
    verdict,
)
from ui.toys import CHECKPOINTS, noise_bands, places, seen_distances

P, Q = (0.4, 0.6), (0.7, 0.3)
X = Position(1, " x", 0.1, 0.4, 0.1, 0.4, 0.25, 0.2, True, 0.5, 0.0, 0.0)


def trace(gamma: int = 3) -> Trace:
    request = DecodeRequest("Count.", temperature=1.0, gamma=gamma, max_new_tokens=8)
    return fold(request, stream(request))


def test_formulas_hold_the_values() -> None:
    assert r"\frac{0.400}{0.700}" in keep_formula("A", 0.4, 0.7) and "= 0.571" in keep_formula("A", 0.4, 0.7)
    assert keep_formula("B", 0.6, 0.3).count("= 1 ") == 1
    assert "never guesses" in keep_formula("A", 0.5, 0.0)
    assert "<" in keep_formula("x", 1e-7, 0.5)
    assert "= 0.70" in beta_formula(P, Q)
    p, q = np.array(P), np.array(Q)
    assert "= 1 " in residual_formula(p, q, 1) and "= 0 " in residual_formula(p, q, 0)
    assert "no residual" in residual_formula(p, p, 0)


@pytest.mark.parametrize(("rule", "written"), [("residual", "= 0.600"), ("target", "= 0.480"), ("argmax", "= 0.600")])
def test_the_output_formula_ends_in_what_the_rule_writes(rule, written: str) -> None:
    assert output_formula(np.array(P), np.array(Q), 1, rule).endswith(written)


def test_kept_anyway_is_q() -> None:
    assert "0.300" in output_formula(np.array(P), np.array(Q), 1, "keep")


def test_tallies_hold_counts_against_theory_and_leave_out_what_never_happens() -> None:
    rows = {r.name: r for r in toy_tallies(play(P, Q, "residual", 10_000, 0), "AB", P, Q)}
    assert rows["guessed A stays"].expected == pytest.approx(4 / 7)
    assert rows["any guess stays"].expected == pytest.approx(0.7)
    assert all(r.seen == pytest.approx(r.expected, abs=0.03) for r in rows.values())
    assert all(r.seen is None for r in toy_tallies(play(P, Q, "residual", 0, 0), "AB", P, Q))
    assert "guessed B stays" not in {
        r.name for r in toy_tallies(play(P, (1.0, 0.0), "residual", 5, 0), "AB", P, (1, 0))
    }


def test_the_last_rounds_show_what_fell_and_what_came_instead() -> None:
    rounds = play(P, Q, "residual", 100, 0)
    tokens = last_rounds(rounds, "AB", P, Q, most=5)
    assert {t.group for t in tokens} == {95, 96, 97, 98, 99}
    assert sum(t.state == "discarded" for t in tokens) == sum(t.state == "correction" for t in tokens)
    written = [t.text.strip() for t in tokens if t.state != "discarded"]
    assert written == ["AB"[i] for i in rounds.written[-5:]]


def test_a_real_guess_and_all_others_split_p_and_q_whole() -> None:
    picked, rest = position_split(X, " x")
    assert picked.p + rest.p == pytest.approx(1) and picked.q + rest.q == pytest.approx(1)
    assert picked.both + rest.both == pytest.approx(X.beta)


def test_a_verdict_gives_its_reason() -> None:
    assert verdict(X).startswith("**Kept.**") and "u = 0.200, is below p/q = 0.250" in verdict(X)
    assert "is not below" in verdict(replace(X, u=0.3, accepted=False))
    assert "at least as much" in verdict(replace(X, p=0.6))
    assert "Not examined" in verdict(replace(X, u=None, accepted=None))


def test_the_p_value_is_put_into_words() -> None:
    passed, text = outcome_words(ChiSquare(3.0, 5, 0.55), 10_000)
    assert passed and "10,000 draws" in text and "about 55 in 100 runs" in text
    failed, text = outcome_words(ChiSquare(40.0, 5, 0.004), 1000)
    assert not failed and "about 40 in 10,000 runs" in text
    assert "fewer than one in 10,000" in outcome_words(ChiSquare(4e3, 5, 0.0), 1000)[1]


@pytest.mark.parametrize(("seen", "word"), [(0.02, "inside"), (0.2, "above"), (0.001, "below")])
def test_a_distance_is_placed_in_its_band(seen: float, word: str) -> None:
    assert f"**{word}**" in noise_words(seen, 0.01, 0.05, 0.99, 1000)


def test_places_stand_behind_the_text_they_were_guessed_after() -> None:
    run = trace()
    found = places(run)
    assert len(found) == sum(len(r.positions) for r in run.rounds)
    assert found[0].before == run.pieces[0]
    assert found[1].before == run.pieces[0] + found[0].position.text
    second = len(run.rounds[0].positions)
    assert found[second].before == "".join(run.pieces[: 1 + len(run.rounds[0].committed)])


def test_distances_are_taken_at_the_checkpoints_and_at_the_end() -> None:
    seen = seen_distances(play(P, Q, "residual", 500, 0), np.array(P))
    assert [n for n, _ in seen] == [10, 32, 100, 316, 500]
    assert seen_distances(play(P, Q, "residual", 3, 0), np.array(P)) == []
    assert [n for n, _ in seen_distances(play(P, Q, "keep", 100, 0), np.array(P))] == [10, 32, 100]


def test_noise_bands_narrow_as_draws_add_up() -> None:
    highs = [b.high for b in noise_bands(P)]
    assert len(highs) == len(CHECKPOINTS) and highs == sorted(highs, reverse=True)
