"""Do two models make a pair? Answered from configurations and tokenizers that are on this machine.

No weights are loaded and nothing is fetched: a model that is not here is said to be missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from transformers import PreTrainedTokenizerBase

from core.models.checks import PROBE, check_config, check_tokenizers
from core.models.errors import ModelError
from core.models.outline import ModelFacts, Outline, folder_of, outline, short, target_folder
from core.models.presets import Preset

State = Literal["fits", "note", "fails"]

LARGE_DRAFT = 0.5
"""A draft with more than this share of the target's weights is remarked upon."""


@dataclass(frozen=True)
class Finding:
    """One thing that was compared, what came of it, and the figures behind it in words."""

    name: str
    state: State
    words: str


@dataclass(frozen=True)
class Tokens:
    """How two tokenizers compare.

    Attributes:
        borrowed: the draft has none of its own and reads with its target's.
        probe: tokens of the probe text on both sides, or None where they differ.
        clashes: ids that stand for different texts, those below `late` left out in `late_clashes`.
        ends: both add the same beginnings and ends of sequence, if any.
    """

    borrowed: bool
    probe: int | None
    clashes: int
    late_clashes: int
    ends: bool


@dataclass(frozen=True)
class PairReport:
    """Everything that can be said of a pair before its weights are read. `refusal` is why this lab can't load it."""

    target: ModelFacts
    draft: ModelFacts
    tokens: Tokens
    findings: tuple[Finding, ...]
    refusal: str | None

    @property
    def context(self) -> int:
        """Tokens of the longest text that both can read."""
        return min(self.target.context, self.draft.context)

    @property
    def state(self) -> State:
        """The worst of all findings."""
        states = {f.state for f in self.findings} | ({"fails"} if self.refusal else set())
        return next((s for s in ("fails", "note") if s in states), "fits")


def examine(preset: Preset, cache: Path) -> PairReport:
    """Compare the two models of a preset; `cache` is the folder of converted models.

    Raises:
        ModelError: one sentence on what is not here or can't be read.
    """
    target = outline(target_folder(preset, cache), preset.target_name or short(preset.target))
    draft = outline(folder_of(preset.draft), preset.draft_name or short(preset.draft))
    if target.tokenizer is None:
        raise ModelError(f"{target.facts.name} is a draft that borrows from its target: it can't be a target itself.")
    tokens = _tokens(target.tokenizer, draft.tokenizer)
    findings = (
        _vocabulary(target.facts, draft.facts, tokens),
        _probe(tokens),
        _special(target.tokenizer, draft.tokenizer),
        _contexts(target.facts, draft.facts),
        _structure(target, draft),
        _attention(target, draft),
    )
    return PairReport(target.facts, draft.facts, tokens, findings, _refusal(target, draft))


def _tokens(target: PreTrainedTokenizerBase, draft: PreTrainedTokenizerBase | None) -> Tokens:
    ours = target(PROBE)["input_ids"]
    if draft is None:
        return Tokens(True, len(ours), 0, 0, True)
    by_id = [{i: text for text, i in side.get_vocab().items()} for side in (target, draft)]
    clashing = [i for i, text in by_id[0].items() if by_id[1].get(i, text) != text]
    return Tokens(
        borrowed=False,
        probe=len(ours) if draft(PROBE)["input_ids"] == ours else None,
        clashes=len(clashing),
        late_clashes=sum(i >= FIRST_COMPARED for i in clashing),
        ends=_added(target) == _added(draft),
    )


FIRST_COMPARED = 5
"""llama.cpp compares the texts of ids from here on: those before are special tokens."""


def _added(tokenizer: PreTrainedTokenizerBase) -> tuple[int | None, int | None]:
    """The beginning and end of sequence that a tokenizer puts around a text by itself."""
    return (
        tokenizer.bos_token_id if getattr(tokenizer, "add_bos_token", False) else None,
        tokenizer.eos_token_id if getattr(tokenizer, "add_eos_token", False) else None,
    )


