"""What a model's files say of it without its weights: where they lie, its configuration, its tokenizer.

Nothing is fetched: a model that is not on this machine is said to be missing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import torch
from huggingface_hub import try_to_load_from_cache
from safetensors import SafetensorError
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer, PreTrainedConfig, PreTrainedTokenizerBase

from core.models.checks import context_length, parameters_on_disk
from core.models.errors import ModelError
from core.models.gguf import converted_folder, is_whole
from core.models.presets import SEPARATOR, Preset, find_preset, resolve
from core.theory.memory import ModelSize, model_size

T = TypeVar("T")


@dataclass(frozen=True)
class ModelFacts:
    """One model by its files. `here` says whether its weights are there too; `vocabulary` is the rows of its output."""

    name: str
    kind: str
    size: ModelSize
    heads: int
    width: int
    vocabulary: int
    context: int
    here: bool


@dataclass(frozen=True)
class Outline:
    """A model's files, read as far as needed. Without a tokenizer it is a draft that reads with its target's."""

    facts: ModelFacts
    config: PreTrainedConfig
    tokenizer: PreTrainedTokenizerBase | None


def folders_preset(target: str, draft: str) -> Preset:
    """The pair of two local folders as somebody typed them.

    Raises:
        ModelError: when one of them is no folder.
    """
    named = [name.strip() for name in (target, draft)]
    if not all(named):
        raise ModelError("Name two folders, the target's and the draft's, each with a config.json and a tokenizer.")
    try:
        missing = [name for name in named if SEPARATOR in name or not Path(name).expanduser().is_dir()]
    except (OSError, RuntimeError, ValueError):
        missing = named
    if missing:
        raise ModelError(f"There is no folder {missing[0]} on this machine: check its name.")
    return find_preset(SEPARATOR.join(named))


def target_folder(preset: Preset, cache: Path) -> Path:
    if not preset.package:
        return folder_of(preset.target)
    folder = converted_folder(preset.package, preset.file, cache)
    if not is_whole(folder):
        raise ModelError(
            f"{preset.target_name or preset.file} is not converted yet: start the lab once with this pair."
        )
    return folder


def folder_of(reference: str) -> Path:
    """Where a model's files lie: a folder, or what was fetched from a hub before."""
    place = Path(resolve(reference))
    if place.is_dir():
        return place
    try:
        found = try_to_load_from_cache(reference, "config.json")
    except ValueError:
        found = None
    if not isinstance(found, str):
        raise ModelError(
            f"{short(reference)} is not on this machine, and this page fetches nothing: "
            "start the lab once with this pair where there is a network, or choose another one."
        )
    return Path(found).parent


def short(reference: str) -> str:
    return Path(reference).name


def outline(folder: Path, name: str) -> Outline:
    config = _read(name, "configuration", lambda: AutoConfig.from_pretrained(folder, **_LOCAL))
    text = config.get_text_config()
    on_disk = _read(name, "weights file", lambda: parameters_on_disk(folder))
    weights = on_disk or _read(name, "configuration", lambda: _weights_by_config(config))
    borrows = bool(getattr(config, "draft_rows", None))
    facts = _read(
        name,
        "configuration",
        lambda: ModelFacts(
            name=name,
            kind=str(config.model_type),
            size=model_size(text, weights),
            heads=text.num_attention_heads,
            width=text.hidden_size,
            vocabulary=text.vocab_size,
            context=context_length(text),
            here=bool(on_disk),
        ),
    )
    tokenizer = None if borrows else _read(name, "tokenizer", lambda: AutoTokenizer.from_pretrained(folder, **_LOCAL))
    return Outline(facts, config, tokenizer)


_LOCAL = {"local_files_only": True, "trust_remote_code": False}


def _read(name: str, what: str, load: Callable[[], T]) -> T:
    try:
        return load()
    except SafetensorError as error:
        raise ModelError(f"The weights of {name} are damaged or half downloaded: fetch them again.") from error
    except Exception as error:
        # The files are somebody's, and readers of broken ones raise whatever comes to hand.
        raise ModelError(f"The {what} of {name} is missing, or is none that this program can read.") from error


def _weights_by_config(config: PreTrainedConfig) -> int:
    """The number of weights that a configuration asks for: the model's shapes, without memory behind them."""
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config, trust_remote_code=False)
    return sum(weight.numel() for weight in model.parameters())
