"""The memory that this process may still use."""

import os
from pathlib import Path
from typing import Final, NamedTuple

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
    left = []
    for entry in entries:
        number, _, rest = entry.partition(":")
        controllers, _, path = rest.partition(":")
        if number == "0" and not controllers:
            left += _left_above(groups, path, _SECOND_VERSION)
        elif "memory" in controllers.split(","):
            left += _left_above(groups / "memory", path, _FIRST_VERSION)
    return left


class _Names(NamedTuple):
    """The files of a group in a version of the kernel's interface."""

    limit: str
    used: str
    cached: str  # a line of memory.stat


_FIRST_VERSION: Final = _Names(
    "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
)
_SECOND_VERSION: Final = _Names("memory.max", "memory.current", "inactive_file")


def _left_above(root: Path, path: str, names: _Names) -> list[int]:
    folder, left = root / path.lstrip("/"), []
    while folder.is_relative_to(root):
        left += _left_in(folder, names)
        folder = folder.parent
    return left


def _left_in(folder: Path, names: _Names) -> list[int]:
    try:
        limit = (folder / names.limit).read_text().strip()
        used = int((folder / names.used).read_text())
        cached = _cached(folder, names)
    except (OSError, ValueError):
        return []
    return [] if limit == "max" else [max(int(limit) - used + cached, 0)]


def _cached(folder: Path, names: _Names) -> int:
    for line in (folder / "memory.stat").read_text().splitlines():
        if line.startswith(f"{names.cached} "):
            return int(line.split()[1])
    return 0
