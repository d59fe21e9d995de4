"""The environment of a run: the package versions and the commit."""

import platform
import subprocess
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Final

from hilabel import __version__

_PACKAGES: Final = ("numpy", "scipy", "scikit-learn", "joblib")


@cache
def versions() -> dict[str, str]:
    """Return the versions of all packages used, and the commit of hilabel."""
    found = {name.replace("-", "_"): version(name) for name in _PACKAGES}
    return {
        "hilabel": __version__,
        "commit": _commit(),
        "python": platform.python_version(),
        **found,
    }


def _commit() -> str:
    """Return the commit of the source tree, marked if modified, or "" if unknown."""
    folder = Path(__file__).parent
    hash_ = _git(folder, "rev-parse", "HEAD")
    # Ignored folders and folders inside another project do not count.
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
