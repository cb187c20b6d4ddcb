"""Chapter 7."""

from ui.chapter import Chapter

Chapter(7).show(lambda chapter: None)
