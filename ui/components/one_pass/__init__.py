"""One target pass as a picture: tokens in, a distribution out at each place."""

from ui.components.one_pass.one_pass import one_pass

__all__ = ["one_pass"]
