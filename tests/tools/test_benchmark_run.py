import json

import pytest

from core.decoding import Choice, DecodeRequest, PairInfo, Position, Prefill, Round, Trace
from tools.benchmark import Result
from tools.benchmark_run import Prompt, Run, measure, read_prompts, summarise

PROMPT = Prompt("code", "Write a function.")
PAIR = PairInfo("toy", "target", "draft", "cpu", "float32")


def choice(token: int) -> Choice:
    return Choice(kind="target", token=token, text="x", p=1.0, p_raw=1.0, entropy=0.0)


def position(token: int, accepted: bool | None) -> Position:
    return Position(token, "x", 1.0, 1.0, 1.0, 1.0, 1.0, None, accepted, 1.0, 0.0, 0.0)


def a_round(index: int, verdicts: list[bool | None], draft: float, target: float, overhead: float) -> Round:
    kept = sum(v is True for v in verdicts)
    return Round(
        index=index,
        gamma=len(verdicts),
        positions=tuple(position(i, v) for i, v in enumerate(verdicts)),
        committed=tuple(range(kept + 1)),
        final=choice(kept),
        draft_times=(draft,) * len(verdicts),
        target_time=target,
        overhead_time=overhead,
        target_cache=(0, 0),
        draft_cache=(0, 0),
    )


def trace(rounds: list[Round]) -> Trace:
    prefill = Prefill((1, 2), choice(7), target_time=0.05, draft_time=0.01)
    return Trace(DecodeRequest("x"), PAIR, prefill, tuple(rounds), "length", "x", ())


STANDARD = trace([a_round(i, [], 0.0, 0.019, 0.001) for i in range(4)])
SPECULATIVE = trace([a_round(0, [True, False, None], 0.002, 0.022, 0.002), a_round(1, [True] * 3, 0.002, 0.024, 0.0)])


def run(of: Trace, wall: float = 1.0) -> Run:
    return Run(tuple(of.tokens), 0.06 + of.seconds, wall, of)


def plain(seconds: float) -> Run:
    return Run(tuple(range(10)), seconds, seconds)


def test_a_prompts_figures_come_from_its_traces() -> None:
    figures = summarise(
        PROMPT,
        {
            "standard": [run(STANDARD, wall=0.5)],
            "speculative": [run(SPECULATIVE, wall=0.7)],
            "transformers": [plain(0.3)],
            "assisted": [plain(0.2)],
        },
    )
    assert figures.standard == pytest.approx(0.020)
    assert figures.speculative == pytest.approx((0.030 + 0.030) / 6)
    assert figures.standard_call == pytest.approx(0.14 / 5)
    assert figures.speculative_call == pytest.approx(0.12 / 7)
    assert figures.standard_wall == pytest.approx(0.5 / 5)
    assert figures.speculative_wall == pytest.approx(0.7 / 7)
    assert (figures.transformers_call, figures.assisted_call) == pytest.approx((0.03, 0.02))
    assert (figures.step, figures.draft) == pytest.approx((0.020, 0.002))
    assert (figures.verify, figures.overhead) == pytest.approx((0.023, 0.001))
    assert figures.overhead_share == pytest.approx(0.002 / 0.060)
    assert (figures.accepted, figures.rejected, figures.tau) == (4, 1, 3.0)
    assert not figures.same_text


def test_repeats_give_medians() -> None:
    runs = {"standard": [run(STANDARD)], "speculative": [run(SPECULATIVE)], "assisted": [plain(0.2)]}
    figures = summarise(PROMPT, {**runs, "transformers": [plain(0.2), plain(9.0), plain(0.3)]})
    assert figures.transformers_call == pytest.approx(0.03)


def test_contenders_take_turns_and_the_order_rotates() -> None:
    calls: list[str] = []

    def contender(name: str, answer: Run) -> Run:
        calls.append(name)
        return answer

    answers = {
        "standard": run(STANDARD),
        "speculative": run(SPECULATIVE),
        "transformers": plain(0.3),
        "assisted": plain(0.2),
    }
    contenders = {name: lambda _, name=name, answer=answer: contender(name, answer) for name, answer in answers.items()}
    measure(contenders, [PROMPT, Prompt("chat", "Hello?")], 2, "test")  # type: ignore[arg-type]
    rounds = [calls[i : i + 4] for i in range(0, len(calls), 4)]
    assert all(sorted(names) == sorted(answers) for names in rounds)
    assert [names[0] for names in rounds] == ["standard", "speculative", "speculative", "transformers"]


def test_twelve_prompts_of_four_kinds_are_timed_and_none_of_the_others() -> None:
    timed, others = read_prompts()
    assert len({prompt.text for prompt in timed}) == 12
    assert {prompt.kind for prompt in timed} == {prompt.kind for prompt in others}
    assert len({prompt.kind for prompt in timed}) == 4
    assert not {prompt.text for prompt in timed} & {prompt.text for prompt in others}


def test_the_result_is_printed_whole_as_text_and_as_json() -> None:
    runs = {
        "standard": [run(STANDARD)],
        "speculative": [run(SPECULATIVE)],
        "transformers": [plain(0.3)],
        "assisted": [plain(0.2)],
    }
    figures = summarise(PROMPT, runs)
    result = Result({"processor": "abacus", "cores": 2}, 3, {3: 0.01}, [figures], [figures.speedup * 1.1])
    text, content = result.as_text(), json.loads(result.as_json())
    assert "processor: abacus" in text and "γ = 3" in text and text.count("met") >= 6
    assert content["prompts"][0]["speedup"] == pytest.approx(figures.speedup)
    assert content["prediction_error"] == pytest.approx(0.1)
    assert len(content["goals"]) == 6
