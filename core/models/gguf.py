"""The target that comes inside a Python package: de-quantised once, then kept as safetensors.

It is kept in float16. Its weights had about four bits each, so nothing that matters is rounded away, and what is
rounded is rounded here, once: in whatever format it is loaded afterwards, it is this model.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedModel

from core.models.errors import ModelError

Progress = Callable[[float, str], None]
WEIGHTS = "model.safetensors"
MANIFEST = "converted.json"


def converted_target(package: str, file: str, cache: Path, progress: Progress) -> Path:
    """The folder of the converted target, made now if it is not there yet.

    It is written under a temporary name, read back and compared, and only then renamed: a run that is
    interrupted leaves nothing that a later one could take for a whole model.

    Raises:
        ModelError: when the package is missing, or the folder can't be written.
    """
    folder = converted_folder(package, file, cache)
    try:
        source = _package_file(package, file)
    except FileNotFoundError as error:
        raise _not_installed(package) from error
    if is_whole(folder):
        return folder
    progress(0.05, "Converting the target: once, about half a minute")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".part-", dir=folder.parent) as part:
            _convert(source, Path(part))
            shutil.rmtree(folder, ignore_errors=True)
            os.rename(part, folder)
            Path(part).mkdir()  # so that leaving the block finds a folder to remove
    except (OSError, SafetensorError) as error:
        # A full disk comes as either: the writer of weights has an error of its own.
        raise ModelError(
            f"The converted target can't be written to {folder.parent} ({getattr(error, 'strerror', None) or error}): "
            "free about 600 MB there, or set SPECLAB_CACHE to another folder."
        ) from error
    return folder


def converted_folder(package: str, file: str, cache: Path) -> Path:
    """Where the converted target is, or will be.

    Raises:
        ModelError: when the package is missing.
    """
    try:
        version = importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError as error:
        raise _not_installed(package) from error
    return cache / "targets" / f"{Path(file).stem}-{version}-float16"


def _not_installed(package: str) -> ModelError:
    return ModelError(
        f"The target is not installed: run `make run`, or `pip install --no-deps {package}`, and start again."
    )


def is_whole(folder: Path) -> bool:
    """Whether `folder` holds a conversion that was finished and has kept its size since."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        return (folder / WEIGHTS).stat().st_size == manifest["bytes"]
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _package_file(package: str, file: str) -> Path:
    spec = importlib.util.find_spec(package.replace("-", "_"))
    # Looked up, not imported: the package's own code wants dependencies that are not needed here.
    for location in (spec.submodule_search_locations or []) if spec else []:
        if (path := Path(location) / file).is_file():
            return path
    raise FileNotFoundError(file)


def _convert(source: Path, folder: Path) -> None:
    model = AutoModelForCausalLM.from_pretrained(source.parent, gguf_file=source.name, dtype=torch.float32)
    tokenizer = AutoTokenizer.from_pretrained(source.parent, gguf_file=source.name)
    # Read from GGUF, the model is marked as quantised and refuses to be saved; its weights are plain by now.
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    tied = {"lm_head.weight"} if model.config.tie_word_embeddings else set()
    model.config.dtype = torch.float16
    tensors = {name: t.half().contiguous() for name, t in model.state_dict().items() if name not in tied}
    save_file(tensors, folder / WEIGHTS, metadata={"format": "pt"})
    model.config.save_pretrained(folder)
    model.generation_config.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    _verify(model, tensors, folder)
    (folder / MANIFEST).write_text(json.dumps({"bytes": (folder / WEIGHTS).stat().st_size}), encoding="utf-8")


def _verify(model: PreTrainedModel, tensors: dict[str, torch.Tensor], folder: Path) -> None:
    try:
        with safe_open(folder / WEIGHTS, framework="pt") as file:
            same = set(file.keys()) == set(tensors) and all(
                torch.equal(file.get_tensor(name), t) for name, t in tensors.items()
            )
    except SafetensorError:
        same = False
    if not same:
        raise ModelError("The converted target reads back differently from what was written: try once more.")
