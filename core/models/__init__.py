"""Models: presets, loading, and the pair that everything else is given."""

from importlib import import_module
from typing import TYPE_CHECKING

from core.models.errors import ModelError
from core.models.presets import Preset, presets

if TYPE_CHECKING:
    from core.models.loading import load_pair
    from core.models.pair import Costs, Identity, ModelPair
    from core.models.reader import Reader

__all__ = ["Costs", "Identity", "ModelError", "ModelPair", "Preset", "Reader", "load_pair", "presets"]

_WITH_TORCH = {
    "load_pair": "core.models.loading",
    **dict.fromkeys(("Costs", "Identity", "ModelPair"), "core.models.pair"),
    "Reader": "core.models.reader",
}


def __getattr__(name: str) -> object:
    """What needs torch is imported when it is first asked for: a page that only reads traces must not wait for it."""
    if name not in _WITH_TORCH:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_WITH_TORCH[name]), name)
