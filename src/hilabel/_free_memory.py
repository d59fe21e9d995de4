"""The memory that this process may still use."""

import os
from pathlib import Path
from typing import Final

_MEMINFO: Final = Path("/proc/meminfo")
_OWN_GROUP: Final = Path("/proc/self/cgroup")
_GROUPS: Final = Path("/sys/fs/cgroup")
# Assumed where the system reports nothing.
_UNKNOWN: Final = 4 * 2**30


def available_memory(
    meminfo: Path = _MEMINFO, own_group: Path = _OWN_GROUP, groups: Path = _GROUPS
) -> int:
    """Return the bytes that can be allocated without swapping or being killed.

    This is the free memory of the machine, or what is left of the limit of a control
    group, as set by containers, whichever is less. Files that are cached for the group
    do not count as used.
    """
    free = _free_of_machine(meminfo)
    return min([free, *_left_in_groups(own_group, groups)])


def _free_of_machine(meminfo: Path) -> int:
    try:
        lines = meminfo.read_text().splitlines()
        found = next(line for line in lines if line.startswith("MemAvailable:"))
        return int(found.split()[1]) * 1024
    except (OSError, StopIteration):
        pass
    try:  # macOS: half of all memory, since the free part is not reported
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (AttributeError, OSError, ValueError):
        return _UNKNOWN


def _left_in_groups(own_group: Path, groups: Path) -> list[int]:
    """Return what is left in the process's control group and in those above it."""
    try:
        entries = own_group.read_text().splitlines()
    except OSError:
        return []
    paths = [entry.removeprefix("0::/") for entry in entries if entry.startswith("0::")]
    left = []
    for path in paths:
        folder = groups / path
        while folder.is_relative_to(groups):
            left += _left_in(folder)
            folder = folder.parent
    return left


def _left_in(folder: Path) -> list[int]:
    try:
        limit = (folder / "memory.max").read_text().strip()
        used = int((folder / "memory.current").read_text())
        cached = _cached(folder)
    except (OSError, ValueError):
        return []
    return [] if limit == "max" else [max(int(limit) - used + cached, 0)]


def _cached(folder: Path) -> int:
    for line in (folder / "memory.stat").read_text().splitlines():
        if line.startswith("inactive_file "):
            return int(line.split()[1])
    return 0
