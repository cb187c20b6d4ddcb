"""The one error a model can cause on screen."""


class ModelError(RuntimeError):
    """A pair that cannot be loaded or used; its message is one plain sentence and what to do about it."""
