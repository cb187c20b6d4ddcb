"""From a preset's name to a pair that is ready to decode."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

import torch
from safetensors import SafetensorError
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoTokenizer,
    PreTrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)

from core.models import attention, machine
from core.models.checks import check_config, check_memory, check_tokenizers, context_length, parameters_on_disk
from core.models.draft_model import load_draft
from core.models.errors import ModelError
from core.models.gguf import Progress, converted_target
from core.models.head_model import HeadForCausalLM, load_head
from core.models.packing import pack_linears
from core.models.pair import ModelPair
from core.models.presets import Preset, find_preset, resolve
from core.settings import read_settings

T = TypeVar("T")
M = TypeVar("M", bound=PreTrainedModel)

DEFAULT_WIDTH = 7
"""Positions of a target pass in reduced precision: drafts of up to six tokens keep the text bit for bit."""


@dataclass(frozen=True)
class _Source:
    """Where the two models are, and what their configurations say."""

    preset: Preset
    target: str
    draft: str
    config: PreTrainedConfig
    tokenizer: PreTrainedTokenizerBase
    draft_config: PreTrainedConfig | None


def load_pair(
    preset: str = "bundled",
    dtype: torch.dtype | str | None = None,
    device: torch.device | str | None = None,
    progress: Progress | None = None,
) -> ModelPair:
    """Load a draft/target pair.

    Args:
        preset: a name in presets.toml, or two local folders as `TARGET::DRAFT`.
        dtype: `float32`, `bfloat16` or `float16`; None takes the setting, else measures which is fastest here.
        device: `cpu`, `cuda`, `cuda:1` …; None takes the setting, else CUDA where there is one.
        progress: called with a fraction from 0 to 1 and a few words as loading goes on.

    Raises:
        ModelError: one sentence on what is missing or does not fit, and what to do.
    """
    settings = read_settings()
    tell: Progress = progress or (lambda fraction, words: None)
    where = _device(device or settings.device)
    wanted = _dtype_name(dtype or settings.dtype)
    tell(0.02, "Looking for the models")
    source = _find(find_preset(preset), settings.cache, tell)
    _check(source, where, wanted)
    tell(0.3, "Measuring this machine" if wanted is None else "Loading the target")
    path, key = settings.cache / "machine.json", machine.machine_key(source.target, where, wanted, settings.width)
    known = machine.read_findings(path, key)
    chosen = known.dtype if known else wanted
    steady = True
    if chosen is None:
        chosen, costs, steady = _fastest(source, where, tell)
    else:
        costs = known.costs if known else machine.Costs({}, {})
    tell(0.7, "Loading the target")
    target = _load_target(source, chosen, where)
    width = _width(settings.width, chosen)
    if known is None:
        tell(0.8, "Checking that passes can be regrouped")
        times = machine.pass_times(target, (1, width or 1))
        padding_cost = times.median[width or 1] / times.median[1]
        known = machine.Findings(chosen, costs, padding_cost, machine.check_identity(target, width))
        if steady and times.steady:
            machine.write_findings(path, key, known)
    tell(0.9, "Loading the draft")
    draft = _load_draft(source, target)
    tell(1.0, "Ready")
    return ModelPair(
        preset=source.preset.name,
        target=target,
        draft=draft,
        tokenizer=source.tokenizer,
        target_name=source.preset.target_name or Path(source.target).name,
        draft_name=source.preset.draft_name or Path(source.draft).name,
        device=where,
        dtype=target.dtype,
        context=min(context_length(source.config), context_length(draft.config)),
        eos_ids=_eos_ids(target, source.tokenizer),
        width=width,
        padding_cost=known.padding_cost if width else 1.0,
        identity=known.identity,
        costs=known.costs,
        reason=_reason(where, chosen, wanted, known.costs),
        head=_load_head(source, target),
    )


def _device(name: torch.device | str | None) -> torch.device:
    device = torch.device(name) if name else torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if device.type == "cuda" and not torch.cuda.is_available():
        raise ModelError("There is no CUDA device here: leave the device setting out, or set it to cpu.")
    return device


def _dtype_name(dtype: torch.dtype | str | None) -> str | None:
    name = str(dtype).removeprefix("torch.") if dtype else None
    if name not in (None, "float32", "bfloat16", "float16"):
        raise ModelError(f"There is no dtype {name!r} here: choose float32, bfloat16 or float16.")
    return name


def _find(preset: Preset, cache: Path, tell: Progress) -> _Source:
    target = (
        str(converted_target(preset.package, preset.file, cache, tell)) if preset.package else resolve(preset.target)
    )
    draft = resolve(preset.draft)
    config = _read(target, lambda: AutoConfig.from_pretrained(target, trust_remote_code=False))
    tokenizer = _read(target, lambda: AutoTokenizer.from_pretrained(target, trust_remote_code=False))
    if not preset.package:
        draft_config = _read(draft, lambda: AutoConfig.from_pretrained(draft, trust_remote_code=False))
        theirs = _read(draft, lambda: AutoTokenizer.from_pretrained(draft, trust_remote_code=False))
        check_tokenizers(tokenizer, theirs)
        check_config(draft_config, draft)
    else:
        draft_config = None
    return _Source(preset, target, draft, config, tokenizer, draft_config)


def _check(source: _Source, device: torch.device, dtype: str | None) -> None:
    check_config(source.config, source.target)
    folders = [Path(p) for p in (source.target, source.draft) if Path(p).is_dir()]
    size = 4 if dtype in (None, "float32") else 2
    parameters = sum(_read(str(folder), partial(parameters_on_disk, folder)) for folder in folders)
    check_memory(parameters * size, device)


def _fastest(source: _Source, device: torch.device, tell: Progress) -> tuple[str, machine.Costs, bool]:
    """The dtype whose pass over five positions is quickest, all times, and whether they are steady.

    Five, since a round is one such pass; a dtype that is quick at one position only makes drafting pointless.
    """
    if device.type == "cuda":
        return "bfloat16" if torch.cuda.is_bf16_supported() else "float16", machine.Costs({}, {}), True
    one, five, steady = {}, {}, True
    for i, name in enumerate(("float32", "bfloat16")):
        tell(0.35 + 0.15 * i, f"Measuring passes in {name}")
        times = machine.pass_times(_load_target(source, name, device), (1, 5))
        one[name], five[name] = times.median[1], times.median[5]
        steady = steady and times.steady
    return min(five, key=lambda name: five[name]), machine.Costs(one, five), steady


def _load_target(source: _Source, dtype: str, device: torch.device) -> PreTrainedModel:
    return _load(source.target, dtype, device)


def _load_draft(source: _Source, target: PreTrainedModel) -> PreTrainedModel:
    dtype = str(target.dtype).removeprefix("torch.")
    if not source.preset.package:
        return _load(source.draft, dtype, target.device)
    draft = _read(source.draft, lambda: load_draft(Path(source.draft), target, target.dtype))
    draft.set_attn_implementation(attention.NAME)
    return _settle(draft, target.device)


def _load_head(source: _Source, target: PreTrainedModel) -> HeadForCausalLM | None:
    folder = Path(resolve(source.preset.head)) if source.preset.head else None
    if folder is None or not folder.is_dir():
        return None
    head = _read(str(folder), lambda: load_head(folder, target, target.dtype))
    head.set_attn_implementation(attention.NAME)
    return _settle(head, target.device)


def _load(reference: str, dtype: str, device: torch.device) -> PreTrainedModel:
    model = _read(
        reference,
        lambda: AutoModelForCausalLM.from_pretrained(
            reference,
            dtype=getattr(torch, dtype),
            attn_implementation=attention.NAME,
            use_safetensors=True,
            trust_remote_code=False,
        ),
    )
    return _settle(model.to(device), device)


def _settle(model: M, device: torch.device) -> M:
    model.eval().requires_grad_(False)
    if device.type == "cpu":
        pack_linears(model)
    return model


def _read(reference: str, load: Callable[[], T]) -> T:
    """Run a loader; whatever goes wrong becomes one sentence."""
    name = Path(reference).name
    try:
        return load()
    except ModelError:
        raise
    except FileNotFoundError as error:
        raise ModelError(
            f"{name} is not all there: a file is missing. Fetch it again, or choose another pair."
        ) from error
    except SafetensorError as error:
        raise ModelError(f"The weights of {name} are damaged or half downloaded: fetch them again.") from error
    except OSError as error:
        raise ModelError(
            f"{name} is not on this machine as safetensors, and can't be fetched: check the name and the network, "
            "or choose the bundled pair."
        ) from error
    except MemoryError as error:
        raise ModelError(
            f"There is not enough memory for {name}: close other programs, or choose a smaller pair."
        ) from error
    except (ValueError, KeyError, RuntimeError, ImportError) as error:
        if isinstance(error, torch.OutOfMemoryError):
            raise ModelError(
                f"The GPU has no room for {name}: choose a smaller pair, or set the device to cpu."
            ) from error
        raise ModelError(
            f"{name} can't be used here: its files don't describe a model that this program loads."
        ) from error


def _eos_ids(target: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> frozenset[int]:
    """All ends of sequence that the model or its tokenizer names; id 0 may be one of them, and there may be none."""
    named = target.generation_config.eos_token_id if target.generation_config else None
    listed = named if isinstance(named, list) else [named]
    return frozenset(i for i in (*listed, tokenizer.eos_token_id) if i is not None)


def _width(setting: int | None, dtype: str) -> int | None:
    """In float32 the grouping changes logits by rounding only, far below any choice; else passes are padded."""
    if setting is not None:
        return setting or None
    return None if dtype == "float32" else DEFAULT_WIDTH


def _reason(device: torch.device, chosen: str, wanted: str | None, costs: machine.Costs) -> str:
    if wanted:
        return f"{chosen} on {device}, as asked for."
    if device.type == "cuda":
        return f"{chosen} on {device}: the GPU's own 16-bit format."
    other = next(name for name in costs.one if name != chosen)
    return (
        f"{chosen} on the CPU, quickest here at checking: a pass over one and over five positions takes "
        f"{costs.one[chosen] * 1e3:.0f} and {costs.five[chosen] * 1e3:.0f} ms, "
        f"in {other} {costs.one[other] * 1e3:.0f} and {costs.five[other] * 1e3:.0f} ms."
    )
