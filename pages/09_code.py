"""Chapter 9."""

from ui.chapter import Chapter

Chapter(9).show(lambda chapter: None)
