"""The number by which a browser knows itself."""

from ui.components.device.device import device

__all__ = ["device"]
