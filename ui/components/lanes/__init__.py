"""Runs replayed side by side on one time axis."""

from ui.components.lanes.lanes import TOKENS, WORDS, LaneWords, lanes

__all__ = ["TOKENS", "WORDS", "LaneWords", "lanes"]
