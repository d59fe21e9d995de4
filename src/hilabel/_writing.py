"""Files appear under their name complete, or not at all."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path

__all__ = ["written_aside"]


@contextmanager
def written_aside(path: str | PathLike[str]) -> Iterator[Path]:
    """Yield a path to write to; its file takes the place of ``path`` at the end.

    If the block is left by an error or an interruption, nothing remains, and a file
    that was there before is untouched. Folders above ``path`` must exist.
    """
    path = Path(path)
    if not path.parent.is_dir():
        raise FileNotFoundError(
            f"{path}: the folder {path.parent} does not exist; make it first."
        )
    if path.is_dir():
        raise IsADirectoryError(f"{path}: expected a file name, got a folder.")
    # Beside the target, since a rename is only atomic within a file system.
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".unfinished-") as aside:
        unfinished = Path(aside) / path.name
        yield unfinished
        unfinished.replace(path)
