"""From what a person typed to the token ids that both models read."""

from __future__ import annotations

from core.decoding.request import RequestError
from core.models import ModelPair

_SLOT = "\ue000"
"""A private-use character that stands for the message while the chat template is filled in."""


def prompt_tokens(pair: ModelPair, prompt: str, chat: bool) -> list[int]:
    """Token ids of a prompt, in the target's chat template where `chat` is set and there is one.

    The message is encoded apart from its frame, so that a typed `<|im_end|>` stays ordinary text.

    Raises:
        RequestError: when the prompt leaves no room in the context for an answer.
    """
    if chat and pair.tokenizer.chat_template:
        frame = pair.tokenizer.apply_chat_template(
            [{"role": "user", "content": _SLOT}], tokenize=False, add_generation_prompt=True
        )
        before, after = frame.split(_SLOT)
        ids = _encode(pair, before) + _encode(pair, prompt.strip(), typed=True) + _encode(pair, after)
    else:
        ids = pair.tokenizer(prompt, split_special_tokens=True)["input_ids"]
    if not ids:
        raise RequestError("The prompt is empty: type a few words first.")
    if len(ids) >= pair.context:
        raise RequestError(
            f"The prompt has {len(ids):,} tokens and this pair reads at most {pair.context:,}: shorten it."
        )
    return ids


def _encode(pair: ModelPair, text: str, typed: bool = False) -> list[int]:
    # The template writes its own special tokens: adding them again would double the first one.
    return pair.tokenizer(text, add_special_tokens=False, split_special_tokens=typed)["input_ids"]
