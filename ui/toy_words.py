"""The rule at one position in formulas and sentences, with its figures put in."""

from __future__ import annotations

from collections.abc import Sequence

from core.decoding.rounds import Position
from core.measure.exactness import Array, ChiSquare, Replacement
from core.measure.toy import REST, Rounds
from ui.components.token_strip import StripToken
from ui.figures_toys import Split, Tally

ALARM = 0.01
"""The p-value under which a test calls the output different: one right run in a hundred is called so too."""


def figure(share: float) -> str:
    """A probability for a formula: three digits, and a plain 0 only for what cannot happen."""
    share = round(share, 9)  # sums of floats miss 0 and 1 by a hair
    if share in (0, 1):
        return str(int(share))
    return f"{share:.3f}" if share >= 0.0005 else r"{<}0.001"


def chance(p: float, q: float) -> float:
    """min(1, p/q): how often a guess may stay. A guess that the draft never makes would always stay."""
    return 1.0 if p >= q else p / q


def keep_formula(name: str, p: float, q: float) -> str:
    """min(1, p/q) for one token, in KaTeX."""
    if q == 0:
        return rf"q({name}) = 0:\quad \text{{the draft never guesses }} {name}"
    general = rf"\min\left(1,\ \frac{{p({name})}}{{q({name})}}\right)"
    return _lines(general, rf"\min\left(1,\ \frac{{{figure(p)}}}{{{figure(q)}}}\right) = {figure(chance(p, q))}")


def beta_formula(p: Sequence[float], q: Sequence[float]) -> str:
    """β = Σ min(p, q) in KaTeX."""
    terms = " + ".join(rf"\min({a:.2f}, {b:.2f})" for a, b in zip(p, q, strict=True))
    return _lines(r"\beta = \sum_x \min\big(p(x), q(x)\big)", f"{terms} = {sum(map(min, p, q)):.2f}")


def _lines(general: str, values: str) -> str:
    """A formula, and under it its values: so it fits a column and a phone."""
    return rf"\begin{{aligned}} & {general} \\[6pt] & = {values} \end{{aligned}}"


def toy_tallies(rounds: Rounds, names: Sequence[str], p: Sequence[float], q: Sequence[float]) -> list[Tally]:
    """How often each guess stayed, how often any did, and how often each token was written, beside the theory."""
    guessed, stayed, written, n = rounds.guessed, rounds.stayed, rounds.output(), len(rounds)
    rows = [
        Tally(f"guessed {x} stays", _part(stayed[i], guessed[i]), chance(p[i], q[i]), "min(1, p/q)")
        for i, x in enumerate(names)
        if q[i] > 0
    ]
    rows.append(Tally("any guess stays", _part(stayed.sum(), n), sum(map(min, p, q)), "β"))
    return rows + [Tally(f"{x} is written", _part(written[i], n), p[i], f"p({x})") for i, x in enumerate(names)]


def _part(some: int, of: int) -> float | None:
    return float(some) / float(of) if of else None


def last_rounds(
    rounds: Rounds, names: Sequence[str], p: Sequence[float], q: Sequence[float], most: int = 12
) -> list[StripToken]:
    """The last rounds as tokens: a guess that stayed, or one that fell and what was written instead."""
    tokens = []
    for i in range(max(0, len(rounds) - most), len(rounds)):
        x, u = int(rounds.guess[i]), float(rounds.u[i])
        figures = (("min(1, p/q)", f"{chance(p[x], q[x]):.3f}"), ("number drawn u", f"{u:.3f}"))
        tokens.append(StripToken(f" {names[x]}", "kept" if rounds.kept[i] else "discarded", figures, i))
        if not rounds.kept[i]:
            tokens.append(StripToken(f" {names[rounds.written[i]]}", "correction", (), i))
    return tokens


