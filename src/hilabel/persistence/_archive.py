"""Read the members of a model file, after checking their sizes."""

import io
import json
import math
import re
import sys
import zipfile
import zlib
from typing import Any, Final

import numpy as np

from hilabel.exceptions import ModelFileError

MOST_FOLDED: Final = 10
"""Maximum ratio of the total size of all members to the size of the file."""

SLACK: Final = 2**20
"""Small files, such as lists of names, may exceed the ratio by this many bytes."""

# The only kinds of zip files that hilabel writes.
_METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED: Final = 0x1
_MOST_DIMENSIONS: Final = 4
_MAGIC: Final = re.compile(rb"\x93NUMPY\x01\x00(..)", re.DOTALL)
# The header written by numpy.save for plain dtypes; it is matched, never evaluated.
_HEADER: Final = re.compile(
    r"\{'descr': '([<|][biufUS]\d{1,6})', 'fortran_order': (True|False), "
    r"'shape': \(((?:\d{1,18}, ?)*\d{0,18})\), \} *\n"
)


def read_members(data: bytes) -> dict[str, bytes]:
    """Return a dict of the members of a zip file, keyed by name.

    Parameters
    ----------
    data : bytes

    Raises
    ------
    ModelFileError
        If the file is not a zip file, or its members are too large for it.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            members = file.infolist()
            check_sizes(members, len(data))
            return {member.filename: file.read(member) for member in members}
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
        raise ModelFileError(f"its zip file cannot be read ({error})") from error
    except (ValueError, NotImplementedError, RuntimeError, UnicodeError) as error:
        if isinstance(error, ModelFileError):
            raise
        raise ModelFileError(f"its zip file cannot be read ({error})") from error


def check_sizes(members: list[zipfile.ZipInfo], n_bytes: int) -> None:
    """Refuse a file whose members are too large, before decompressing any of them."""
    if is_too_folded(members, n_bytes):
        raise ModelFileError(
            f"its members would need more than {MOST_FOLDED} times the {n_bytes} bytes "
            "of the file; it was not written by hilabel."
        )
    if len({member.filename for member in members}) < len(members):
        raise ModelFileError("it has two members with the same name.")
    for member in members:
        if member.compress_type not in _METHODS or member.flag_bits & _ENCRYPTED:
            raise ModelFileError(
                f"its member {member.filename!r} is encrypted or uses a compression "
                "that hilabel does not write."
            )


def is_too_folded(members: list[zipfile.ZipInfo], n_bytes: int) -> bool:
    """Return whether the unpacked members are too large for the size of their file."""
    return sum(member.file_size for member in members) > MOST_FOLDED * n_bytes + SLACK


def is_bloated(member: zipfile.ZipInfo) -> bool:
    """Return whether a member is too large relative to its compressed size."""
    return member.file_size > MOST_FOLDED * member.compress_size


def read_json(data: bytes) -> Any:
    """Parse JSON; raise ``ModelFileError`` if it is nested too deeply."""
    try:
        return json.loads(data.decode("utf-8"))
    except RecursionError as error:
        raise ModelFileError("its JSON is nested too deeply.") from error


def read_array(data: bytes) -> Any:
    """Read an array in NumPy's format, and check its size against its header.

    Parameters
    ----------
    data : bytes

    Raises
    ------
    ModelFileError
        If the header has a different form, or the data are longer or shorter.
    """
    magic = _MAGIC.match(data)
    n_header = int.from_bytes(magic[1], "little") if magic else 0
    start = 10 + n_header
    header = _HEADER.fullmatch(data[10:start].decode("latin1"))
    if header is None:
        raise ModelFileError(
            "an array does not have the form that hilabel writes (allow_pickle=False): "
            f"{data[:60]!r}."
        )
    dtype = np.dtype(header[1])
    shape = tuple(int(size) for size in re.findall(r"\d+", header[3]))
    if (
        len(shape) > _MOST_DIMENSIONS
        or math.prod(shape) * dtype.itemsize != len(data) - start
        or (dtype.itemsize == 0 and math.prod(shape) > 0)
    ):
        raise ModelFileError(
            f"an array of shape {shape} and dtype {dtype} has {len(data) - start} "
            "bytes."
        )
    order: Any = "F" if header[2] == "True" else "C"
    values = np.frombuffer(data, dtype=dtype, offset=start)
    if dtype.kind == "b" and (values.view(np.uint8) > 1).any():
        raise ModelFileError("an array of booleans contains other values.")
    if dtype.kind == "U" and (values.view(np.uint32) > sys.maxunicode).any():
        raise ModelFileError("an array of strings contains invalid characters.")
    return values.reshape(shape, order=order).copy(order="K")
