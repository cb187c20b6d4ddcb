"""The exactness lab's words and memory: which tests are run, what a verdict means, the verdicts of this visit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st

from core.decoding.request import DecodeRequest
from core.measure.switches import SHIPPED, SWITCHES, Group, Switch, switch
from core.measure.verdict import FALSE_ALARMS, SIZES, Verdict
from ui import content, visit

GAMMA = 2
TOP_K = 20
TOKENS = 4
"""Length of a run's text: the first token, and the three behind it that are looked at."""
USUAL = 2000
MOST_KEPT = 20
LEAST_SHOWN = 1e-6
PAGE = "lab_exactness.py"

RULE = visit.Control("rule", SHIPPED.name, visit.one_of(*(s.name for s in SWITCHES)))
RUNS = visit.Control("runs", USUAL, lambda text: next((n for n in SIZES if str(n) == text), None))
VIEW = visit.Control("view", "pair", visit.one_of("pair", "toy", "others"))
TOY = visit.Control("toy", 2, lambda text: next((n for n in (2, 4) if str(n) == text), None))
P_A = visit.Control("pA", 0.7, visit.decimal(0.0, 1.0, 0.05))
Q_A = visit.Control("qA", 0.4, visit.decimal(0.0, 1.0, 0.05))

FOUR = ((0.4, 0.3, 0.2, 0.1), (0.55, 0.25, 0.15, 0.05))
"""p and q of the toy with four tokens."""
TOY_TEMPERATURE = 0.7

MARKS: dict[Group, str] = {"as shipped": "●", "changes the text": "✕", "exact, only slower": "✓"}

Test = tuple[DecodeRequest, str, int]
_VERDICTS, _ASKED = "exactness.verdicts", "exactness.asked"


def lab() -> content.Lab:
    """The lab's entry in the list of pages."""
    return next(lab for lab in content.labs() if lab.page == PAGE)


def tested(request: DecodeRequest) -> DecodeRequest:
    """The request as the short runs make it."""
    return replace(request, gamma=GAMMA, top_k=TOP_K, max_new_tokens=TOKENS)


def first_test() -> Test:
    """What the page shows before anything is touched."""
    prompt = content.default_prompt(lab())
    request = DecodeRequest(prompt.text, chat=prompt.chat, temperature=lab().temperature, seed=lab().seed)
    return tested(request), SHIPPED.name, USUAL


def asked() -> Test | None:
    """The test that was asked for last; None after it was stopped."""
    test: Test | None = st.session_state.get(_ASKED, first_test())
    return test


def ask(test: Test | None) -> None:
    """Ask for a test, or for none."""
    st.session_state[_ASKED] = test


def keep(verdict: Verdict) -> None:
    """Add a verdict to those of this visit; the oldest go."""
    kept = _verdicts()
    kept[(verdict.request, verdict.switch, verdict.n)] = verdict
    while len(kept) > MOST_KEPT:
        del kept[next(iter(kept))]


def verdicts() -> list[Verdict]:
    """This visit's verdicts in the order of the switches."""
    order = [s.name for s in SWITCHES]
    return sorted(_verdicts().values(), key=lambda v: order.index(v.switch))


def label(s: Switch) -> str:
    """A switch in a list."""
    return f"{MARKS[s.group]} {s.title}" if s.group == "as shipped" else f"{MARKS[s.group]} {s.title} · {s.group}"


def chance(p_value: float) -> str:
    """A p-value as text."""
    if p_value < LEAST_SHOWN:
        return f"< {LEAST_SHOWN:.6f}"
    return f"{p_value:.2f}" if p_value >= 0.1 else f"{p_value:.2g}"


def outcome(v: Verdict) -> str:
    """The verdict in two words."""
    return "fails" if v.fails else "passes"


def meaning(v: Verdict) -> str:
    """What the verdict says, and what it does not."""
    lossy = switch(v.switch).group == "changes the text"
    if v.outside:
        often = "once" if v.outside == 1 else f"{v.outside:,} times"
        return (
            f"**Not the target's text.** It wrote something that the target never writes, {often} in {v.n:,} runs. "
            "A single time would settle it."
        )
    if v.test.cells == 1:
        return (
            "**Nothing to tell apart.** All the probability lies on one text here, and every run wrote it. "
            "Raise the temperature to see the rule at work."
        )
    if not v.fails:
        sense = (
            f"**Not told from the target's text.** Of right runs, {_in_hundred(v.test.p_value)} look at least as "
            f"uneven as this."
        )
        more = (
            " And yet the switch does change the text: here the change is smaller than the noise. More runs, or "
            "another prompt, will show it."
            if lossy
            else f" Over many seeds, {100 * FALSE_ALARMS:.0f} % of right runs fail all the same."
        )
        return sense + more
    if lossy:
        return f"**Not the target's text.** The share of right runs that look as uneven: {chance(v.test.p_value)}."
    return (
        "**It fails, though the rule is exact.** One right run in a hundred does, at a limit of 1 %. "
        "Try another seed: if it is chance, most others pass. To try seeds until one fails would be cheating."
    )


