"""Small figures in words."""

from __future__ import annotations

from core.decoding.trace import Trace


def duration(seconds: float) -> str:
    """A time short enough for a sentence: `22 ms`, `1.40 s`."""
    if seconds >= 1:
        return f"{seconds:.2f} s"
    return f"{seconds * 1000:.0f} ms" if seconds >= 0.01 else f"{seconds * 1000:.1f} ms"


def times(ratio: float) -> str:
    """A speed-up: `1.32×`."""
    return f"{ratio:.2f}×"


def share(part: float) -> str:
    """A share of one: `64 %`."""
    return "under 1 %" if 0 < part < 0.01 else f"{part * 100:.0f} %"


def nats(entropy: float) -> str:
    """An entropy: `0.34 nats`. One of zero may come as a zero with a sign."""
    return f"{max(0.0, entropy):.2f} nats"


def megabytes(number: int) -> str:
    """An amount of memory, from bytes: `0.7 MB`, `24 MB`, `1.2 GB`."""
    if number >= 1e9:
        return f"{number / 1e9:.1f} GB"
    return f"{number / 1e6:.0f} MB" if number >= 1e7 else f"{number / 1e6:.1f} MB"


def gigabytes(number: int) -> str:
    """An amount of memory in GB, from bytes: `0.31 GB`, `14.2 GB`."""
    amount = number / 1e9
    return f"{amount:.2f} GB" if amount < 10 else f"{amount:.1f} GB"


def count(number: int, noun: str, plural: str | None = None) -> str:
    """A count with its noun: `1 word`, `3 words`."""
    return f"{number} {noun}" if number == 1 else f"{number} {plural or noun + 's'}"


def visible(text: str) -> str:
    """A token's text with its blanks made visible."""
    return text.strip() or text.replace("\n", "↵").replace("\t", "→").replace(" ", "␣")


def ended_early(trace: Trace, who: str, noun: str) -> str | None:
    """A remark on a text that stopped before the length asked for, or None."""
    reasons = {"eos": f"{who} had nothing more to say", "context": "the models' context was full"}
    if trace.stop not in reasons:
        return None
    return f"Here {reasons[trace.stop]} after {count(len(trace.tokens), noun)}."
