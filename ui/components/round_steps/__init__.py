"""A round gone through from left to right."""

from ui.components.round_steps.round_steps import round_steps

__all__ = ["round_steps"]
