"""Where guesses come from. A new source is one file, and one entry in `DRAFTERS`."""

from __future__ import annotations

from collections.abc import Callable

from core.decoding.drafters.base import Drafter, GoOn, Proposal, draw, fit, now
from core.decoding.drafters.draft_model import DraftModel
from core.decoding.drafters.early_exit import EarlyExit
from core.decoding.drafters.head import MultiTokenHead
from core.decoding.drafters.lookup import PromptLookup
from core.decoding.drafters.tree import DraftTree
from core.decoding.request import DecodeRequest
from core.decoding.request import Drafter as Name
from core.decoding.sampling import Draws
from core.models import ModelPair, Reader

DRAFTERS: dict[Name, Callable[[ModelPair, DecodeRequest, Draws, Reader], Drafter]] = {
    "draft": DraftModel,
    "lookup": PromptLookup,
    "early_exit": EarlyExit,
    "head": MultiTokenHead,
    "tree": DraftTree,
}

__all__ = ["DRAFTERS", "Drafter", "GoOn", "Proposal", "draw", "fit", "now"]
