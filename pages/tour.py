"""The tour: every step of the lecture, one a screen."""

from ui import navigation, tour, tour_screen

navigation.enter(tour.PAGE)
tour_screen.play()
