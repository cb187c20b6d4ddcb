"""A round watched from inside: the lines of its function that ran, one by one, and the values they had in hand.

Nothing is played back from a copy. The lines are the function's own source, the values are read from its frame while
a request is run again, and a seed makes that the same round as the first time.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from textwrap import dedent
from types import CodeType, FrameType
from typing import Any, Literal

import torch

from core.decoding.events import Committed, Event, Prefilled
from core.decoding.loop import stream
from core.decoding.request import DecodeRequest, RequestError
from core.decoding.rounds import Round
from core.decoding.rule import ROUNDS
from core.models import ModelPair

StepKind = Literal["call", "assign", "loop", "test", "return", "other"]

HOLDS_TOKENS = {"text", "guesses", "x", "own", "correction", "bonus"}
"""Names in the rounds' code whose whole numbers are token ids: they are told as text."""


@dataclass(frozen=True)
class Step:
    """One line that ran. `values` are (expression, value) in words, as they were once the line was done.

    `line` counts in `Recording.lines`, from 0. `entered` says of a loop or a test whether its body ran next.
    """

    line: int
    kind: StepKind
    values: tuple[tuple[str, str], ...] = ()
    entered: bool | None = None


@dataclass(frozen=True)
class Recording:
    """One call of a round's function. `lines` is its source without the docstring, `committed` what it wrote."""

    function: str
    lines: tuple[str, ...]
    steps: tuple[Step, ...]
    committed: tuple[int, ...]
    uniforms: tuple[float | None, ...]

    def shows(self, round_: Round) -> bool:
        """Whether this is the very round: the same tokens, by the same draws."""
        return (self.committed, self.uniforms) == _mark(round_)


def record(pair: ModelPair, request: DecodeRequest, index: int) -> Generator[float, None, Recording]:
    """Run a request again up to its round `index` (from 0) and watch that one; yields progress, 0 to 1.

    Raises:
        RequestError: when the run cannot be made, or ends before that round.
    """
    if request.method != "speculative":
        raise RequestError("Only draft-and-verify has rounds to watch.")
    if request.drafter == "tree":
        raise RequestError("A round over a tree is another function: choose another drafter to watch one.")
    run = stream(pair, request)
    for done in range(index + 1):
        _advance(run)
        yield (done + 1) / (index + 2)
    # The worker that runs this has other work between two steps, so the tracer is on for this one round only.
    with watching(ROUNDS[request.rule], pair.piece) as watch:
        event = _advance(run)
    assert isinstance(event, Committed)
    return watch.recording(event.round)


@contextmanager
def watching(function: Callable[..., object], piece: Callable[[int], str]) -> Iterator[Watch]:
    """Watch the one call of a function that this thread makes while the block runs. `piece` gives a token's text."""
    watch, before = Watch(function, piece), sys.gettrace()
    sys.settrace(watch.tracer)
    try:
        yield watch
    finally:
        sys.settrace(before)


def shown_source(function: Callable[..., object]) -> dict[int, str]:
    """A function's source by line number in its file, its docstring left out."""
    text, first = inspect.getsourcelines(function)
    lines = dict(enumerate(dedent("".join(text)).splitlines(), first))
    for node in _body(function, first)[:1]:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            for number in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                del lines[number]
    return lines


