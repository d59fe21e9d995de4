"""A limit on memory, which files of a few kilobytes have no reason to reach."""

import contextlib
import resource
from pathlib import Path

# Beyond what the process holds when it begins.
MOST_MEMORY = 2**30


@contextlib.contextmanager
def limited_memory():
    """Within this block, refuse much more memory than there is in use."""
    in_use = Path("/proc/self/statm")
    if not in_use.exists():  # not on Linux
        yield
        return
    held = int(in_use.read_text().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (held + MOST_MEMORY, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
