"""Under which conditions a number came about: versions, commit, memory."""

import platform
import subprocess
import sys
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Final

from hilabel import __version__

_PACKAGES: Final = ("numpy", "scipy", "scikit-learn", "joblib")
_STATUS = Path("/proc/self/status")
_CLEAR_REFS = Path("/proc/self/clear_refs")
# Written there, it sets the peak back to what is in use now; see proc(5).
_RESET_PEAK = "5"


@cache
def versions() -> dict[str, str]:
    """Return the versions of all that computes, and the commit of hilabel."""
    found = {name.replace("-", "_"): version(name) for name in _PACKAGES}
    return {
        "hilabel": __version__,
        "commit": _commit(),
        "python": platform.python_version(),
        **found,
    }


def reset_peak_memory() -> None:
    """Forget the peak so far, where the system can."""
    try:
        _CLEAR_REFS.write_text(_RESET_PEAK)
    except OSError:
        return


def peak_memory() -> int | None:
    """Return the most bytes of memory that this process had since the reset.

    None on Windows, which does not tell.
    """
    try:
        lines = _STATUS.read_text().splitlines()
    except OSError:
        lines = []
    for line in lines:
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    try:
        import resource
    except ImportError:
        return None
    usage = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(usage) * (1 if sys.platform == "darwin" else 1024)


def _commit() -> str:
    """Return the commit of the source tree, marked if it was changed, or nothing."""
    folder = Path(__file__).parent
    hash_ = _git(folder, "rev-parse", "HEAD")
    # A folder that is ignored or inside another project says nothing about hilabel.
    if not hash_ or not _git(folder, "ls-files", "--", Path(__file__).name):
        return ""
    changed = _git(folder, "status", "--porcelain", "--", str(folder.parent))
    return f"{hash_}-changed" if changed else hash_


def _git(folder: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError:  # no git here
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
