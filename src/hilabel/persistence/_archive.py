"""The members of a model file: what they say of their size is checked, then read."""

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
"""All members together are at most so many times as large as the file."""

SLACK: Final = 2**20
"""Small files may be folded more: lists of names are."""

# Of other kinds of zip files hilabel writes none.
_METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED: Final = 0x1
_MOST_DIMENSIONS: Final = 4
_MAGIC: Final = re.compile(rb"\x93NUMPY\x01\x00(..)", re.DOTALL)
# As numpy.save writes it, of plain dtypes; it is matched, never evaluated.
_HEADER: Final = re.compile(
    r"\{'descr': '([<|][biufUS]\d{1,6})', 'fortran_order': (True|False), "
    r"'shape': \(((?:\d{1,18}, ?)*\d{0,18})\), \} *\n"
)


def read_members(data: bytes) -> dict[str, bytes]:
    """Return the members of a zip file by name.

    Parameters
    ----------
    data : bytes

    Raises
    ------
    ModelFileError
        If the file is no zip file, or its members are too large for it.
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
    """Refuse members that are too large for their file, before any is unfolded."""
    if is_too_folded(members, n_bytes):
        raise ModelFileError(
            f"its members would take more than {MOST_FOLDED} times the {n_bytes} bytes "
            "of the file; it was not written by hilabel."
        )
    if len({member.filename for member in members}) < len(members):
        raise ModelFileError("it has two members of one name.")
    for member in members:
        if member.compress_type not in _METHODS or member.flag_bits & _ENCRYPTED:
            raise ModelFileError(
                f"its member {member.filename!r} is compressed in a way that hilabel "
                "does not use, or encrypted."
            )


def is_too_folded(members: list[zipfile.ZipInfo], n_bytes: int) -> bool:
    """Say whether members are too large for a file of so many bytes."""
    return sum(member.file_size for member in members) > MOST_FOLDED * n_bytes + SLACK


def is_bloated(member: zipfile.ZipInfo) -> bool:
    """Say whether one member is too large for its share of the file."""
    return member.file_size > MOST_FOLDED * member.compress_size


def read_json(data: bytes) -> Any:
    """Return what JSON says; too deep a nesting is an error like any other."""
    try:
        return json.loads(data.decode("utf-8"))
    except RecursionError as error:
        raise ModelFileError("its JSON is nested too deeply.") from error


def read_array(data: bytes) -> Any:
    """Return an array in NumPy's format, of the size that its header says.

    Parameters
    ----------
    data : bytes

    Raises
    ------
    ModelFileError
        If the header is of another form, or the data are longer or shorter.
    """
    magic = _MAGIC.match(data)
    n_header = int.from_bytes(magic[1], "little") if magic else 0
    start = 10 + n_header
    header = _HEADER.fullmatch(data[10:start].decode("latin1"))
    if header is None:
        raise ModelFileError(
            "an array is not of the form that hilabel writes (allow_pickle=False): "
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
        raise ModelFileError("an array of booleans holds other values.")
    if dtype.kind == "U" and (values.view(np.uint32) > sys.maxunicode).any():
        raise ModelFileError("an array of strings holds what is no letter.")
    return values.reshape(shape, order=order).copy(order="K")
