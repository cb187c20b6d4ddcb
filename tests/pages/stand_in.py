"""A pair without models: it writes a fixed text, so that pages can be tested in no time.

The target always says TEXT. The draft says the same, but for a guess in three that misses.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from core.decoding.events import Committed, Done, Event, Prefilled
from core.decoding.request import DecodeRequest, RequestError
from core.decoding.rounds import Candidate, Choice, Node, Position, Prefill, Round
from core.decoding.scoring import Scored, ScoredPosition
from core.decoding.trace import PairInfo
from core.measure.latency import LENGTHS, LatencyCurve
from core.measure.verdict import Verdict
from core.serving.local import LocalEngine
from core.serving.opening import Opened, PairFacts
from core.theory.memory import ModelSize

if TYPE_CHECKING:
    import torch

    from core.decoding.stepping import Recording

PAIR = PairInfo("stand-in", "Big-100M", "Small-10M", "cpu", "float32", 7, 1.1)
FACTS = PairFacts("stand-in", PAIR.target, PAIR.draft, ModelSize(100_000_000, 12, 4, 64),
                  ModelSize(10_000_000, 2, 4, 64), 5_000_000, 440_000_000, "cpu", "float32",
                  "A pair made for tests.", 7, 1.1, 2048, True, ("draft", "lookup", "early_exit", "tree"),
                  (("draft", 24_000_000), ("lookup", 0), ("early_exit", 0), ("tree", 24_000_000)))  # fmt: skip
TEXT = (
    "The list holds numbers . A loop takes them one by one , adds each to a total that starts at zero , and gives "
    "the total back when the list is at its end . Nothing is forgotten and nothing is counted twice ."
)
WORDS = [word if i == 0 else f" {word}" for i, word in enumerate(TEXT.split())]
CONTEXT = 2000
TARGET_TIME, DRAFT_TIME = 0.024, 0.002


def open_stand_in(say: Callable[[float, str], None]) -> Opened:
    """What `core.serving.opening.open_engine` gives, without loading anything."""
    say(1.0, "Ready")
    return Opened(
        LocalEngine(stream, {"score": score, "latency": latency, "stepping": stepping, "exactness": exactness}), FACTS
    )


def misses(index: int) -> bool:
    """Whether the draft's guess for this word is wrong."""
    return index % 3 == 2


def stream(request: DecodeRequest) -> Iterator[Event]:
    """A run of any method."""
    if len(request.prompt) > CONTEXT:
        raise RequestError("The prompt is longer than the context of this pair: shorten it.")
    target, draft = (0.0, DRAFT_TIME) if request.method == "draft" else (TARGET_TIME, 0.0)
    yield Prefilled(Prefill((1, 2, 3), _choice(request, "target", 0), target, draft), WORDS[0])
    at, index, length = 1, 0, min(request.max_new_tokens, len(WORDS))
    while at < length:
        done = (
            _guess_round(index, at, length, request) if request.method == "speculative" else _plain(index, at, request)
        )
        pieces = tuple(WORDS[t] for t in done.committed)
        yield Committed(done, pieces)
        at, index = at + len(pieces), index + 1
    yield Done("length" if length == request.max_new_tokens else "eos", "".join(WORDS[:length]), PAIR)


def score(prompt: str, text: str | tuple[int, ...], chat: bool) -> Scored:
    """What both models say at the words of a text; the draft's first choice is wrong where it misses."""
    return Scored(tuple(_scored(i) for i in range(len(text))))


def latency() -> LatencyCurve:
    """A curve with its knee at 8."""
    one = tuple(TARGET_TIME * (1.0 if n <= 8 else n / 8) for n in LENGTHS)
    return LatencyCurve(LENGTHS, one, tuple(TARGET_TIME * n for n in LENGTHS), 128, 5, 1.0)


def stepping(request: DecodeRequest, index: int) -> Recording:
    """The rule's own function, watched while it works on a round of `stream`."""
    import core  # noqa: F401, I001
    import torch
    from core.decoding.rule import rejection_round
    from core.decoding.stepping import watching

    round_ = [event.round for event in stream(request) if isinstance(event, Committed)][index]
    guesses = [x.token for x in round_.positions]
    vocabulary = torch.zeros(1000)

    def side(top: tuple[Candidate, ...], name: str) -> torch.Tensor:
        tokens = torch.tensor([c.token for c in top])
        return vocabulary.scatter(0, tokens, torch.tensor([getattr(c, name) for c in top]))

    class Drawn:
        def uniforms(self, n: int) -> list[float]:
            return [0.5 if x.u is None else x.u for x in round_.positions]

        def sample(self, probs: torch.Tensor) -> int:
            return round_.committed[-1]

    q = [side(x.top, "q") for x in round_.positions]
    p = torch.stack([*(side(x.top, "p") for x in round_.positions), vocabulary])
    with watching(rejection_round, _piece) as watch:
        rejection_round([0], len(guesses), lambda *_: (guesses, q), lambda *_: p, Drawn())  # type: ignore[arg-type]
    return watch.recording(round_)


def _piece(token: int) -> str:
    return WORDS[token] if token < len(WORDS) else " maybe"


