"""A text as a row of tokens that can be hovered and selected."""

from ui.components.token_strip.token_strip import StripToken, token_strip

__all__ = ["StripToken", "token_strip"]
