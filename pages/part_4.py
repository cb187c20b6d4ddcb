"""Part IV: its picture of the land above the sea, and its chapters."""

from ui.diagrams.shore import shore_picture
from ui.part import show_part

show_part("IV", shore_picture)
