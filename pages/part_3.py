"""Part III: what it answers and its chapters."""

from ui.part import show_part

show_part("III")
