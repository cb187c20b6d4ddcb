"""Lab: exactness."""

from ui import navigation
from ui.page import heading

navigation.enter("lab_exactness.py")
heading("Exactness", "Lab")
