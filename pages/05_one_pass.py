"""Chapter 5."""

from ui.chapter import Chapter

Chapter(5).show(lambda chapter: None)
