"""The draft that ships: two Llama layers, the target's embeddings, a head over the frequent tokens.

Such a draft is small because of what it leaves out. Its input embeddings are the
target's own tensor (taken at load, never stored), and its output head has a row only
for the few thousand tokens that the target writes most. A token without a row gets
probability zero from the draft. Draft-and-verify stays exact with that: the target
then writes the token itself, as the correction.

    draft = load_draft(Path("models/smollm2-draft"), target, torch.bfloat16)
    hidden = draft.model(ids).last_hidden_state      # [batch, length, width]
    draft.kept_logits(hidden)                        # [batch, length, V], column j is token kept_ids[j]
    target.generate(ids, assistant_model=draft)      # the full vocabulary, as Transformers expects it
"""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any, TypeVar

import torch
from safetensors.torch import load_file, save_file
from torch import nn
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedModel
from transformers.cache_utils import Cache
from transformers.initialization import no_init_weights
from transformers.modeling_outputs import BaseModelOutputWithPast, CausalLMOutputWithPast

from core.models.lean import is_plain, last_hidden

OUTSIDE = -1e4  # logit of a token without a row: exp(-1e4) is exactly 0, and no -inf can turn into NaN
EMBEDDING = "model.embed_tokens.weight"
WEIGHTS, CONFIG = "model.safetensors", "config.json"


class SharedEmbedding(nn.Embedding):
    """Another model's embedding rows, frozen and not copied; what it returns has the draft's own dtype."""

    def __init__(self, weight: torch.Tensor, padding_idx: int | None, dtype: torch.dtype) -> None:
        rows, width = weight.shape
        super().__init__(rows, width, padding_idx=padding_idx, _weight=weight.detach(), _freeze=True)
        self.out_dtype = dtype

    def forward(self, input: torch.Tensor) -> torch.Tensor:  # noqa: A002 (the name in nn.Embedding)
        return super().forward(input).to(self.out_dtype)


class DraftForCausalLM(LlamaForCausalLM):
    """A Llama whose output head covers only `config.draft_rows` of the `config.vocab_size` tokens.

    `kept_ids` (int64 [V], ascending) says which token each row of the head stands for.
    The embedding is a placeholder until `share_embedding` is called; `load_draft` and
    `draft_from_target` do so.
    """

    _tied_weights_keys: dict[str, str] = {}
    kept_ids: torch.Tensor

    def __init__(self, config: LlamaConfig) -> None:
        # Built as if the vocabulary were the kept rows: the head then has its right size, and no
        # 49,152-row matrix is allocated only to be thrown away.
        full_size = config.vocab_size
        config = copy.deepcopy(config)
        config.vocab_size = config.draft_rows
        config.pad_token_id = None  # may lie outside the kept rows; the shared embedding needs none
        super().__init__(config)
        config.vocab_size = self.vocab_size = self.model.vocab_size = full_size
        self.register_buffer("kept_ids", torch.arange(config.draft_rows))

    def share_embedding(self, target: PreTrainedModel) -> None:
        """Use the target's input embeddings from now on: the same storage, frozen.

        Raises ValueError when the target has another width or vocabulary than this draft.
        """
        weight = target.get_input_embeddings().weight
        wanted = (self.config.vocab_size, self.config.hidden_size)
        if tuple(weight.shape) != wanted:
            raise ValueError(
                f"This draft was made for a target with embeddings of {wanted[0]} × {wanted[1]}; "
                f"this target has {weight.shape[0]} × {weight.shape[1]}."
            )
        self.model.embed_tokens = SharedEmbedding(weight, None, self.lm_head.weight.dtype)

    def kept_logits(self, hidden: torch.Tensor) -> torch.Tensor:
        """Logits [.., V] of the kept tokens only, in the order of `kept_ids`, from final hidden states [.., width]."""
        return self.lm_head(hidden)

    def full_logits(self, hidden: torch.Tensor) -> torch.Tensor:
        """Logits [.., vocab_size], `OUTSIDE` for tokens without a row."""
        kept = self.kept_logits(hidden)
        logits = kept.new_full((*kept.shape[:-1], self.config.vocab_size), OUTSIDE)
        return logits.scatter_(-1, self.kept_ids.expand_as(kept), kept)

    def forward(
        self,
        input_ids: torch.LongTensor | None = None,
        attention_mask: torch.Tensor | None = None,
        position_ids: torch.LongTensor | None = None,
        cache: Cache | None = None,
        inputs_embeds: torch.Tensor | None = None,
        use_cache: bool | None = None,
        logits_to_keep: int | torch.Tensor = 0,
        past_key_values: Cache | None = None,
        **kwargs: Any,
    ) -> CausalLMOutputWithPast:
        """As `LlamaForCausalLM.forward`, without labels: logits are [batch, kept positions, vocab_size].

        `past_key_values` is the older name of `cache`; either works.
        """
        cache = cache if cache is not None else past_key_values
        if input_ids is not None and is_plain(cache, attention_mask) and not kwargs.get("output_hidden_states"):
            read = last_hidden(self.model, self.model.embed_tokens(input_ids), cache, attention_mask, position_ids)
            outputs = BaseModelOutputWithPast(last_hidden_state=read, cache=cache)
        else:
            outputs = self.model(
                input_ids=input_ids,
                attention_mask=attention_mask,
                position_ids=position_ids,
                cache=cache,
                inputs_embeds=inputs_embeds,
                use_cache=use_cache,
                **kwargs,
            )
        hidden = outputs.last_hidden_state
        if isinstance(logits_to_keep, torch.Tensor):
            hidden = hidden[:, logits_to_keep]
        elif logits_to_keep:
            hidden = hidden[:, -logits_to_keep:]
        return CausalLMOutputWithPast(
            logits=self.full_logits(hidden),
            cache=outputs.cache,
            hidden_states=outputs.hidden_states,
            attentions=outputs.attentions,
        )