def verdict(x: Position) -> str:
    """What the rule said of a real guess, and why, in Markdown."""
    always = x.p >= x.q
    ratio = "p is at least q, so it always stays" if always else f"it stays when u falls below {figure(x.ratio)}"
    ratio = ratio.replace(r"{<}", "<")
    if x.accepted is None:
        return f"**Not examined.** An earlier guess fell, so no number was drawn here. The rule would say: {ratio}."
    if x.u is None:
        return "**Kept.**" if x.accepted else "**Missed.**"
    if always:
        return f"**Kept.** The target likes it at least as much as the draft: {ratio}."
    side = "is below" if x.accepted else "is not below"
    return f"**{'Kept' if x.accepted else 'Missed'}.** The number drawn, u = {x.u:.3f}, {side} p/q = {x.ratio:.3f}."


def position_split(x: Position, name: str) -> list[Split]:
    """A real guess, and all other tokens together, in the parts of p and q. Both sum to 1, so each lacks the same."""
    picked = Split.of(name, x.p, x.q)
    lacking = 1 - x.beta
    rest = Split(
        REST,
        max(0.0, x.beta - picked.both),
        max(0.0, lacking - picked.eager),
        max(0.0, lacking - picked.shy),
    )
    return [picked, rest]


def output_formula(p: Array, q: Array, index: int, rule: Replacement) -> str:
    """How much of one token is written: what stays, and what the replacement adds, in KaTeX."""
    both, missed = min(p[index], q[index]), 1 - float(sum(map(min, p, q)))
    kept = rf"\underbrace{{{figure(both)}}}_{{\min(p,\,q)\text{{ stays}}}}"
    if rule == "keep":
        return rf"\underbrace{{{figure(float(q[index]))}}}_{{\text{{every guess stays: }} q}}"
    excess = max(0.0, float(p[index] - q[index]))
    share, said = {
        "residual": (excess / missed if missed > 0 else 0.0, r"\text{residual}"),
        "target": (float(p[index]), "p"),
        "argmax": (float(index == int(p.argmax())), r"\text{1 for the first choice, else 0}"),
    }[rule]
    filled = (
        rf"\underbrace{{{figure(missed)}}}_{{1-\beta\text{{ missed}}}} \times \underbrace{{{figure(share)}}}_{{{said}}}"
    )
    return rf"{kept} + {filled} = {figure(both + missed * share)}"


def residual_formula(p: Array, q: Array, index: int) -> str:
    """The residual of one token, in KaTeX."""
    beta = float(sum(map(min, p, q)))
    if beta >= 1 - 1e-12:
        return r"\beta = 1:\quad\text{nothing is ever missed, so there is no residual}"
    excess = max(0.0, float(p[index] - q[index]))
    gap = rf"\max(0,\ {figure(float(p[index]))} - {figure(float(q[index]))})"
    share = figure(excess / (1 - beta))
    return _lines(r"r = \frac{\max(0,\ p - q)}{1 - \beta}", rf"\frac{{{gap}}}{{1 - {figure(beta)}}} = {share}")


def outcome_words(test: ChiSquare, n: int) -> tuple[bool, str]:
    """Whether a test passed, and what came out and what it means, in Markdown."""
    chance_of = test.p_value
    shown = "below 0.0001" if chance_of < 1e-4 else f"{chance_of:.4f}" if chance_of < ALARM else f"{chance_of:.2f}"
    meaning = f"a rule that gives exactly p shows a gap this wide or wider in {_of_hundred(chance_of)} runs"
    if chance_of >= ALARM:
        return True, f"**No difference seen** in {n:,} draws. p-value {shown}: {meaning}, so this is nothing unusual."
    return False, f"**Not the target's distribution**, say {n:,} draws. p-value {shown}: {meaning}."


def _of_hundred(p: float) -> str:
    if p < 0.0001:
        return "fewer than one in 10,000"
    if p < ALARM:
        return f"about {max(1, round(p * 10_000))} in 10,000"
    return f"about {round(p * 100)} in 100"


def noise_words(seen: float, low: float, high: float, level: float, n: int) -> str:
    """Whether a counted distance could be sampling noise, in Markdown."""
    where = "inside" if low <= seen <= high else "above" if seen > high else "below"
    return (
        f"After {n:,} draws the distance is **{seen:.4f}**: **{where}** the band from {low:.4f} to {high:.4f} "
        f"that sampling noise alone gives {level * 100:.0f} % of the time."
    )