def _in_hundred(p_value: float) -> str:
    return f"{100 * p_value:.0f} in 100"


def _verdicts() -> dict[Test, Verdict]:
    kept: dict[Test, Verdict] = st.session_state.setdefault(_VERDICTS, {})
    return kept


@dataclass(frozen=True)
class ToyOutcome:
    """What a switch makes of a toy's texts, exactly. `shares` go with the texts of the same toy."""

    switch: Switch
    shares: tuple[float, ...]
    distance: float
    tokens_per_round: float


@dataclass(frozen=True)
class ToyResult:
    """All texts of two tokens in a toy, the target's own probabilities, and every switch's."""

    texts: tuple[str, ...]
    right: tuple[float, ...]
    outcomes: tuple[ToyOutcome, ...]


@st.cache_data(max_entries=64, show_spinner="Walking through every draw …")
def toy_result(p: Sequence[float], q: Sequence[float]) -> ToyResult:
    """Every switch in a toy of two or four tokens, by enumeration."""
    from core.measure.short_runs import exact_texts, target_texts
    from core.measure.world import toy

    world = toy(p, q, TOY_TEMPERATURE)
    right = dict(target_texts(world, (), 2))
    found = {s: exact_texts(s.name, world, 2, 1) for s in SWITCHES}
    every = sorted({*right, *(text for exact in found.values() for text in exact.texts)})
    truth = [right.get(text, 0.0) for text in every]
    rows = []
    for s, exact in found.items():
        shares = [exact.texts.get(text, 0.0) for text in every]
        apart = sum(abs(a - b) for a, b in zip(shares, truth, strict=True)) / 2
        # p and q are float32: what is left by their rounding is no distance.
        rows.append(ToyOutcome(s, tuple(shares), apart if apart > LEAST_SHOWN else 0.0, exact.tokens_per_round))
    return ToyResult(tuple("".join("ABCD"[x] for x in text) for text in every), tuple(truth), tuple(rows))


@dataclass(frozen=True)
class OtherRules:
    """Figures of the other exact rules, worked out in fractions.

    `with_` and `without` replacement: acceptance for 1, 2, 3 candidates. `blocks`: γ, accepted by block, by token.
    """

    with_: tuple[float, ...]
    without: tuple[float, ...]
    output: tuple[str, ...]
    blocks: tuple[tuple[int, str, str], ...]
    price: tuple[tuple[float, float], ...]


@st.cache_data(max_entries=1, show_spinner="Working in fractions …")
def other_rules() -> OtherRules:
    """Several candidates, whole blocks, and the acceptance of coupled draws for random p and q."""
    from fractions import Fraction

    import numpy as np

    from core.measure.coupling import coupled_acceptance
    from core.measure.exactness import tv
    from core.measure.multi import blocks, candidates

    p, q = (np.array([Fraction(x, 10) for x in row]) for row in ((1, 2, 7), (6, 3, 1)))
    found = {replace_: [candidates(p, q, k, replace_) for k in (1, 2, 3)] for replace_ in (True, False)}
    third = [Fraction(1, 3), Fraction(2, 3)]
    one, other = np.array(third), np.array(third[::-1])
    rows = tuple((g, *(str(blocks(one, other, g, way).accepted) for way in (True, False))) for g in (2, 3))
    rng = np.random.default_rng(0)
    points = []
    for _ in range(250):
        size, mixed = int(rng.integers(2, 13)), rng.random()
        a, b = rng.dirichlet(np.full(size, 0.6)), rng.dirichlet(np.full(size, 0.6))
        b = mixed * a + (1 - mixed) * b
        points.append((tv(a, b), coupled_acceptance(a, b)))
    return OtherRules(
        with_=tuple(float(f.acceptance) for f in found[True]),
        without=tuple(float(f.acceptance) for f in found[False]),
        output=tuple(f"{float(x):.1f}" for x in found[False][-1].output),
        blocks=rows,  # type: ignore[arg-type]
        price=tuple(points),
    )
