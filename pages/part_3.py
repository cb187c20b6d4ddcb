"""Part III: its picture of a round opened up, and its chapters."""

from ui.diagrams.round import round_picture
from ui.part import show_part

show_part("III", round_picture)
