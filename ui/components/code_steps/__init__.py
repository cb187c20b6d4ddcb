"""Code that ran, stepped through with the values it had in hand."""

from ui.components.code_steps.code_steps import code_steps

__all__ = ["code_steps"]
