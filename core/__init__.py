"""The engine of Speculative Lab. It knows nothing of pages: use it from a notebook as well."""

from core.settings import configure_threads

# Thread settings only count if they are made before torch is imported, which every module below does.
configure_threads()
