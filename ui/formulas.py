"""KaTeX formulas of a round, with its numbers in them."""

from __future__ import annotations

from math import floor, log10

from core.decoding.rounds import Choice, Position, Round


def number(x: float) -> str:
    """A number of at least 0 for a formula: three digits behind the point, or a power of ten for a tiny one."""
    if x == 0 or x >= 0.0005:
        return f"{x:.3f}"
    power = floor(log10(x))
    return rf"{x / 10**power:.0f}\cdot 10^{{{power}}}"


def beta(x: Position) -> str:
    """β of a position: its sum and its value."""
    return rf"\beta = \sum_x \min\bigl(p(x),\, q(x)\bigr) = {x.beta:.3f}"


def test(x: Position, index: int) -> str:
    """The comparison that decides about a guess."""
    i = index + 1
    ratio = rf"\frac{{p_{i}(x_{i})}}{{q_{i}(x_{i})}} = \frac{{{number(x.p)}}}{{{number(x.q)}}} = {number(x.ratio)}"
    if x.u is None:
        return ratio
    sign, verdict = ("<", "keep") if x.accepted else (r"\ge", "miss")
    limit = number(min(1.0, x.ratio))
    drawn = rf"u_{i} = {number(x.u)} {sign} \min\bigl(1, \tfrac{{p}}{{q}}\bigr) = {limit}"
    return _lines(ratio, drawn, rf"\Rightarrow \text{{{verdict}}}")


def rule() -> str:
    """The rule, before any number."""
    return _lines(
        r"\text{keep } x_i \text{ if } u_i < \min\Bigl(1, \frac{p_i(x_i)}{q_i(x_i)}\Bigr)", r"u_i \sim U[0, 1)"
    )


def residual(missed: Position, written: Choice) -> str:
    """The residual's chance of the token that was written; y is that token."""
    general = r"r(y) = \frac{\max(0,\, p(y) - q(y))}{\sum_x \max(0,\, p(x) - q(x))}"
    y = next((c for c in missed.top if c.token == written.token), None)
    if y is None:
        return general
    over = max(0.0, y.p - y.q)
    values = rf"\frac{{{number(over)}}}{{1 - \beta}} = \frac{{{number(over)}}}{{{number(1 - missed.beta)}}}"
    return _lines(general, rf"r(y) = {values} = {number(y.residual)}")


def gain(round_: Round) -> str:
    """Kept guesses and the token added, against the most that a round can give."""
    kept = rf"\underbrace{{{round_.accepted}}}_{{\text{{kept}}}}"
    added = rf" + \underbrace{{1}}_{{\text{{{round_.final.kind}}}}}" if round_.final else ""
    return rf"{kept}{added} = {len(round_.committed)} \;\le\; \gamma + 1 = {len(round_.positions) + 1}"


def _lines(*parts: str) -> str:
    """Formulas below each other: side by side they would be cut off on a phone."""
    return r"\begin{gathered} " + r" \\[0.6em] ".join(parts) + r" \end{gathered}"