def _vocabulary(target: ModelFacts, draft: ModelFacts, tokens: Tokens) -> Finding:
    name = "Vocabulary"
    sizes = f"{target.vocabulary:,} ids in the target, {draft.vocabulary:,} in the draft"
    if tokens.borrowed:
        if target.vocabulary != draft.vocabulary or target.width != draft.width:
            return Finding(name, "fails", f"The draft was made for another target: {sizes}.")
        return Finding(name, "fits", f"The draft reads with its target's own tokenizer and embeddings: {sizes}.")
    if tokens.clashes:
        return Finding(name, "fails", f"{tokens.clashes:,} ids stand for different texts: {sizes}.")
    if target.vocabulary != draft.vocabulary:
        return Finding(
            name,
            "note",
            f"The ids that both have mean the same, but the tables differ in length: {sizes}. What only one side has "
            "counts as probability 0 on the other.",
        )
    return Finding(name, "fits", f"All ids mean the same: {sizes}.")


def _probe(tokens: Tokens) -> Finding:
    name = "A probe text"
    if tokens.probe is None:
        return Finding(name, "fails", "Both cut the same text (letters, code, accents, emoji) into different tokens.")
    return Finding(name, "fits", f"Letters, code, accents and emoji become the same {tokens.probe} tokens for both.")


def _special(target: PreTrainedTokenizerBase, draft: PreTrainedTokenizerBase | None) -> Finding:
    name = "Special tokens"
    if draft is None:
        return Finding(name, "fits", "The target's own, and its chat template.")
    names = {"bos_token_id": "beginning", "eos_token_id": "end", "pad_token_id": "padding"}
    differing = [word for key, word in names.items() if getattr(target, key) != getattr(draft, key)]
    remarks = [f"The {' and the '.join(differing)} token differ: the target's count."] if differing else []
    if target.chat_template and not draft.chat_template:
        remarks.append("The draft knows no chat template: it may guess worse in a chat.")
    elif target.chat_template != draft.chat_template:
        remarks.append("The chat templates differ: the draft reads the target's, and may guess worse for it.")
    if remarks:
        return Finding(name, "note", " ".join(remarks))
    return Finding(name, "fits", "Beginning, end and padding tokens and the chat template are the same.")


def _contexts(target: ModelFacts, draft: ModelFacts) -> Finding:
    name = "Context length"
    if draft.context < target.context:
        return Finding(
            name,
            "note",
            f"The draft reads {draft.context:,} tokens, the target {target.context:,}: "
            "longer texts would have to go on without drafting, and this lab ends them there.",
        )
    more = "" if draft.context == target.context else f", the draft even {draft.context:,}"
    return Finding(name, "fits", f"The target reads {target.context:,} tokens{more or ', and so does the draft'}.")


def _structure(target: Outline, draft: Outline) -> Finding:
    name = "Structure"
    if any(side.config.is_encoder_decoder for side in (target, draft)):
        return Finding(name, "fails", "One of the two has an encoder: it does not simply carry a text on.")
    share = draft.facts.size.weights / target.facts.size.weights
    kinds = {target.facts.kind, draft.facts.kind}
    family = f"both {target.facts.kind}" if len(kinds) == 1 else f"{target.facts.kind} and {draft.facts.kind}"
    words = (
        f"{family.capitalize()}. The draft has {draft.facts.size.layers} of {target.facts.size.layers} layers "
        f"and {share * 100:.0f} % of the target's weights."
    )
    if share > LARGE_DRAFT:
        return Finding(name, "note", f"{words} That is a dear draft: its acceptance must lie above its cost ratio c.")
    return Finding(name, "fits", words)


def _attention(target: Outline, draft: Outline) -> Finding:
    name = "Attention"
    try:
        check_config(target.config.get_text_config(), "The target")
        check_config(draft.config.get_text_config(), "The draft")
    except ModelError as error:
        return Finding(name, "fails", str(error))
    heads = "; ".join(
        f"{who}: {side.facts.heads} heads share {side.facts.size.kv_heads} KV heads"
        if side.facts.heads != side.facts.size.kv_heads
        else f"{who}: {side.facts.heads} heads, each with keys and values of its own"
        for who, side in (("target", target), ("draft", draft))
    )
    return Finding(name, "fits", f"Every layer sees the whole text, so both caches can be rolled back ({heads}).")


def _refusal(target: Outline, draft: Outline) -> str | None:
    """Why this lab would not load the pair, in its loader's own words."""
    try:
        check_config(target.config, "The target")
        if draft.tokenizer is not None and target.tokenizer is not None:
            check_tokenizers(target.tokenizer, draft.tokenizer)
            check_config(draft.config, "The draft")
    except ModelError as error:
        return str(error)
    return None
