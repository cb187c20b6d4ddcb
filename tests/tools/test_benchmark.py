import dataclasses

import pytest

from tools.benchmark_report import (
    Figures,
    Goal,
    acceptance,
    aligned,
    choose_gamma,
    goals,
    medians_by_kind,
    predict,
    prediction_error,
    predictions,
    recording,
    statement,
    table,
)

FIGURES = Figures(
    prompt="Write a function.",
    kind="code",
    standard=0.020,
    speculative=0.010,
    standard_call=0.021,
    speculative_call=0.011,
    transformers_call=0.042,
    assisted_call=0.033,
    standard_wall=0.024,
    speculative_wall=0.015,
    step=0.020,
    draft=0.002,
    verify=0.021,
    overhead=0.001,
    overhead_share=0.04,
    accepted=60,
    rejected=20,
    tau=3.0,
    same_text=True,
)


def figures(**changes: object) -> Figures:
    return dataclasses.replace(FIGURES, **changes)  # type: ignore[arg-type]


def test_ratios_put_the_faster_one_above_one() -> None:
    assert FIGURES.speedup == pytest.approx(2)
    assert FIGURES.over_transformers == pytest.approx(2)
    assert FIGURES.over_assisted == pytest.approx(3)


def test_costs_are_in_standard_steps_and_the_check_carries_the_overhead() -> None:
    assert FIGURES.c == pytest.approx(0.1)
    assert FIGURES.v == pytest.approx(1.1)


def test_acceptance_is_pooled_over_positions_not_over_prompts() -> None:
    assert acceptance([figures(accepted=90, rejected=10), figures(accepted=0, rejected=10)]) == pytest.approx(90 / 110)
    assert acceptance([figures(accepted=0, rejected=0)]) == 0


def test_prediction_is_the_closed_form_on_others_figures() -> None:
    expected_tokens = 1 + 0.75 + 0.75**2
    assert predict([FIGURES], 2) == pytest.approx(expected_tokens / (2 * 0.1 + 1.1))
    with pytest.raises(ValueError, match="at least one"):
        predict([], 2)


def test_a_prediction_never_looks_at_its_own_prompt_or_another_kind() -> None:
    one, two = figures(prompt="one", accepted=10, rejected=70), figures(prompt="two")
    poem = figures(prompt="poem", kind="free", accepted=0, rejected=80)
    lent = figures(prompt="lent", kind="free", accepted=40, rejected=40)
    predicted = predictions([one, two, poem], [lent], 3)
    assert predicted == pytest.approx([predict([two], 3), predict([one], 3), predict([lent], 3)])


def test_prediction_error_is_relative_and_a_median() -> None:
    assert prediction_error([FIGURES] * 3, [2.2, 1.0, 2.0]) == pytest.approx(0.1)


def test_gamma_is_chosen_by_time_and_every_prompt_counts_alike() -> None:
    # A sum of times would choose 2: its long prompt gains most in seconds. Relative to each prompt, 3 wins.
    assert choose_gamma({1: [1.00, 0.010], 2: [0.80, 0.011], 3: [0.90, 0.007]}) == 3
    assert choose_gamma({4: [1.0], 2: [1.0]}) == 2


def test_goals_are_judged_by_medians_and_code_on_its_own() -> None:
    chat = figures(kind="chat", speculative=0.016)
    judged = {goal.name: goal for goal in goals([FIGURES, chat, chat], [2.0, 1.25, 1.0])}
    assert judged["speculative, against standard, all prompts"].reached == pytest.approx(1.25)
    assert not judged["speculative, against standard, all prompts"].met
    assert judged["speculative, against standard, code"].met
    assert judged["error of the predicted speed-up"].reached == pytest.approx(0)
    assert judged["overhead, share of a round"].met


def test_a_bound_is_kept_from_its_own_side() -> None:
    assert Goal("speed", 1.3, 1.3, True).met and not Goal("speed", 1.29, 1.3, True).met
    assert Goal("share", 0.08, 0.08, False).met and not Goal("share", 0.081, 0.08, False).met
    assert statement(Goal("speed", 1.2, 1.3, True)) == "NOT met speed: 1.200 (to reach: ≥ 1.3)"


def test_medians_by_kind_end_with_all() -> None:
    slow = figures(kind="free", speculative=0.020)
    medians = medians_by_kind([FIGURES, slow, slow], [2.0, 1.0, 1.1])
    assert list(medians) == ["code", "free", "all"]
    assert medians["code"]["speed-up"] == pytest.approx(2)
    assert medians["free"]["predicted"] == pytest.approx(1.05)
    assert medians["all"]["speed-up"] == pytest.approx(1)


def test_the_table_has_a_line_for_each_prompt_and_each_kind() -> None:
    prompts, kinds = table([FIGURES, figures(prompt="Again.", same_text=False)], [2.345, 2.0]).split("\n\n")
    head, first, second = prompts.splitlines()
    assert first.split()[-1] == "yes" and second.split()[-1] == "no"
    assert "21.0" in first
    assert [line.split()[0] for line in kinds.splitlines()] == ["median", "code", "all"]
    end_of_column = head.replace("\u0302", "").index("predicted") + len("predicted")
    assert first[:end_of_column].endswith("2.345")


def test_what_recording_adds_is_said_apart() -> None:
    assert "3.0 ms a token in standard decoding and 4.0 ms in speculative" in recording([FIGURES])


def test_a_hat_takes_no_place_in_a_column() -> None:
    head, row = aligned([["kind", "α̂", "x"], ["all", "0.5", "1"]]).splitlines()
    assert len(head.replace("\u0302", "")) == len(row)
