"""Chapter 6."""

from ui.chapter import Chapter

Chapter(6).show(lambda chapter: None)
