"""Atomic writing: a file is created completely or not at all."""

import os
import tempfile
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from os import PathLike
from pathlib import Path

# Files that are being read and must not be overwritten.
_inputs: ContextVar[tuple[Path, ...]] = ContextVar("inputs", default=())

# Number of letters of a name that the temporary folder repeats, since names are
# limited.
_KEPT_LETTERS = 40
_UNFINISHED = ".unfinished-"


@contextmanager
def inputs_kept(inputs: Iterable[object]) -> Iterator[None]:
    """Raise an error if the block overwrites an input, even through another path.

    Values that are not paths, such as a loaded model, are ignored.
    """
    paths = [Path(each) for each in inputs if isinstance(each, str | PathLike)]
    token = _inputs.set((*_inputs.get(), *paths))
    try:
        yield
    finally:
        _inputs.reset(token)


def check_target(path: str | PathLike[str], suffixes: Collection[str] = ()) -> None:
    """Raise an error if a file cannot be written, before any work is done."""
    path = Path(path)
    if suffixes and not path.name.lower().endswith(tuple(suffixes)):
        raise ValueError(
            f"{path}: expected a file name that ends in {' or '.join(suffixes)}, got "
            f"{path.suffix or 'none'!r}."
        )
    if not path.parent.is_dir():
        raise FileNotFoundError(
            f"{path}: the folder {path.parent} does not exist; create it first."
        )
    if path.is_dir():
        raise IsADirectoryError(f"{path}: expected a file name, got a folder.")
    _refuse_input(path)


def _refuse_input(path: Path) -> None:
    # A link or another spelling may lead to the same file.
    for read in _inputs.get():
        if path.exists() and read.exists() and path.samefile(read):
            raise FileExistsError(
                f"{path}: this file is also an input, and would be lost; write to "
                "another."
            )


@contextmanager
def written_aside(path: str | PathLike[str]) -> Iterator[Path]:
    """Yield a temporary path, whose file replaces ``path`` at the end of the block.

    Other processes read either the old file or the complete new one, even after a power
    failure. If the block ends with an error or an interruption, nothing is left behind,
    and an existing file remains untouched. The folder of ``path`` must exist.
    """
    path = Path(path)
    check_target(path)
    # Next to the target, since a rename is only atomic within a file system.
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=_prefix(path)) as aside:
        unfinished = Path(aside) / path.name
        yield unfinished
        with unfinished.open("rb+") as file:
            os.fsync(file.fileno())
        unfinished.replace(path)
    _sync_folder(path.parent)


@contextmanager
def folder_aside(folder: str | PathLike[str]) -> Iterator[Path]:
    """Yield a temporary folder, whose files are moved to ``folder`` at the end.

    Missing folders are created. If the block ends with an error or an interruption,
    everything that was created is removed, and existing files remain untouched.
    """
    folder = Path(folder)
    is_new = not folder.exists()
    above = folder.parent if is_new else folder
    with (
        _made_for_good(above),
        tempfile.TemporaryDirectory(dir=above, prefix=_prefix(folder)) as aside,
    ):
        # A nested folder, because only its owner may enter the outer one.
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
    """Create a folder and its parents, and remove them if the block fails."""
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
    """Move files into an existing folder, after checking that all can be written."""
    files = [path for path in sorted(source.rglob("*")) if path.is_file()]
    for path in files:
        place = target / path.relative_to(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        check_target(place)
    for path in files:
        path.replace(target / path.relative_to(source))


def is_leftover_of(found: Path, path: Path | None = None) -> bool:
    """Return whether ``found`` is a temporary path of ``path``, or of any file."""
    return found.name.startswith(_UNFINISHED if path is None else _prefix(path))


def _prefix(path: Path) -> str:
    return f"{_UNFINISHED}{path.name[:_KEPT_LETTERS]}-"


def _sync_folder(folder: Path) -> None:
    """Ensure that a new file name in the folder survives a power failure."""
    if os.name == "nt":  # folders cannot be opened there
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
