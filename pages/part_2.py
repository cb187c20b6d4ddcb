"""Part II: its picture in human terms and its chapters."""

from ui.diagrams.desk import desk_picture
from ui.part import show_part

show_part("II", desk_picture)
