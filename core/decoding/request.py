"""What to decode: the frozen, validated description of one run."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

Method = Literal["speculative", "standard", "draft"]
Rule = Literal["rejection", "coupled"]
Drafter = Literal["draft", "lookup", "early_exit", "head", "tree"]
Policy = Literal["fixed", "heuristic", "goodput", "confidence"]

DRAFTER_NAMES: tuple[Drafter, ...] = get_args(Drafter)
POLICY_NAMES: tuple[Policy, ...] = get_args(Policy)

MAX_GAMMA = 32
MAX_NEW_TOKENS = 2048
MAX_TEMPERATURE = 5.0
MAX_BRANCHES = 4


class RequestError(ValueError):
    """A request that cannot be run; its message is one sentence for the person who made it."""


@dataclass(frozen=True)
class DecodeRequest:
    """One run of the pair. Equal requests give equal texts: all randomness comes from `seed`.

    Attributes:
        prompt: the user's message (`chat=True`) or the beginning of a text (`chat=False`).
        method: `speculative`, or `standard` (target alone), or `draft` (draft alone).
        drafter: where guesses come from: a `draft` model, `lookup` in the text so far, `early_exit` of the target,
            a multi-token `head`, or a `tree` of the draft model's candidates.
        gamma: draft length γ, 1 to 32 tokens a round; a tree's depth; where a policy starts.
        policy: how γ goes on from there; see `core.decoding.policies`.
        branches: of a tree: candidates for the first guess, one fewer at each level below, at least one.
        temperature: 0 is greedy (p and q one-hot, ties to the lowest id).
        top_k: keep only the k most probable tokens, or None.
        top_p: keep the smallest set of tokens that holds this mass, or None.
        max_new_tokens: length of the answer in tokens, the first one included.
        seed: of every draw in the run.
        rule: `rejection` (Leviathan et al. 2023) or `coupled` (Daliri et al. 2024).
        chat: wrap the prompt in the target's chat template.

    Raises:
        RequestError: for a value that cannot be run.
    """

    prompt: str
    method: Method = "speculative"
    drafter: Drafter = "draft"
    gamma: int = 4
    temperature: float = 0.0
    top_k: int | None = None
    top_p: float | None = None
    max_new_tokens: int = 64
    seed: int = 0
    rule: Rule = "rejection"
    chat: bool = True
    policy: Policy = "fixed"
    branches: int = 2

    def __post_init__(self) -> None:
        _check_prompt(self.prompt)
        _require(self.method in ("speculative", "standard", "draft"), f"There is no method called {self.method!r}.")
        _require(self.rule in ("rejection", "coupled"), f"There is no rule called {self.rule!r}.")
        _check_name("drafter", self.drafter, DRAFTER_NAMES)
        _check_name("policy", self.policy, POLICY_NAMES)
        _require(_whole(self.branches, 1, MAX_BRANCHES), f"A tree has 1 to {MAX_BRANCHES} branches.")
        _require(_whole(self.gamma, 1, MAX_GAMMA), f"The draft length γ is a whole number from 1 to {MAX_GAMMA}.")
        _require(
            _number(self.temperature, 0, MAX_TEMPERATURE), f"The temperature is a number from 0 to {MAX_TEMPERATURE:g}."
        )
        _require(self.top_k is None or _whole(self.top_k, 1, 10**7), "Top-k is a whole number of at least 1, or off.")
        _require(
            self.top_p is None or (_number(self.top_p, 0, 1) and self.top_p > 0), "Top-p lies above 0 and up to 1."
        )
        _require(
            _whole(self.max_new_tokens, 1, MAX_NEW_TOKENS),
            f"The length to write is a whole number from 1 to {MAX_NEW_TOKENS} tokens.",
        )
        _require(_whole(self.seed, 0, 2**63 - 1), "The seed is a whole number of at least 0.")


def _require(ok: bool, sentence: str) -> None:
    if not ok:
        raise RequestError(sentence)


def _check_name(what: str, name: str, names: tuple[str, ...]) -> None:
    choice = f"{', '.join(names[:-1])} or {names[-1]}"
    _require(name in names, f"There is no {what} called {name!r}: choose {choice}.")


def _whole(value: object, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def _number(value: object, low: float, high: float) -> bool:
    return isinstance(value, int | float) and math.isfinite(value) and low <= value <= high


def _check_prompt(prompt: str) -> None:
    _require(isinstance(prompt, str) and bool(prompt.strip()), "The prompt is empty: type a few words first.")
    if any(ord(c) < 32 and c not in "\n\t\r" or 0xD800 <= ord(c) < 0xE000 or ord(c) == 127 for c in prompt):
        raise RequestError("The prompt holds control characters: paste it as plain text.")