D = TypeVar("D", bound=DraftForCausalLM)


def _cast(draft: D, dtype: torch.dtype) -> D:
    """Give the weights `dtype`. Not `draft.to(dtype)`: that would round the rotary frequencies to bfloat16 as well."""
    for weight in draft.parameters():
        weight.data = weight.data.to(dtype)
    return draft


def draft_from_target(target: PreTrainedModel, layers: tuple[int, ...], kept_ids: torch.Tensor) -> DraftForCausalLM:
    """An untrained draft: the target's layers `layers`, its final norm, and its output rows for `kept_ids` [V].

    It has the target's dtype, and shares the target's embeddings.
    """
    return made_from_target(DraftForCausalLM, target, layers, kept_ids)


def made_from_target(make: type[D], target: PreTrainedModel, layers: tuple[int, ...], kept_ids: torch.Tensor) -> D:
    """As `draft_from_target`, of another class; what that has beyond a draft's weights starts at random."""
    config = copy.deepcopy(target.config)
    config.num_hidden_layers, config.tie_word_embeddings = len(layers), False
    config.draft_rows, config.draft_source_layers = len(kept_ids), list(layers)
    config.architectures = [make.__name__]
    draft = _cast(make(config), target.dtype)
    for own, index in zip(draft.model.layers, layers, strict=True):
        own.load_state_dict(target.model.layers[index].state_dict())
    draft.model.norm.load_state_dict(target.model.norm.state_dict())
    draft.kept_ids.copy_(kept_ids.sort().values)
    draft.lm_head.weight.data.copy_(target.get_output_embeddings().weight.data[draft.kept_ids])
    draft.share_embedding(target)
    return draft


def save_draft(model: DraftForCausalLM, folder: Path) -> None:
    """Write config.json and model.safetensors (float16, without the embeddings) into `folder`.

    Each file is written under a temporary name and renamed: a reader never finds half of one.
    """
    folder.mkdir(parents=True, exist_ok=True)
    tensors = {
        name: (t.to(torch.float16) if t.is_floating_point() else t).detach().cpu().contiguous()
        for name, t in model.state_dict().items()
        if name != EMBEDDING
    }
    config = model.config.to_dict() | {"dtype": "float16", "architectures": [type(model).__name__]}
    for name in ("_name_or_path", "_model_name_or_path"):  # where the target was found: no business of the draft's
        config.pop(name, None)
    part = folder / f"{WEIGHTS}.part"
    save_file(tensors, part, metadata={"format": "pt"})
    part.rename(folder / WEIGHTS)
    part = folder / f"{CONFIG}.part"
    part.write_text(json.dumps(config, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    part.rename(folder / CONFIG)


def load_draft(folder: Path, target: PreTrainedModel, dtype: torch.dtype) -> DraftForCausalLM:
    """The draft saved in `folder`, on the target's device, with the target's embeddings shared.

    Raises FileNotFoundError when a file is missing, ValueError when the files do not fit
    each other or the target, and safetensors' own error when the weights file is damaged.
    """
    return loaded(DraftForCausalLM, folder, target, dtype)


def loaded(make: type[D], folder: Path, target: PreTrainedModel, dtype: torch.dtype) -> D:
    """As `load_draft`, of the class that was saved."""
    for name in (CONFIG, WEIGHTS):
        if not (folder / name).is_file():
            raise FileNotFoundError(f"No draft in {folder}: {name} is missing.")
    config = LlamaConfig.from_dict(json.loads((folder / CONFIG).read_text(encoding="utf-8")))
    if not getattr(config, "draft_rows", None):
        raise ValueError(f"{folder / CONFIG} does not describe a draft: it has no draft_rows.")
    with no_init_weights():
        draft = make(config)
    try:
        missing, unexpected = draft.load_state_dict(load_file(folder / WEIGHTS), strict=False)
    except RuntimeError as error:
        raise ValueError(f"The weights in {folder} do not fit its {CONFIG}: {error}") from error
    if unexpected or set(missing) - {EMBEDDING}:
        raise ValueError(f"The weights in {folder} do not fit its {CONFIG}: {sorted({*missing, *unexpected})}")
    _cast(draft, dtype).share_embedding(target)
    return draft.to(target.device).eval()
