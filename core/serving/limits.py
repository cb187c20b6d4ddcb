"""What one visitor may ask of the models, so that there is enough for all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from core.decoding.request import DecodeRequest, RequestError
from core.settings import Settings


@dataclass(frozen=True)
class Limits:
    """The most tokens that a run may write, and the most characters that a prompt, or another text, may have."""

    tokens: int
    prompt: int

    def check(self, asked: Iterable[object]) -> None:
        """Look at a request, or at everything that other work is given.

        Raises:
            RequestError: for more than is allowed here.
        """
        for one in asked:
            if isinstance(one, DecodeRequest):
                self._check_request(one)
            elif isinstance(one, str) and len(one) > self.prompt:
                raise RequestError(f"A text may have {self.prompt:,} characters here, and this has {len(one):,}.")

    def _check_request(self, request: DecodeRequest) -> None:
        if request.max_new_tokens > self.tokens:
            raise RequestError(
                f"A run may write {self.tokens:,} tokens here, and this one asks for {request.max_new_tokens:,}: "
                "choose a shorter text."
            )
        if len(request.prompt) > self.prompt:
            raise RequestError(
                f"A prompt may have {self.prompt:,} characters here, and this one has {len(request.prompt):,}: "
                "shorten it."
            )


def limits_of(settings: Settings) -> Limits:
    """The limits that are set."""
    return Limits(settings.most_tokens, settings.most_prompt)