class Watch:
    """What one call of a function did, as `sys.settrace` reports it."""

    def __init__(self, function: Callable[..., object], piece: Callable[[int], str]) -> None:
        code: CodeType = function.__code__
        source = shown_source(function)
        self._name, self._lines = function.__name__, tuple(source.values())
        self._code, self._piece, self._globals = code, piece, function.__globals__
        self._row = {number: row for row, number in enumerate(source)}
        statements = (n for s in _body(function, code.co_firstlineno) for n in ast.walk(s) if isinstance(n, ast.stmt))
        self._nodes = {node.lineno: node for node in statements}
        self._arguments = code.co_varnames[: code.co_argcount]
        self._seen: list[tuple[int, tuple[tuple[str, str], ...]]] = []
        self._line: int | None = None

    def tracer(self, frame: FrameType, event: str, argument: object) -> Callable[..., Any] | None:
        """The tracer of a whole thread: it wants to hear more of this one function only."""
        if frame.f_code is not self._code:
            return None
        self._seen.append((frame.f_lineno, self._read(self._arguments, frame)))
        return self._inside

    def _inside(self, frame: FrameType, event: str, argument: object) -> Callable[..., Any]:
        # A line is reported before it runs: what it did can be read when the next one comes, or the return.
        if event in ("line", "return") and self._line is not None:
            node = self._nodes.get(self._line)
            self._seen.append((self._line, self._read(_watched(node), frame)))
        self._line = frame.f_lineno if event == "line" else None
        return self._inside

    def recording(self, round_: Round) -> Recording:
        """What was seen, as the recording of the round that the call made."""
        return Recording(self._name, self._lines, tuple(self._steps()), *_mark(round_))

    def _steps(self) -> Iterator[Step]:
        followers = [*(line for line, _ in self._seen[1:]), None]
        for (line, values), follower in zip(self._seen, followers, strict=True):
            node = self._nodes.get(line)
            entered = follower in {n.lineno for n in node.body} if isinstance(node, ast.For | ast.If) else None
            kind: StepKind = "call" if line == self._code.co_firstlineno else _kind(node)
            yield Step(self._row[line], kind, values, entered)

    def _read(self, expressions: tuple[str, ...], frame: FrameType) -> tuple[tuple[str, str], ...]:
        found = []
        for expression in expressions:
            try:
                value = eval(expression, self._globals, frame.f_locals)
            except NameError:
                continue  # a loop over nothing never gives its variables a value
            name = expression.split("[")[0]
            if (told := _told(value, self._piece if name in HOLDS_TOKENS else None)) is not None:
                found.append((expression, told))
        return tuple(found)


def _advance(run: Iterator[Event]) -> Event:
    """Run to the end of the prompt's pass, or of the next round."""
    for event in run:
        if isinstance(event, Prefilled | Committed):
            return event
    raise RequestError("This run ends before that round.")


def _mark(round_: Round) -> tuple[tuple[int, ...], tuple[float | None, ...]]:
    return round_.committed, tuple(x.u for x in round_.positions)


def _body(function: Callable[..., object], first: int) -> list[ast.stmt]:
    """A function's statements, numbered as in its file."""
    tree = ast.parse(dedent(inspect.getsource(function)))
    ast.increment_lineno(tree, first - 1)
    definition = tree.body[0]
    assert isinstance(definition, ast.FunctionDef)
    return definition.body


def _kind(node: ast.stmt | None) -> StepKind:
    kinds: dict[type, StepKind] = {ast.Assign: "assign", ast.For: "loop", ast.If: "test", ast.Return: "return"}
    return kinds.get(type(node), "other")


def _watched(node: ast.stmt | None) -> tuple[str, ...]:
    """The expressions worth reading on a line: what it set, what it compared, what it returned."""
    match node:
        case ast.Assign(targets=[target]) | ast.For(target=target):
            return tuple(n.id for n in ast.walk(target) if isinstance(n, ast.Name))
        case ast.If(test=test):
            comparison = next(n for n in ast.walk(test) if isinstance(n, ast.Compare))
            sides = [part for side in (comparison.left, *comparison.comparators) for part in _parts(side)]
            return tuple(dict.fromkeys(ast.unparse(part) for part in [*sides, comparison]))
        case ast.Return(value=ast.Tuple(elts=parts)):
            return tuple(ast.unparse(part) for part in parts)
    return ()


def _parts(side: ast.expr) -> list[ast.expr]:
    """One side of a comparison; a product comes after its factors."""
    return [side.left, side.right, side] if isinstance(side, ast.BinOp) else [side]


def _told(value: Any, piece: Callable[[int], str] | None) -> str | None:
    """A value in a few words, or None for what has none (a function, say). `piece` gives the text of a token id."""
    match value:
        case bool():
            return str(value)
        case int():
            return repr(piece(value)) if piece else str(value)
        case float():
            return _number(value)
        case torch.Tensor(ndim=0):
            # A comparison of tensors is a tensor too.
            return str(value.item()) if value.dtype == torch.bool else _number(value.item())
        case torch.Tensor(ndim=2):
            return f"{len(value)} distributions"
        case [torch.Tensor(), *_]:
            return f"{len(value)} distribution" + "s" * (len(value) > 1)
        case [float(), *_]:
            return "[" + ", ".join(_number(x) for x in value) + "]"
        case list() if piece:
            return _tokens(value, piece)
    return None


def _tokens(ids: list[int], piece: Callable[[int], str], most: int = 8) -> str:
    return f"{len(ids)} tokens" if len(ids) > most else "[" + ", ".join(repr(piece(t)) for t in ids) + "]"


def _number(x: float) -> str:
    return f"{x:.3f}" if x == 0 or abs(x) >= 0.001 else f"{x:.1e}"
