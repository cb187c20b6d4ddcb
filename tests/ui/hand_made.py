"""Small traces made by hand, whose timelines can be worked out on paper."""

from __future__ import annotations

from core.decoding.request import DecodeRequest
from core.decoding.rounds import Choice, Position, Prefill, Round
from core.decoding.trace import PairInfo, Trace

PAIR = PairInfo("hand-made", "big", "small", "cpu", "float32", 5, 1.25)


def choice(kind: str, text: str, p: float = 0.8) -> Choice:
    return Choice(kind, len(text), text, p, p, 0.5)  # type: ignore[arg-type]


def guess(text: str, accepted: bool | None, p: float = 0.8, q: float = 0.6) -> Position:
    return Position(len(text), text, p, q, p, q, p / q, 0.5, accepted, 0.7, 0.5, 0.5)


def plain_round(index: int, kind: str, text: str) -> Round:
    draft, target = ((0.01,), 0.0) if kind == "draft" else ((), 0.1)
    return Round(index, 0, (), (len(text),), choice(kind, text), draft, target, 0.005, (0, 1), (0, 1))


def guess_round(index: int, positions: list[Position], final: Choice | None) -> Round:
    kept = [p.token for p in positions if p.accepted]
    committed = (*kept, final.token) if final else tuple(kept)
    steps = (0.01,) * len(positions)
    return Round(index, len(positions), tuple(positions), committed, final, steps, 0.12, 0.005, (0, 1), (0, 1))


def trace(method: str, first: str, rounds: list[Round], temperature: float = 0.0) -> Trace:
    kind = "draft" if method == "draft" else "target"
    times = {"standard": (0.2, 0.0), "draft": (0.0, 0.02), "speculative": (0.2, 0.02)}[method]
    texts = [first]
    for r in rounds:
        texts += [p.text for p in r.positions if p.accepted] + ([r.final.text] if r.final else [])
    request = DecodeRequest("Go on.", method, temperature=temperature)  # type: ignore[arg-type]
    prefill = Prefill((1, 2, 3), choice(kind, first), *times)
    return Trace(request, PAIR, prefill, tuple(rounds), "length", "".join(texts), tuple(texts))


def standard(texts: list[str]) -> Trace:
    return trace("standard", texts[0], [plain_round(i, "target", t) for i, t in enumerate(texts[1:])])


def draft_alone(texts: list[str]) -> Trace:
    return trace("draft", texts[0], [plain_round(i, "draft", t) for i, t in enumerate(texts[1:])])


def speculative(first: str, rounds: list[tuple[list[str], list[str], str, str]]) -> Trace:
    """Rounds as (kept, dropped, kind of the last token, its text)."""
    made = []
    for i, (kept, dropped, kind, text) in enumerate(rounds):
        positions = [guess(t, True) for t in kept]
        positions += [guess(t, False if j == 0 else None, p=0.04, q=0.5) for j, t in enumerate(dropped)]
        made.append(guess_round(i, positions, choice(kind, text) if text else None))
    return trace("speculative", first, made)


CAT = ["The", " cat", " sat", " on", " the", " warm", " windowsill", ",", " watching", " the", " rain", " draw",
       " slow", " rivers", " down", " the", " glass", " while", " dinner", " cooked", "."]  # fmt: skip

CAT_ROUNDS = [
    ([" cat", " sat", " on", " the"], [], "bonus", " warm"),
    ([], [" mat", " and", " looked", " at"], "correction", " windowsill"),
    ([",", " watching", " the"], [" birds"], "correction", " rain"),
    ([], [" fall", " on", " the", " street"], "correction", " draw"),
    ([" slow", " rivers", " down", " the"], [], "bonus", " glass"),
    ([" while"], [" the", " kettle", " sang"], "correction", " dinner"),
    ([" cooked", "."], [], "bonus", ""),
]
