"""What a running decode reports, and how reports fold into a trace. All plain data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from core.decoding.request import DecodeRequest
from core.decoding.rounds import Prefill, Round
from core.decoding.trace import PairInfo, Stop, Trace


@dataclass(frozen=True)
class Prefilled:
    """The prompt has been read and the first token is there. `piece` is its text."""

    prefill: Prefill
    piece: str


@dataclass(frozen=True)
class Drafted:
    """A token has been guessed and not yet verified."""

    round: int
    slot: int
    token: int
    piece: str
    seconds: float


@dataclass(frozen=True)
class Verified:
    """The target has answered: verdicts of the drafted tokens, as in `Position.accepted`."""

    round: int
    accepted: tuple[bool | None, ...]


@dataclass(frozen=True)
class Committed:
    """The round is over. `pieces` are the texts of `round.committed`."""

    round: Round
    pieces: tuple[str, ...]


@dataclass(frozen=True)
class Done:
    """Nothing more will come. `text` is the whole decoded answer."""

    stop: Stop
    text: str
    pair: PairInfo


Event = Prefilled | Drafted | Verified | Committed | Done


def fold(request: DecodeRequest, events: Iterable[Event]) -> Trace:
    """Build the trace of a finished run from its events.

    Raises:
        ValueError: when the events lack their beginning or end.
    """
    prefill: Prefill | None = None
    rounds: list[Round] = []
    pieces: list[str] = []
    for event in events:
        match event:
            case Prefilled():
                prefill = event.prefill
                pieces.append(event.piece)
            case Committed():
                rounds.append(event.round)
                pieces.extend(event.pieces)
            case Done() if prefill is not None:
                return Trace(request, event.pair, prefill, tuple(rounds), event.stop, event.text, tuple(pieces))
    raise ValueError("A trace needs all events of its run, from the prompt's pass to the end.")
