"""The tour's keys and the bar at the foot of its screen."""

from ui.components.keys.keys import keys

__all__ = ["keys"]
