"""Files that are there whole or not at all, and claims that die with their owner."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = ["claim", "leftovers_of", "write_atomically"]


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file so that whoever looks finds the old one or the whole new one.

    The content goes to a file beside, reaches the disk, and only then takes the name.
    If anything fails, such as a full disk, the old file is as it was.
    """
    # Drawn, since processes in two containers may have the same number.
    aside = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
    try:
        with aside.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        aside.replace(path)
    except BaseException:
        with suppress(OSError):
            aside.unlink()
        raise
    _sync_folder(path.parent)


def leftovers_of(path: Path) -> list[Path]:
    """Return what processes left that were killed while they wrote this file."""
    return sorted(path.parent.glob(f".{path.name}.*.tmp"))


@contextmanager
def claim(path: Path, *, wait: bool = False) -> Iterator[bool]:
    """Hold a lock file, or yield False if another process holds it.

    The lock belongs to the open file, so the system itself takes it back when its
    owner ends, however that happens: no claim is ever stale. The empty file stays,
    because removing it could take away the claim of one who has just opened it.

    Parameters
    ----------
    path : Path
    wait : bool, default=False
        Wait for the other process instead.
    """
    try:
        import fcntl
    except ImportError:
        raise OSError(
            "Studies need the file locks of Linux or macOS, which are not here; on "
            "Windows, use its subsystem for Linux."
        ) from None
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            is_mine = True
        except BlockingIOError:
            is_mine = False
        yield is_mine
    finally:
        os.close(handle)


def _sync_folder(folder: Path) -> None:
    """Make sure that a new name in the folder survives a loss of power."""
    if os.name == "nt":  # folders cannot be opened there
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
