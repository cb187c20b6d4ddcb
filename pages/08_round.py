"""Chapter 8."""

from ui.chapter import Chapter

Chapter(8).show(lambda chapter: None)