def exactness(request: DecodeRequest, switch: str, n: int) -> Generator[float, None, Verdict]:
    """Real runs in a toy of the text's first words."""
    from core.measure.short_runs import short_runs
    from core.measure.world import toy

    p, q = (0.4, 0.25, 0.15, 0.1, 0.1), (0.5, 0.2, 0.2, 0.05, 0.05)
    return short_runs(toy(p, q, request.temperature), request, switch, n, WORDS.__getitem__)


def _top(index: int, greedy: bool = True) -> tuple[Candidate, ...]:
    """The right word, a wrong one and, above temperature 0, a third that both give some probability."""
    right, wrong = (0.8, 0.15) if not misses(index) else (0.2, 0.7)
    rest = 1 - right - wrong
    if greedy:
        return (
            Candidate(index, WORDS[index], 1.0, float(not misses(index)), 0.9, right, 0.0),
            Candidate(900 + index, " maybe", 0.0, float(misses(index)), 0.05, wrong, 0.0),
        )
    # Where the draft likes the right word too much, nothing of it is left over in the residual.
    excess = [max(0.0, p - q) for p, q in zip((0.9, 0.04, 0.06), (right, wrong, rest), strict=True)]
    left = [x / sum(excess) for x in excess]
    return (
        Candidate(index, WORDS[index], 0.9, right, 0.9, right, left[0]),
        Candidate(900 + index, " maybe", 0.04, wrong, 0.04, wrong, left[1]),
        Candidate(800 + index, " so", 0.06, rest, 0.06, rest, left[2]),
    )


def _choice(request: DecodeRequest, kind: str, index: int) -> Choice:
    kind, greedy = "draft" if request.method == "draft" else kind, request.temperature == 0
    p, top = 1.0 if greedy else 0.9, _top(index, greedy)
    return Choice(kind, index, WORDS[index], p, 0.9, 0.4, top)  # type: ignore[arg-type]


def _plain(index: int, at: int, request: DecodeRequest) -> Round:
    steps, target = ((DRAFT_TIME,), 0.0) if request.method == "draft" else ((), TARGET_TIME)
    return Round(index, 0, (), (at,), _choice(request, "target", at), steps, target, 0.0005, (at, at + 1), (0, 0))


def _gamma(index: int, at: int, request: DecodeRequest) -> int:
    """A draft length that goes on from round to round as the request's policy or drafter says."""
    if request.drafter == "lookup":
        return request.gamma if index % 2 else 0
    return {
        "fixed": request.gamma,
        "heuristic": 1 + (request.gamma + index) % 6,
        "goodput": 0 if index % 4 == 3 else 2,
        "confidence": next((i + 1 for i in range(request.gamma) if misses(at + i)), request.gamma),
    }[request.policy]


def _guess_round(index: int, at: int, length: int, request: DecodeRequest) -> Round:
    gamma = min(_gamma(index, at, request), length - at - 1)
    if gamma == 0:
        return _plain(index, at, request)
    guesses = range(at, at + gamma)
    first_miss = next((i for i in guesses if misses(i)), at + gamma)
    positions = tuple(_position(i, None if i > first_miss else i < first_miss, request) for i in guesses)
    final = _choice(request, "correction" if first_miss < at + gamma else "bonus", first_miss)
    committed = tuple(range(at, first_miss + 1))
    # The prompt has three tokens; both caches hold all of the text but its newest token, or in the draft's case two.
    read, kept = 3 + at, first_miss - at
    caches = ((read - 1, read + kept), (read - 1, min(read + kept, read + gamma - 1) if gamma else read - 1))
    behind = tuple(replace(c, q=0.0, q_raw=0.0, residual=0.0) for c in _top(at + gamma, request.temperature == 0))
    times = ((DRAFT_TIME,) * gamma, TARGET_TIME, 0.0005)
    tree = _tree(positions) if request.drafter == "tree" else ()
    return Round(index, gamma, positions, committed, final, *times, *caches, behind if gamma else (), tree)


def _tree(positions: tuple[Position, ...]) -> tuple[Node, ...]:
    """The branch of a chain's guesses, each with a sibling that was never looked at."""
    nodes: list[Node] = []
    parent: int | None = None
    for x in positions:
        nodes.append(Node(x.token, x.text, parent, x.p, x.q, x.u, x.accepted))
        nodes.append(Node(700 + x.token, " else", parent, 0.01, 0.1, None, None))
        parent = len(nodes) - 2
        if not x.accepted:
            break
    return tuple(nodes)


def _position(index: int, accepted: bool | None, request: DecodeRequest) -> Position:
    top = _top(index, request.temperature == 0)
    x = top[1] if misses(index) else top[0]
    beta = sum(min(c.p, c.q) for c in top)
    # A number drawn that leads to the verdict: low where the guess stays, high where it falls.
    u = None if accepted is None or request.rule == "coupled" else 0.2 if accepted else 0.8
    return Position(x.token, x.text, x.p, x.q, x.p_raw, x.q_raw, x.p / x.q, u, accepted, beta, 0.3, 0.5, top)


def _scored(index: int) -> ScoredPosition:
    top = _top(index)
    by_q = sorted(top, key=lambda c: -c.q_raw)
    return ScoredPosition(
        token=index, text=WORDS[index], p=0.9 if not misses(index) else 0.1, q=top[0].q_raw, rank_p=0,
        rank_q=int(misses(index)), top_p=tuple((c.token, c.text, c.p_raw) for c in top),
        top_q=tuple((c.token, c.text, c.q_raw) for c in by_q),
    )  # fmt: skip
