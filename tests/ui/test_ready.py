"""Chapter 15's words, controls and figures."""

from __future__ import annotations

from dataclasses import replace

import plotly.graph_objects as go
import pytest

from core.decoding.request import RequestError
from core.measure.readiness import Answer, Check, Result
from core.measure.readiness_memory import rows
from core.measure.readiness_times import Line, Lines, Split
from core.settings import SettingsError, read_settings
from core.theory.memory import ModelSize
from ui import content, ready, ready_check, ready_memory, ready_pair, ready_wait
from ui.figures_memory import memory_plans
from ui.figures_ready import round_bars, waits
from ui.ready import Mark, Step

BIG, SMALL = ModelSize(1_000_000_000, 10, 4, 50), ModelSize(100_000_000, 2, 4, 50)
SLOW = Answer((1, 2, 3, 4, 5), "Paris.", "eos", 0.1, 0.0, 0.0, 0.08, 0.0, 4)
FAST = replace(SLOW, set_up=0.01, draft=0.01, verify=0.028, overhead=0.002, rounds=2, drafted=3, accepted=2)
KNOWN = Check("france", "France", "…", "known", answers=("Paris",))
SPLIT = Split(0.02, 0.01, 0.02, 0.002, 4.0, 2.0, 0.5)


def steps(*kinds: Mark) -> list[Step]:
    return [Step(kind, "", "") for kind in kinds]


@pytest.mark.parametrize(
    ("kinds", "says"),
    [
        (("yes", "yes", "yes", "yes"), "Switch it on"),
        (("yes", "yes", "note", "yes"), "Stabilise first"),
        (("yes", "open", "yes", "yes"), "Not decided"),
        (("yes", "yes", "yes", "no"), "makes the wait longer"),
        (("yes", "open", "yes", "note"), "hardly changes"),
        (("yes", "no", "yes", "yes"), "speaks against"),
    ],
)
def test_the_decision_follows_from_the_steps(kinds: tuple[Mark, ...], says: str) -> None:
    kind, words = ready.decision(steps(*kinds))
    assert says in words and (kind == "yes") == ("Switch it on" in words)


def test_the_wait_at_a_length_of_ones_own() -> None:
    both = Lines(Line(0.1, 0.02), Line(0.2, 0.01))
    assert [ready_wait.wait_step(both, n).kind for n in (2, 11, 60)] == ["no", "note", "yes"]
    assert ready_wait.wait_step(None, 60).kind == "open"
    assert "12 tokens or more" in ready_wait.waits_sentence(both, 0.0) and "loading" not in ready_wait.waits_sentence(
        both, 0.0
    )
    assert "0.5 s of loading" in ready_wait.waits_sentence(both, 0.5)
    assert "No length pays" in ready_wait.waits_sentence(Lines(Line(0.1, 0.02), Line(0.2, 0.03)), 0.0)
    assert "Hardly any" in ready_wait.waits_sentence(Lines(Line(0.1, 0.02), Line(99.0, 0.0199)), 90.0)


@pytest.mark.parametrize(
    ("there", "kind", "says"),
    [
        (9.0, "yes", "room to spare"),
        (2.3, "note", "barely fits: stabilise first"),
        (2.1, "no", "The target alone does, though barely"),
        (1.0, "no", "Not even the target"),
    ],
)
def test_the_memory_s_verdict(there: float, kind: str, says: str) -> None:
    room = round(there * 1e9)
    found = rows(BIG, SMALL, context=1000, longest=4000, precision="16 bits", there=room)
    mark, words = ready_memory.fit_verdict(found, BIG, room)
    assert mark == kind and says in words


def test_why_kept_guesses_can_be_slow() -> None:
    words = ready_wait.split_words(SPLIT)
    # τ·t − round = 8 ms, so a draft of 10 ms may take 1.8 times as long.
    assert "1.8 times as long" in words and "3.12×" in words
    assert r"\frac{2.00 \cdot 20.0}{10.0 + 20.0 + 2.0} = \mathbf{1.25}" in ready_wait.split_formula(SPLIT)
    assert "costs more than it gains" in ready_wait.split_words(replace(SPLIT, draft=0.03))


