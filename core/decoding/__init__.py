"""Draft-and-verify decoding: requests in, events and traces out."""

from importlib import import_module
from typing import TYPE_CHECKING

from core.decoding.events import Committed, Done, Drafted, Event, Prefilled, Verified, fold
from core.decoding.request import DecodeRequest, RequestError
from core.decoding.rounds import Candidate, Choice, Position, Prefill, Round
from core.decoding.trace import PairInfo, Trace, TraceError

if TYPE_CHECKING:
    from core.decoding.loop import decode, pair_info, stream
    from core.decoding.scoring import Scored, ScoredPosition, score

__all__ = [
    "Candidate",
    "Choice",
    "Committed",
    "DecodeRequest",
    "Done",
    "Drafted",
    "Event",
    "PairInfo",
    "Position",
    "Prefill",
    "Prefilled",
    "RequestError",
    "Round",
    "Scored",
    "ScoredPosition",
    "Trace",
    "TraceError",
    "Verified",
    "decode",
    "fold",
    "pair_info",
    "score",
    "stream",
]

_WITH_TORCH = {
    **dict.fromkeys(("decode", "pair_info", "stream"), "core.decoding.loop"),
    **dict.fromkeys(("Scored", "ScoredPosition", "score"), "core.decoding.scoring"),
}


def __getattr__(name: str) -> object:
    """What needs torch is imported when it is first asked for: a page that only reads traces must not wait for it."""
    if name not in _WITH_TORCH:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_WITH_TORCH[name]), name)
