"""A button that copies the page's address, controls and all."""

from ui.components.copy_link.copy_link import copy_link

__all__ = ["copy_link"]
