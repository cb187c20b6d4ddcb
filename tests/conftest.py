"""Fixtures shared by all tests: the real pair is loaded once."""

from __future__ import annotations

import os

# One compute thread, here and in the servers that tests start: two that wait for each other stall a hundredfold
# when a browser keeps the cores busy. It must be said, and `core` imported, before anything imports torch.
os.environ.setdefault("SPECLAB_THREADS", "1")

import core  # noqa: F401, I001

from collections.abc import Iterator
from functools import cache

import pytest
from hypothesis import settings
from streamlit.components.v2 import manifest_scanner
from transformers import AutoModelForCausalLM, PreTrainedModel

from core.models import ModelPair, load_pair
from core.models.gguf import converted_target
from core.models.presets import find_preset
from core.settings import read_settings


# How long an example takes says more about who else uses the machine than about the example.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")


@pytest.fixture(scope="session", autouse=True)
def packages_are_read_once() -> Iterator[None]:
    """Each AppTest reads what all installed packages say of themselves, in search of components: half a second."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", cache(manifest_scanner.scan_component_manifests))
        yield


@pytest.fixture(scope="session")
def pair() -> ModelPair:
    """The bundled pair in float32, the dtype in which texts are compared with Transformers' own."""
    return load_pair("bundled", dtype="float32", device="cpu")


@pytest.fixture(scope="session")
def reference(pair: ModelPair) -> PreTrainedModel:
    """The same target as Transformers loads it: its own attention, plain linear layers."""
    preset = find_preset("bundled")
    folder = converted_target(preset.package, preset.file, read_settings().cache, lambda fraction, words: None)
    return AutoModelForCausalLM.from_pretrained(folder, dtype=pair.dtype).eval()
