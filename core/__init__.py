"""The engine of Speculative Lab. It knows nothing of pages: use it from a notebook as well."""

import os
import sys

from core.settings import configure_threads

# Thread settings only count in full if they are made before torch is imported, which every module below does.
configure_threads()
if torch := sys.modules.get("torch"):
    # Whoever imported torch first has started its threads by other rules: their number can still be set.
    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
