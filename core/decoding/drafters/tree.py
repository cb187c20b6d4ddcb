"""A tree of guesses by the draft model: several candidates for the next token, each carried on."""

from __future__ import annotations

import torch

from core.decoding.drafters.base import GoOn, Proposal, fit, now
from core.decoding.drafters.draft_model import DraftModel
from core.decoding.sampling import GREEDY_BELOW, probabilities
from core.models.reader import ancestors, depths


class DraftTree(DraftModel):
    """The pair's draft, read level by level: all candidates of a level in one pass, each seeing its own branch only.

    Candidates of one place are drawn without replacement: a token that was tried and missed need not be tried
    again. Sources: Miao et al. 2023, "SpecInfer", arXiv 2305.09781; Jeon et al. 2024, arXiv 2402.14160.
    """

    def propose(self, text: list[int], gamma: int, go_on: GoOn) -> Proposal:
        tokens: list[int] = []
        parents: list[int | None] = []
        drawn_from: list[torch.Tensor] = []
        given: list[torch.Tensor] = []
        seconds: list[float] = []
        places: list[int | None] = [None]
        for level in range(gamma):
            started = now(self._pair.device)
            logits = self._read(text, tokens, parents, places)
            first = len(tokens)
            for place, row in zip(places, logits, strict=True):
                for token, q in self._candidates(row, len(text) + level, max(1, self._request.branches - level)):
                    tokens.append(token)
                    parents.append(place)
                    drawn_from.append(q)
                    given.append(row)
            places = list(range(first, len(tokens)))
            seconds.append(now(self._pair.device) - started)
        # The branch that survives is read again with the next round, in one pass with what is new anyway.
        self._reader.crop(min(len(text), self._reader.length))
        return Proposal(tokens, drawn_from, given, tuple(seconds), parents)

    def _read(
        self, text: list[int], tokens: list[int], parents: list[int | None], places: list[int | None]
    ) -> torch.Tensor:
        """Logits [len(places), V] behind the text (for the first level), or behind the last level's candidates."""
        if places == [None]:
            return fit(self._reader.read(text[self._reader.length :]), self._pair.vocabulary)
        first = len(tokens) - len(places)
        positions = [len(text) + depth for depth in depths(parents)[first:]]
        return fit(self._reader.branch(tokens[first:], ancestors(parents)[first:], positions), self._pair.vocabulary)

    def _candidates(self, logits: torch.Tensor, position: int, number: int) -> list[tuple[int, torch.Tensor]]:
        """Up to `number` tokens for one place from logits [V], in the order to try them, and each one's own q [V]."""
        request = self._request
        if request.temperature < GREEDY_BELOW:
            return [(token, one_hot(token, logits)) for token in first_choices(logits, number)]
        q = probabilities(logits[None], request.temperature, request.top_k, request.top_p)[0]
        if request.rule == "coupled":
            return [(token, q) for token in self._draws.arrivals(q, position, number)]
        found: list[tuple[int, torch.Tensor]] = []
        while len(found) < number and q.sum() > 0:
            token = self._draws.sample(q)
            found.append((token, q))
            q = without(q, token)
        return found


def first_choices(logits: torch.Tensor, number: int) -> list[int]:
    """The tokens with the largest of logits [V], the lowest id first among equals."""
    order: list[int] = logits.float().sort(descending=True, stable=True).indices[:number].tolist()
    return order


def one_hot(token: int, like: torch.Tensor) -> torch.Tensor:
    """All mass on one token: float32 [V] for a tensor [V]."""
    return torch.zeros(len(like), device=like.device).index_fill_(0, torch.tensor(token, device=like.device), 1.0)


def without(q: torch.Tensor, token: int) -> torch.Tensor:
    """q [V] with one token taken out, and what is left scaled up to 1 (or all zeros where nothing is left)."""
    rest = q.index_fill(0, torch.tensor(token, device=q.device), 0.0)
    total = rest.sum()
    return rest / total if total > 0 else rest
