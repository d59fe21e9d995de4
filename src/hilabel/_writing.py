"""Files appear under their name complete, or not at all."""

import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path

__all__ = ["check_target", "written_aside"]


def check_target(path: str | PathLike[str], suffixes: Collection[str] = ()) -> None:
    """Refuse a file name that cannot be written, before any work is done."""
    path = Path(path)
    if suffixes and path.suffix.lower() not in suffixes:
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

    If the block is left by an error or an interruption, nothing remains, and a file
    that was there before is untouched. Folders above ``path`` must exist.
    """
    path = Path(path)
    check_target(path)
    # Beside the target, since a rename is only atomic within a file system.
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".unfinished-") as aside:
        unfinished = Path(aside) / path.name
        yield unfinished
        unfinished.replace(path)
