"""Measure the peak memory since a reset, as reported by the operating system."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

_PROCESSES = Path("/proc")
# Writing this to clear_refs resets the peak to the current usage; see proc(5).
_RESET_PEAK = "5"


def reset_peak_memory(*, workers: bool = False) -> None:
    """Reset the recorded peak memory, including that of ``workers``, if possible."""
    for process in _processes(workers):
        try:
            (process / "clear_refs").write_text(_RESET_PEAK)
        except OSError:
            continue


def peak_memory(*, workers: bool = False) -> int | None:
    """Return the peak memory of this process since the reset, in bytes.

    With ``workers``, the peaks of its child processes are added. The result is None on
    Windows, which does not report the peak.
    """
    peaks = [_peak_of(process) for process in _processes(workers)]
    if peaks[0] is not None:
        return sum(filter(None, peaks))
    try:
        import resource
    except ImportError:
        return None
    usage = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(usage) * (1 if sys.platform == "darwin" else 1024)


def _peak_of(process: Path) -> int | None:
    try:
        lines = (process / "status").read_text().splitlines()
    except OSError:
        return None
    for line in lines:
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return None


def _processes(workers: bool) -> Iterator[Path]:
    """Yield the /proc folder of this process, then those of its descendants."""
    waiting = [_PROCESSES / str(os.getpid())]
    while waiting:
        process = waiting.pop()
        yield process
        if not workers:
            return
        for thread in _listed(process / "task"):
            waiting += [_PROCESSES / child for child in _words(thread / "children")]


def _listed(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:  # the process has ended
        return []


def _words(path: Path) -> list[str]:
    try:
        return path.read_text().split()
    except OSError:
        return []
