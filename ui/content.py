"""The words of the lab, read from `content/`: parts, chapters, prompts, checks and glossary. Edit them there."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import TypeAdapter, ValidationError

from core.decoding.request import DecodeRequest, Method
from core.measure.readiness import Check

FOLDER = Path(__file__).parent.parent / "content"

T = TypeVar("T")


class ContentError(ValueError):
    """A content file that cannot be used; the message names the file and the entry."""


@dataclass(frozen=True)
class Question:
    """What to predict before looking. `answer` is missing where the run on screen gives it.

    A `choice` has options, and its answer is an option's index. A `number` lies between `low` and `high`
    and counts as close while it is at most `near` away.
    """

    kind: Literal["choice", "number"]
    question: str
    explanation: str
    options: tuple[str, ...] = ()
    answer: int | None = None
    unit: str = ""
    low: int = 0
    high: int = 100
    near: int = 0


@dataclass(frozen=True)
class Raised:
    """A question that a chapter leaves open, and the chapter that answers it."""

    chapter: int
    text: str


@dataclass(frozen=True)
class ChapterText:
    """Everything a chapter says around its stage, and what its stage runs at first.

    `page` is the file's name in `pages/`. Each of `methods` writes `length` tokens after `prompt` (an id in
    prompts.toml; empty for the first), and after each of `also`, at first with this temperature, seed and draft
    length γ.
    `stages` names the experiment's screens in the tour.
    """

    number: int
    part: str
    page: str
    title: str
    short: str
    setup: str
    takeaway: str
    length: int
    methods: tuple[Method, ...]
    prompt: str = ""
    temperature: float = 0.0
    seed: int = 0
    gamma: int = 4
    predict: Question | None = None
    questions: tuple[Raised, ...] = ()
    stages: tuple[str, ...] = ("stage",)
    also: tuple[str, ...] = ()


@dataclass(frozen=True)
class Lab:
    """A page beside the chapters, to try things out. What it runs at first is named as a chapter's is."""

    page: str
    title: str
    short: str
    prompt: str = ""
    temperature: float = 0.0
    seed: int = 0


@dataclass(frozen=True)
class Part:
    """A part of the lab and what its own page says. An `encore` comes after the end of the tour."""

    id: str
    page: str
    title: str
    question: str
    intro: str
    answers: tuple[str, ...]
    encore: bool = False


@dataclass(frozen=True)
class Prompt:
    """A curated prompt. `chat`: a user's message; otherwise the beginning of a page."""

    id: str
    kind: str
    label: str
    text: str
    chat: bool


@dataclass(frozen=True)
class Note:
    """What a speaker says at a step of the tour, points at or moves, and asks the class; `step` is the step's id.

    `minutes` is how long it takes in each of the routes, in their order; 0 where a route leaves it out.
    """

    step: str
    minutes: tuple[float, ...]
    say: str
    point: str
    ask: str


@dataclass(frozen=True)
class Route:
    """A way through the tour for a lecture of so many minutes."""

    minutes: int
    title: str
    words: str


@dataclass(frozen=True)
class Term:
    """A term of the glossary, with its symbol where it has one."""

    name: str
    meaning: str
    symbol: str = ""


def parts() -> tuple[Part, ...]:
    """All parts, in order."""
    return _entries("chapters.toml", "part", Part)


def chapters() -> tuple[ChapterText, ...]:
    """All chapters, in order."""
    return _entries("chapters.toml", "chapter", ChapterText)


def labs() -> tuple[Lab, ...]:
    """All labs, in order."""
    return _entries("chapters.toml", "lab", Lab)


def prompts() -> tuple[Prompt, ...]:
    """The curated prompts; the first is the default."""
    return _entries("prompts.toml", "prompt", Prompt)


def checks() -> tuple[Check, ...]:
    """The prompts that are answered with and without drafting before it is switched on."""
    return _entries("checks.toml", "check", Check)


def glossary() -> tuple[Term, ...]:
    """All terms, in the order of the file."""
    return _entries("glossary.toml", "term", Term)


def notes() -> dict[str, Note]:
    """The speaker's notes, by the id of their step."""
    return {note.step: note for note in _entries("notes.toml", "note", Note)}


def routes() -> tuple[Route, ...]:
    """The ways through the tour, the shortest first."""
    return _entries("notes.toml", "route", Route)


def part(part_id: str) -> Part:
    """The part with this id."""
    return next(p for p in parts() if p.id == part_id)


def chapter(number: int) -> ChapterText | None:
    """The chapter with this number, or None where the lab has none."""
    return next((c for c in chapters() if c.number == number), None)


def chapters_of(part_id: str) -> list[ChapterText]:
    """The chapters of a part, in order."""
    return [c for c in chapters() if c.part == part_id]


def default_prompt(chapter: ChapterText | Lab) -> Prompt:
    """The prompt that a chapter or a lab begins with."""
    return next((p for p in prompts() if p.id == chapter.prompt), prompts()[0])


def default_requests() -> list[DecodeRequest]:
    """What the chapters show before anything is touched, each once."""
    asked = [
        DecodeRequest(
            prompt.text,
            method=method,
            gamma=c.gamma,
            temperature=c.temperature,
            seed=c.seed,
            max_new_tokens=c.length,
            chat=prompt.chat,
        )
        for c in chapters()
        for prompt in [default_prompt(c), *(p for p in prompts() if p.id in c.also)]
        for method in c.methods
    ]
    return list(dict.fromkeys(asked))


def _entries(file: str, table: str, kind: type[T]) -> tuple[T, ...]:
    path = FOLDER / file
    return _read(path, path.stat().st_mtime_ns, table, kind)  # type: ignore[arg-type]


@lru_cache(maxsize=16)
def _read(path: Path, changed: int, table: str, kind: type[T]) -> tuple[T, ...]:
    """One table of a file. `changed` makes an edited file be read again."""
    try:
        rows = tomllib.loads(path.read_text(encoding="utf-8")).get(table, [])
        return TypeAdapter(tuple[kind, ...]).validate_python(rows)  # type: ignore[valid-type]
    except (tomllib.TOMLDecodeError, ValidationError) as error:
        raise ContentError(f"content/{path.name}: {error}") from error
