"""Models: presets, loading, and the pair that everything else is given."""

from core.models.errors import ModelError
from core.models.loading import load_pair
from core.models.pair import Costs, Identity, ModelPair
from core.models.presets import Preset, presets
from core.models.reader import Reader

__all__ = ["Costs", "Identity", "ModelError", "ModelPair", "Preset", "Reader", "load_pair", "presets"]
