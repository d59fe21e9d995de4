"""Limit what a compressed file may unpack to.

Half a megabyte can unpack to ten gigabytes. A real table is rarely much smaller than
what it contains, so files that unpack to much more are refused, while they are
unpacked: the sizes that a file declares are not trusted.
"""

import io
import os
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Self

from hilabel._free_memory import available_memory
from hilabel._typing import FilePath
from hilabel.exceptions import DatasetFormatError

RATIO: Final = 200
"""By default, a file may unpack to this many times its size."""

SLACK: Final = 2**29
"""Any file may unpack to this many bytes, unless there is less memory."""

# What is read at once needs at least as much memory again as text or numbers.
_SHARE_OF_MEMORY: Final = 0.5
_AT_ONCE: Final = 2**20
# The compressions that NumPy and Excel use. Others cannot be unpacked in small steps.
_METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


@dataclass(frozen=True)
class UnpackLimit:
    """The most bytes that a file may unpack to.

    Attributes
    ----------
    path : path-like
    most : float
        In bytes.
    why : str
        Where the limit comes from, for messages.
    """

    path: FilePath
    most: float
    why: str

    @classmethod
    def of(
        cls, path: FilePath, most_unpacked: float | None = None, *, in_blocks: bool
    ) -> Self:
        """Return the limit for a file.

        Parameters
        ----------
        path : path-like
        most_unpacked : float, optional
            The limit in bytes. By default, it depends on the size of the file and, if
            the file is not read ``in_blocks``, on the free memory.
        in_blocks : bool
        """
        if most_unpacked is not None:
            return cls(path, most_unpacked, "the limit that was set")
        size = os.path.getsize(path)
        most = max(SLACK, RATIO * size)
        if size * RATIO > SLACK:
            why = f"{RATIO} times its size"
        else:
            why = f"too much for a file of {size:,} bytes"
        memory = int(_SHARE_OF_MEMORY * available_memory())
        if memory < most and not in_blocks:
            return cls(path, memory, "half of the free memory")
        return cls(path, most, why)

    def check(self, n_bytes: float) -> None:
        """Raise an error if the contents have more bytes than allowed."""
        if n_bytes > self.most:
            raise DatasetFormatError(
                f"the file unpacks to more than {self.most / 1e6:,.6g} MB, which is "
                f"{self.why}. Check that it is what you expect; if so, unpack it, or "
                "raise the limit.",
                source=self.path,
                parameter="most_unpacked",
            )

    def whole(self, file: Any) -> bytes:
        """Return the contents of an open file, which is unpacked while it is read."""
        return b"".join(iter(partial(self.opened(file).read, _AT_ONCE), b""))

    def opened(self, file: Any) -> io.BufferedReader:
        """Return an open file that raises an error beyond the limit."""
        return io.BufferedReader(_Counted(file, self), _AT_ONCE)

    def members(self, data: bytes) -> dict[str, bytes]:
        """Return the unpacked members of a zip file, keyed by name.

        Raises
        ------
        ValueError
            If a member is encrypted or has a compression that is not common.
        """
        found: dict[str, bytes] = {}
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            self.check(sum(member.file_size for member in members))
            for member in members:
                if member.compress_type not in _METHODS:
                    raise ValueError(f"{member.filename!r} has an unusual compression")
                with archive.open(member) as file:
                    # In steps, since a member may be larger than it declares.
                    parts = iter(partial(file.read, _AT_ONCE), b"")
                    found[member.filename] = b"".join(parts)
        return found


def stored(members: Iterable[tuple[str, bytes]]) -> io.BytesIO:
    """Return a zip file of members that are not compressed."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    file.seek(0)
    return file


class _Counted(io.RawIOBase):
    """Reads a file, and checks how many bytes it has read."""

    def __init__(self, file: Any, limit: UnpackLimit) -> None:
        self._file = file
        self._limit = limit
        self._n_read = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        n_read = int(self._file.readinto(buffer))
        self._n_read += n_read
        self._limit.check(self._n_read)
        return n_read
