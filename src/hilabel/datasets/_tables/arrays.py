"""Read NumPy arrays and SciPy sparse matrices, such as protein embeddings."""

import io
import math
import zipfile
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from hilabel._text_files import read_bytes
from hilabel._typing import FilePath
from hilabel._unpacking import UnpackLimit
from hilabel.datasets._tables.matrix_file import MatrixFile, read_ids
from hilabel.datasets._tables.sparse_arrays import is_sparse, sparse_matrix
from hilabel.exceptions import DatasetFormatError

NPY_MAGIC: Final = b"\x93NUMPY"
# Arrays of an .npz file other than the features.
_IDS, _NAMES = "ids", "feature_names"


def is_npz(path: FilePath) -> bool:
    """Return whether a file is a zip archive of arrays."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except Exception:  # zipfile raises many kinds of errors for a damaged directory
        return False
    return bool(names) and all(name.endswith(".npy") for name in names)


def read_npy(
    path: FilePath, ids: FilePath | None, most_unpacked: float | None = None
) -> MatrixFile:
    """Return the array in an ``.npy`` file; the ids are in a separate file."""
    data = read_bytes(path, most_unpacked)
    try:
        values = _array(data)
    except Exception as error:  # NumPy's parser raises many kinds of errors
        raise _unreadable(path, error) from error
    return _checked(path, values, None, ids, None)


def read_npz(
    path: FilePath, ids: FilePath | None, most_unpacked: float | None = None
) -> MatrixFile:
    """Return the matrix in an ``.npz`` file, dense or saved by SciPy's ``save_npz``."""
    data = read_bytes(path, most_unpacked)
    limit = UnpackLimit.of(path, most_unpacked, in_blocks=False)
    try:
        arrays = {
            name.removesuffix(".npy"): _array(member)
            for name, member in limit.members(data).items()
        }
    except DatasetFormatError:
        raise
    except Exception as error:  # zipfile and NumPy raise many kinds of errors
        raise _unreadable(path, error) from error
    named = {name: _texts(path, arrays, name) for name in (_IDS, _NAMES)}
    if is_sparse(arrays):
        try:
            values = sparse_matrix(arrays)
        except ValueError as error:
            raise _unreadable(path, error) from error
    else:
        values = _only_matrix(path, arrays)
    return _checked(path, values, named[_IDS], ids, named[_NAMES])


def _array(data: bytes) -> Any:
    """Return the array in an .npy file whose size must agree with its header."""
    file = io.BytesIO(data)
    version = np.lib.format.read_magic(file)
    read_head = (
        np.lib.format.read_array_header_1_0
        if version == (1, 0)
        else np.lib.format.read_array_header_2_0
    )
    shape, _, dtype = read_head(file)
    if dtype.hasobject:
        raise ValueError(
            "it contains Python objects; save numbers, and ids as dtype=str"
        )
    # Checked before NumPy allocates memory for it. Even empty strings count.
    n_bytes = math.prod(shape) * max(dtype.itemsize, 1)
    if min(shape, default=0) < 0 or n_bytes > len(data) - file.tell():
        raise ValueError(f"its header declares {n_bytes} bytes, but there are fewer")
    return np.load(io.BytesIO(data), allow_pickle=False)


def _unreadable(path: FilePath, error: Exception) -> DatasetFormatError:
    return DatasetFormatError(
        f"expected NumPy arrays, but they cannot be read ({error}).", source=path
    )


def _texts(
    path: FilePath, arrays: Mapping[str, Any], name: str
) -> tuple[str, ...] | None:
    if name not in arrays:
        return None
    values = np.asarray(arrays[name])
    if values.ndim != 1:
        raise DatasetFormatError(
            f"expected the array {name!r} to have one dimension, got {values.shape}.",
            source=path,
        )
    try:
        return tuple(map(str, values.astype(str)))
    except Exception as error:  # invalid text, such as characters outside Unicode
        raise _unreadable(path, error) from error


def _only_matrix(path: FilePath, arrays: Mapping[str, Any]) -> Any:
    names = [name for name in arrays if np.ndim(arrays[name]) == 2]
    if len(names) != 1:
        raise DatasetFormatError(
            "expected one array with two dimensions, rows and columns, got "
            f"{len(names)} among the arrays {', '.join(arrays)}.",
            source=path,
        )
    return arrays[names[0]]


def _checked(
    path: FilePath,
    values: Any,
    own_ids: tuple[str, ...] | None,
    ids: FilePath | None,
    names: tuple[str, ...] | None,
) -> MatrixFile:
    if values.ndim != 2 or values.dtype.kind not in "fiub" or 0 in values.shape:
        raise DatasetFormatError(
            f"expected numbers in rows and columns, got an array of {values.dtype} of "
            f"shape {values.shape}.",
            source=path,
        )
    n_rows, n_columns = values.shape
    if ids is None and own_ids is None:
        raise DatasetFormatError(
            f"the {n_rows} rows have no ids; pass a file with one id per line, or "
            f"save an array {_IDS!r} with them in an .npz file.",
            source=path,
            parameter="ids",
        )
    for what, given, n in ((_IDS, own_ids, n_rows), (_NAMES, names, n_columns)):
        if given is not None and len(given) != n:
            raise DatasetFormatError(
                f"expected {n} in the array {what!r}, got {len(given)}.", source=path
            )
    found = own_ids if ids is None else read_ids(ids, n_rows)
    numbered = tuple(f"x{column}" for column in range(n_columns))
    return MatrixFile(
        found or (), names or numbered, values, is_named=names is not None
    )
