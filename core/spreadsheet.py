"""Text on its way into a spreadsheet."""

from __future__ import annotations

STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""What a formula can begin with (OWASP, "CSV Injection"; the last four are the wide signs of East Asian keyboards)."""

LINE_END = "\r\n"
"""How a line of a file ends (RFC 4180). Python's writers put a cell that holds one of these two signs in quotes: if
lines ended in a line feed alone, a carriage return in a text would begin a line, and a cell, of its own."""


def harmless(text: str) -> str:
    """A cell's text that no spreadsheet takes for a formula: where it begins like one, an apostrophe stands before it.

    For words only: a number keeps its minus.
    """
    return f"'{text}" if text.startswith(STARTS) else text