def test_a_prompt_s_line_tells_what_changed() -> None:
    cells = ready_wait.row_cells(Result(KNOWN, SLOW, FAST))
    assert [c.split(" ", 1)[-1] for c in cells[1:3]] == ["the same", "right both ways"] and "1.20×" in cells[-1]
    changed = ready_wait.row_cells(Result(KNOWN, SLOW, replace(FAST, tokens=(1, 9), text="Rome.", stop="length")))
    assert "differs from token 2" in changed[1] and "then not the known answer" in changed[2]
    assert "by itself, then cut" in changed[4]
    assert "neither way" in ready_wait.row_cells(Result(KNOWN, replace(SLOW, text=""), replace(FAST, text="")))[2]


def test_every_mark_has_a_shape_of_its_own() -> None:
    assert len({m.split(":material/")[1] for m in ready.MARKS.values()}) == len(ready.MARKS)


def test_names_can_form_no_markup() -> None:
    assert ready.plain("a*b*|<i> [x](y) $z$ :red[s]\n#") == r"a\*b\*\|\<i\> \[x\]\(y\) \$z\$ \:red\[s\] \#"


def test_own_prompts_are_lines() -> None:
    assert ready_check.own_prompts(" one \n\n two\n") == ("one", "two")
    assert ready_check.own_prompts("") == ()
    for wrong in ("\n".join("abcdef"), "x" * 2001, "a\x07b"):
        with pytest.raises(RequestError):
            ready_check.own_prompts(wrong)
    checks = ready_check.Asked(3, ("one",)).checks
    assert [c.id for c in checks[-1:]] == ["own-1"] and len(checks) == len(content.checks()) + 1


def test_the_set_covers_what_is_promised() -> None:
    checks = content.checks()
    assert {c.kind for c in checks} == {"text", "json", "tool", "known"}
    assert sum(c.temperature > 0 for c in checks) >= 2 and len({c.id for c in checks}) == len(checks)
    for c in checks:
        assert bool(c.fields) == (c.kind in ("json", "tool")) and bool(c.tool) == (c.kind == "tool")
        assert bool(c.answers) == (c.kind == "known")
        assert c.request().rule == c.request(4).rule == ("coupled" if c.temperature else "rejection")
        assert c.request(2) != c.request(3) and c.request().method == "standard"


def test_folders_are_offered_only_where_a_setting_allows_it() -> None:
    closed, opened = (read_settings({"SPECLAB_FOLDERS": value}) for value in ("", "on"))
    assert not read_settings({}).folders and not closed.folders and opened.folders
    assert ready_pair.FOLDERS not in ready_pair.choices(closed) and ready_pair.FOLDERS in ready_pair.choices(opened)
    assert ready_pair.pair_control(ready_pair.choices(closed)).parse(ready_pair.FOLDERS) is None
    with pytest.raises(SettingsError, match="on or off"):
        read_settings({"SPECLAB_FOLDERS": "maybe"})
    first = next(iter(ready_pair.choices(read_settings({"SPECLAB_PRESET": "gpt2"}))))
    assert first == "gpt2"


def test_contexts_to_plan_for() -> None:
    assert ready_memory.contexts(1000) == [256, 512, 1000] and ready_memory.contexts(100) == [100]
    control = ready_memory.context_control(8192)
    assert control.default == 4096 and control.parse("8192") == 8192 and control.parse("4000") is None


def test_the_figures_mark_what_they_are_about() -> None:
    both = Lines(Line(0.1, 0.02), Line(0.2, 0.01))
    figure = go.Figure(waits(both, 60, [(5, 0.18, "a")], [(5, 0.14, "a")], 40))
    assert [a.text for a in figure.layout.annotations] == ["break-even: 12 tokens", "yours: 40"]
    assert [line.x0 for line in figure.layout.shapes] == [12, 40]
    assert list(figure.data[0].y) == pytest.approx([0.1, 1.28]) and list(figure.data[1].x) == [5]
    assert not go.Figure(waits(Lines(Line(0.1, 0.02), Line(0.2, 0.03)), 60, [], [])).layout.annotations
    bars = {bar.name: list(bar.x) for bar in go.Figure(round_bars(SPLIT)).data if bar.type == "bar"}
    assert bars["target passes"] == [40.0, 0.0] and bars["draft steps"] == [0.0, 10.0]
    found = rows(BIG, SMALL, context=1000, longest=4000, precision="16 bits", there=3_000_000_000)
    plans = [(row.name, row.plan) for row in found]
    assert [line.x0 for line in go.Figure(memory_plans(plans, 3_000_000_000)).layout.shapes] == [3]
    assert not go.Figure(memory_plans(plans, 999_000_000_000)).layout.shapes
    assert ready_wait.shown_length(both, 10, 5) == 26 and ready_wait.shown_length(both, 100, 5) == 110
