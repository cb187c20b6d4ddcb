"""Chapter 10."""

from ui.chapter import Chapter

Chapter(10).show(lambda chapter: None)
