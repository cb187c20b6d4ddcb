"""Chapter 11."""

from ui.chapter import Chapter

Chapter(11).show(lambda chapter: None)
