import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from core.measure.latency import LatencyCurve, Measuring, cached, curve_path, drain, measure


class Machine:
    """A pass over n positions takes `cost(n)` seconds of a clock that only passes move."""

    def __init__(self, cost: Callable[[int], float]) -> None:
        self.cost, self.now = cost, 0.0
        self.steps: list[int] = []

    def step(self, n: int) -> None:
        self.steps.append(n)
        self.now += self.cost(n)

    def curve(self, **options: int) -> LatencyCurve:
        return drain(measure(self.step, lengths=(1, 2, 4, 8), clock=lambda: self.now, **options))


def test_one_pass_and_n_passes() -> None:
    curve = Machine(lambda n: 0.020 + 0.001 * (n - 1)).curve(repeats=3, context=7)
    assert curve.n == (1, 2, 4, 8)
    assert curve.one_pass == pytest.approx((0.020, 0.021, 0.023, 0.027))
    assert curve.n_passes == pytest.approx((0.020, 0.040, 0.080, 0.160))
    assert (curve.context, curve.repeats) == (7, 3)


def test_the_knee_is_the_largest_length_within_a_quarter_more() -> None:
    assert Machine(lambda n: 1.0 if n < 4 else 1.25).curve().knee == 8
    assert Machine(lambda n: 1.0 if n < 4 else 1.26).curve().knee == 2
    assert Machine(float).curve().knee == 1


def test_spread_tells_a_quiet_machine_from_a_busy_one() -> None:
    quiet = Machine(float).curve()
    busy = Machine(lambda n: n * (1.0 if len(busy_steps) % 2 else 2.0))
    busy_steps = busy.steps
    assert quiet.spread == pytest.approx(1) and quiet.steady
    assert busy.curve().spread == pytest.approx(2) and not busy.curve().steady


def test_a_slow_machine_is_measured_less() -> None:
    assert Machine(lambda n: 0.01).curve(repeats=5).repeats == 5
    assert Machine(lambda n: 100.0).curve(repeats=5).repeats == 2
    assert Machine(lambda n: 0.7).curve(repeats=5).repeats == 3


def test_one_slow_repeat_moves_no_median() -> None:
    machine = Machine(lambda n: 0.02 * n * (5 if len(machine.steps) < 16 else 1))
    curve = machine.curve(repeats=5)
    assert curve.one_pass == pytest.approx((0.02, 0.04, 0.08, 0.16))
    assert curve.n_passes[-1] == pytest.approx(0.16)


def test_repeats_are_interleaved_and_the_first_passes_are_not_timed() -> None:
    machine = Machine(lambda n: 100.0 if len(machine.steps) <= 4 else 1.0)
    assert machine.curve(repeats=2).one_pass == (1, 1, 1, 1)
    assert machine.steps == [1, 2, 4, 8] + [2, 4, 8] + [1] * 8 + [8, 4, 2] + [1] * 8


def test_what_happens_between_two_passes_is_in_no_figure() -> None:
    machine = Machine(lambda n: 1.0)
    steps = measure(machine.step, lengths=(1, 2), repeats=2, clock=lambda: machine.now)
    fractions = []
    try:
        while True:
            fractions.append(next(steps))
            machine.now += 1000
    except StopIteration as stop:
        assert stop.value.one_pass == (1, 1) and stop.value.n_passes == (1, 2)
    assert fractions == sorted(fractions) and fractions[-1] == 1


CURVE = LatencyCurve(n=(1, 2), one_pass=(0.1, 0.11), n_passes=(0.1, 0.2), context=8, repeats=1, spread=1.1)


def counted(calls: list[int]) -> Callable[[], Measuring]:
    def measuring() -> Measuring:
        calls.append(1)
        yield 1.0
        return CURVE

    return measuring


def test_a_second_look_comes_from_the_file(tmp_path: Path) -> None:
    calls: list[int] = []
    path = tmp_path / "new" / "curve.json"
    assert drain(cached(path, counted(calls))) == CURVE
    assert drain(cached(path, counted(calls))) == CURVE
    assert len(calls) == 1
    assert [p.name for p in path.parent.iterdir()] == ["curve.json"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"[]",
        b'{"n": [1]}',
        json.dumps({"n": [1, 2], "one_pass": [0.1], "n_passes": [0.1, 0.2], "context": 8, "repeats": 1}).encode(),
        json.dumps({"n": [2], "one_pass": [0.1], "n_passes": [0.1], "context": 8, "repeats": 1}).encode(),
        json.dumps({"n": [], "one_pass": [], "n_passes": [], "context": 8, "repeats": 1}).encode(),
        json.dumps({"n": [1], "one_pass": [0.0], "n_passes": [0.1], "context": 8, "repeats": 1}).encode(),
    ],
)
def test_a_damaged_file_is_measured_again_and_replaced(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "curve.json"
    path.write_bytes(content)
    calls: list[int] = []
    assert drain(cached(path, counted(calls))) == CURVE
    assert drain(cached(path, counted(calls))) == CURVE
    assert len(calls) == 1


def test_a_curve_of_a_busy_machine_is_used_but_not_kept(tmp_path: Path) -> None:
    noisy = replace(CURVE, spread=2.0)

    def measuring() -> Measuring:
        yield 1.0
        return noisy

    assert drain(cached(tmp_path / "curve.json", measuring)) == noisy
    assert not list(tmp_path.iterdir())


def test_a_folder_that_takes_nothing_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    assert drain(cached(tmp_path / "file" / "curve.json", counted([]))) == CURVE


def test_each_key_has_its_own_file(tmp_path: Path) -> None:
    assert curve_path(tmp_path, "a|bfloat16") == curve_path(tmp_path, "a|bfloat16")
    assert curve_path(tmp_path, "a|bfloat16") != curve_path(tmp_path, "a|float32")
    assert curve_path(tmp_path, "a|../../etc").parent == tmp_path
