"""Draft-and-verify decoding: requests in, events and traces out."""

from core.decoding.events import Committed, Done, Drafted, Event, Prefilled, Verified, fold
from core.decoding.loop import decode, pair_info, stream
from core.decoding.request import DecodeRequest, RequestError
from core.decoding.score import Scored, ScoredPosition, score
from core.decoding.trace import Candidate, Choice, PairInfo, Position, Prefill, Round, Trace, TraceError

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
