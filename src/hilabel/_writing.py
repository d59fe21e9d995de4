"""Files appear under their name complete, or not at all."""

import os
import tempfile
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from os import PathLike
from pathlib import Path

# Files that are being read, and must not be written over meanwhile.
_inputs: ContextVar[tuple[Path, ...]] = ContextVar("inputs", default=())

# Of a name that a folder's name repeats; names have a greatest length.
_KEPT_LETTERS = 40
_UNFINISHED = ".unfinished-"


@contextmanager
def inputs_kept(inputs: Iterable[object]) -> Iterator[None]:
    """Within this block, refuse to write over these files, however they are named.

    What is no path, such as a model that is loaded already, is passed over.
    """
    paths = [Path(each) for each in inputs if isinstance(each, str | PathLike)]
    token = _inputs.set((*_inputs.get(), *paths))
    try:
        yield
    finally:
        _inputs.reset(token)


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
    _refuse_input(path)


def _refuse_input(path: Path) -> None:
    # A link, or another spelling, may lead to the same file.
    for read in _inputs.get():
        if path.exists() and read.exists() and path.samefile(read):
            raise FileExistsError(
                f"{path}: this file is also an input, and would be lost; write to "
                "another."
            )


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


@contextmanager
def folder_aside(folder: str | PathLike[str]) -> Iterator[Path]:
    """Yield a folder to write to; its files appear in ``folder`` together at the end.

    The folder, and those above it, are made if they are missing. If the block is left
    by an error or an interruption, nothing that was made remains, and files that were
    there before are untouched.
    """
    folder = Path(folder)
    is_new = not folder.exists()
    above = folder.parent if is_new else folder
    with (
        _made_for_good(above),
        tempfile.TemporaryDirectory(dir=above, prefix=_prefix(folder)) as aside,
    ):
        # One more folder, since the outer may be entered by its owner alone.
        unfinished = Path(aside) / "files"
        unfinished.mkdir()
        yield unfinished
        _sync_files(unfinished)
        if is_new:
            unfinished.rename(folder)
        else:
            _move_files(unfinished, folder)
    _sync_folder(above)


@contextmanager
def _made_for_good(folder: Path) -> Iterator[None]:
    """Make a folder and those above it; remove them again after an error."""
    made = [each for each in (folder, *folder.parents) if not each.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except BaseException:
        for each in made:
            with suppress(OSError):  # another process may have written there
                each.rmdir()
        raise


def _sync_files(folder: Path) -> None:
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("rb+") as file:
                os.fsync(file.fileno())


def _move_files(source: Path, target: Path) -> None:
    """Move files into a folder that exists; whatever is in the way is found first."""
    files = [path for path in sorted(source.rglob("*")) if path.is_file()]
    for path in files:
        place = target / path.relative_to(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        check_target(place)
    for path in files:
        path.replace(target / path.relative_to(source))


def is_leftover_of(found: Path, path: Path | None = None) -> bool:
    """Say whether this is where a process writes, or wrote, the file, or any file."""
    return found.name.startswith(_UNFINISHED if path is None else _prefix(path))


def _prefix(path: Path) -> str:
    return f"{_UNFINISHED}{path.name[:_KEPT_LETTERS]}-"


def _sync_folder(folder: Path) -> None:
    """Make sure that a new name in the folder survives a loss of power."""
    if os.name == "nt":  # folders cannot be opened there
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
