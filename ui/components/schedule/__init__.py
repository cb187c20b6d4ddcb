"""Runs on one axis: a token stands where it reaches the reader, above the calls that it waited for."""

from ui.components.schedule.schedule import schedule

__all__ = ["schedule"]
