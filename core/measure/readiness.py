"""Does drafting leave the answers alone? A set of prompts, answered by the target alone and then with drafting on.

Greedy answers must be the same, token for token. Sampled ones are drawn by coupled draws (Daliri, Musco & Suresh
2024, arXiv 2408.07978), so that the same seed gives the same text with and without a draft. Form (JSON, tool calls),
repetition, known answers and endings are looked at on both sides: a small target errs too, and what counts is whether
drafting changed anything.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from pydantic import ConfigDict, ValidationError, create_model

from core.decoding.request import DecodeRequest
from core.decoding.trace import Stop, Trace

Kind = Literal["text", "json", "tool", "known"]
Type = Literal["text", "whole", "number", "list"]
TYPES: dict[Type, type] = {"text": str, "whole": int, "number": float, "list": list}

WINDOW = 4
"""Tokens of a sequence that counts as repeated when it stood in the answer before."""
MORE_REPEATED = 0.05
"""A share of repeated sequences is new when it exceeds the reference's by more than this."""


@dataclass(frozen=True)
class Check:
    """A prompt of the set, and what its answer is held to.

    Attributes:
        length: tokens that may be written.
        answers: of a known answer, the words of which one must occur.
        fields: of JSON, the fields of the object and their types; of a tool call, its arguments.
        tool: the tool's name.
    """

    id: str
    label: str
    text: str
    kind: Kind = "text"
    chat: bool = True
    length: int = 48
    temperature: float = 0.0
    seed: int = 0
    answers: tuple[str, ...] = ()
    fields: dict[str, Type] = field(default_factory=dict)
    tool: str = ""

    def request(self, gamma: int | None = None) -> DecodeRequest:
        """The run that answers it: with drafts of `gamma` tokens, or None for the target alone.

        Raises:
            RequestError: for a prompt that can't be run.
        """
        alone = DecodeRequest(
            self.text, "standard", chat=self.chat, max_new_tokens=self.length, temperature=self.temperature,
            seed=self.seed, rule="coupled" if self.temperature > 0 else "rejection",
        )  # fmt: skip
        return alone if gamma is None else replace(alone, method="speculative", gamma=gamma)


@dataclass(frozen=True)
class Answer:
    """What a run wrote and where its time went, in seconds; a standard run's on the fastest clock (unpadded passes).

    `prompt` is the target's prompt pass, `set_up` the draft's. `rounds`, `drafted`, `accepted` and `rejected` count.
    """

    tokens: tuple[int, ...]
    text: str
    stop: Stop
    prompt: float
    set_up: float
    draft: float
    verify: float
    overhead: float
    rounds: int
    drafted: int = 0
    accepted: int = 0
    rejected: int = 0

    @property
    def writing(self) -> float:
        """Seconds from the first token to the last."""
        return self.draft + self.verify + self.overhead

    @property
    def total(self) -> float:
        """Seconds from the request to the last token."""
        return self.prompt + self.set_up + self.writing

    @property
    def repetition(self) -> float:
        """The share of its sequences of `WINDOW` tokens that stood in it before."""
        return repetition(self.tokens)


def answer(trace: Trace) -> Answer:
    """The figures of a finished run."""
    pace = trace.pair.padding_cost if trace.request.method == "standard" else 1.0
    return Answer(
        tokens=tuple(trace.tokens),
        text=trace.text,
        stop=trace.stop,
        prompt=trace.prefill.target_time,
        set_up=trace.prefill.draft_time,
        draft=sum(sum(r.draft_times) for r in trace.rounds) / pace,
        verify=sum(r.target_time for r in trace.rounds) / pace,
        overhead=sum(r.overhead_time for r in trace.rounds) / pace,
        rounds=len(trace.rounds),
        drafted=sum(len(r.positions) for r in trace.rounds),
        accepted=trace.accepted,
        rejected=trace.rejected,
    )


def repetition(tokens: Sequence[int], window: int = WINDOW) -> float:
    """The share of a text's sequences of `window` tokens that occurred in it before; 0 for a shorter text.

    >>> repetition([1, 2, 3, 4, 1, 2, 3, 4])
    0.2
    """
    sequences = [tuple(tokens[i : i + window]) for i in range(len(tokens) - window + 1)]
    return 1 - len(set(sequences)) / len(sequences) if sequences else 0.0


def fault(check: Check, text: str) -> str | None:
    """What is wrong with an answer's form or content, in a few words; None where nothing is, or nothing is asked."""
    if check.kind == "known":
        words = "|".join(re.escape(word) for word in check.answers)
        return None if re.search(rf"(?<!\w)(?:{words})(?!\w)", text, re.IGNORECASE) else "not the known answer"
    if check.kind == "text":
        return None
    value = first_object(text)
    if isinstance(value, str):
        return value
    if check.kind == "tool":
        return _wrong(value, {"name": "text"}) or _wrong_call(check, value)
    return _wrong(value, check.fields)


