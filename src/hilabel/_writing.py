"""Files appear under their name complete, or not at all."""

import os
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path

# Of a name that a folder's name repeats; names have a greatest length.
_KEPT_LETTERS = 40


def check_target(path: str | PathLike[str], suffixes: Collection[str] = ()) -> None:
    """Refuse a file name that cannot be written, before any work is done."""
    path = Path(path)
    if suffixes and not path.name.lower().endswith(tuple(suffixes)):
        raise ValueError(
            f"{path}: expected a file name that ends in {' or '.join(suffixes)}, got "
            f"{path.suffix or 'none'!r}."
        )
    if not path.parent.is_dir():
        raise FileNotFoundError(
            f"{path}: the folder {path.parent} does not exist; make it first."
        )
    if path.is_dir():
        raise IsADirectoryError(f"{path}: expected a file name, got a folder.")


@contextmanager
def written_aside(path: str | PathLike[str]) -> Iterator[Path]:
    """Yield a path to write to; its file takes the place of ``path`` at the end.

    Whoever looks finds the old file or the whole new one, even after a loss of power.
    If the block is left by an error or an interruption, nothing remains, and a file
    that was there before is untouched. Folders above ``path`` must exist.
    """
    path = Path(path)
    check_target(path)
    # Beside the target, since a rename is only atomic within a file system.
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=_prefix(path)) as aside:
        unfinished = Path(aside) / path.name
        yield unfinished
        with unfinished.open("rb+") as file:
            os.fsync(file.fileno())
        unfinished.replace(path)
    _sync_folder(path.parent)


def leftovers_of(path: Path) -> list[Path]:
    """Return the folders of processes that were killed while they wrote this file."""
    names = (entry.name for entry in os.scandir(path.parent))
    return [path.parent / name for name in names if name.startswith(_prefix(path))]


def _prefix(path: Path) -> str:
    return f".unfinished-{path.name[:_KEPT_LETTERS]}-"


def _sync_folder(folder: Path) -> None:
    """Make sure that a new name in the folder survives a loss of power."""
    if os.name == "nt":  # folders cannot be opened there
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