def first_object(text: str) -> dict[str, Any] | str:
    """The first JSON object in an answer, whatever stands around it; or what is wrong, in a few words."""
    start = text.find("{")
    if start < 0:
        return "no JSON object in it"
    try:
        value, _ = json.JSONDecoder(parse_constant=_no_constant).raw_decode(text, start)
    except (ValueError, RecursionError):
        return "its JSON is malformed or breaks off"
    return value if isinstance(value, dict) else "no JSON object in it"


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _wrong_call(check: Check, value: dict[str, Any]) -> str | None:
    if value["name"] != check.tool:
        return "calls another tool"
    arguments = value.get("arguments")
    if not isinstance(arguments, dict):
        return "no arguments in the call"
    return _wrong(arguments, check.fields)


def _wrong(value: dict[str, Any], fields: dict[str, Type]) -> str | None:
    """Which field of an object is missing or of another type; other fields do not matter."""
    shape = {name: (TYPES[kind], ...) for name, kind in fields.items()}
    model = create_model("Fields", __config__=ConfigDict(strict=True), **shape)  # type: ignore[call-overload]
    try:
        model.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        name = first["loc"][0]
        return f"field {name} is missing" if first["type"] == "missing" else f"field {name} is of another type"
    return None


@dataclass(frozen=True)
class Result:
    """A check's two answers: the target's own, kept as the reference, and the one with drafting on."""

    check: Check
    reference: Answer
    drafted: Answer

    @cached_property
    def parts_at(self) -> int | None:
        """The index of the first token that differs; None for equal answers."""
        one, other = self.reference.tokens, self.drafted.tokens
        if one == other:
            return None
        pairs = enumerate(zip(one, other, strict=False))
        return next((i for i, (a, b) in pairs if a != b), min(len(one), len(other)))

    @cached_property
    def faults(self) -> tuple[str | None, str | None]:
        """What is wrong with the reference and with the drafted answer."""
        return fault(self.check, self.reference.text), fault(self.check, self.drafted.text)

    @property
    def repeats_more(self) -> bool:
        return self.drafted.repetition > self.reference.repetition + MORE_REPEATED

    @property
    def ends_alike(self) -> bool:
        """Whether both ended by themselves, or both at the length allowed."""
        return self.reference.stop == self.drafted.stop

    @property
    def speed_up(self) -> float:
        """Whole answer against whole answer, prompt passes included."""
        return self.reference.total / self.drafted.total


@dataclass(frozen=True)
class Promise:
    """One thing that drafting must leave alone. `kept` is None where no prompt of the set tests it."""

    name: str
    kept: bool | None
    words: str


def promises(results: Sequence[Result]) -> tuple[Promise, ...]:
    """What drafting left alone over the whole set, and what it did not."""
    greedy = [r for r in results if r.check.temperature == 0]
    sampled = [r for r in results if r.check.temperature > 0]
    return (
        _same("Same answers (greedy)", greedy),
        _same("Same draws (sampled)", sampled),
        _no_repetition(results),
        _formed("Valid JSON", [r for r in results if r.check.kind == "json"], "valid"),
        _formed("Valid tool calls", [r for r in results if r.check.kind == "tool"], "valid"),
        _formed("Known answers", [r for r in results if r.check.kind == "known"], "right"),
        _complete(results),
    )


def _same(name: str, results: Sequence[Result]) -> Promise:
    if not results:
        return Promise(name, None, "No such prompt was run.")
    same = sum(r.parts_at is None for r in results)
    words = f"{same} of {len(results)} answers are the same, token for token."
    if same < len(results):
        at = min(r.parts_at for r in results if r.parts_at is not None)
        words += f" The earliest difference is at token {at + 1}."
    return Promise(name, same == len(results), words)


def _no_repetition(results: Sequence[Result]) -> Promise:
    name = "No new repetition"
    if not results:
        return Promise(name, None, "No prompt was run.")
    worse = sum(r.repeats_more for r in results)
    most = max(r.reference.repetition for r in results), max(r.drafted.repetition for r in results)
    words = (
        f"Of all runs of {WINDOW} tokens, at most {most[0] * 100:.0f} % stood in the same answer before; "
        f"with drafting at most {most[1] * 100:.0f} %."
    )
    return Promise(name, worse == 0, words + (f" {worse} of {len(results)} answers repeat more." if worse else ""))


def _formed(name: str, results: Sequence[Result], word: str) -> Promise:
    if not results:
        return Promise(name, None, "No such prompt was run.")
    both = sum(r.faults == (None, None) for r in results)
    changed = sum((r.faults[0] is None) != (r.faults[1] is None) for r in results)
    neither = len(results) - both - changed
    parts = [f"{both} of {len(results)} {word} both ways"]
    if neither:
        parts.append(f"{neither} not {word} either way: the target's own doing")
    parts.append(f"{changed} changed by drafting" if changed else "none changed by drafting")
    return Promise(name, changed == 0, ", ".join(parts) + ".")


def _complete(results: Sequence[Result]) -> Promise:
    name = "Complete answers"
    if not results:
        return Promise(name, None, "No prompt was run.")
    ended = sum(r.ends_alike and r.reference.stop == "eos" for r in results)
    cut = sum(r.ends_alike and r.reference.stop != "eos" for r in results)
    other = len(results) - ended - cut
    words = f"{ended} of {len(results)} end by themselves both ways, {cut} are cut at the same length both ways"
    return Promise(name, other == 0, words + (f", {other} end differently." if other else "."))
