"""Read AnnData's ``.h5ad``: the matrix ``X`` with its row and column names."""

import io
from os import fspath
from typing import Any, Final

import scipy.sparse as sp

from hilabel._text_files import read_bytes
from hilabel._typing import FilePath
from hilabel._unpacking import UnpackLimit
from hilabel.datasets._tables.matrix_file import MatrixFile
from hilabel.exceptions import DatasetFormatError

HDF_MAGIC: Final = b"\x89HDF\r\n\x1a\n"
# The maximum compression ratio of gzip.
_BEST_PACKED: Final = 1032
_SPARSE: Final = {"csr_matrix": sp.csr_array, "csc_matrix": sp.csc_array}


def read_h5ad(
    path: FilePath, ids: FilePath | None, most_unpacked: float | None = None
) -> MatrixFile:
    """Return ``X``; the rows are named by ``obs_names``, the columns by ``var_names``.

    Raises
    ------
    DatasetFormatError
        If the file was not written by AnnData, or a file of ids is given.
    ImportError
        If h5py is not installed.
    """
    try:
        import h5py
    except ImportError as error:
        raise ImportError(
            f"{path}: reading .h5ad files needs h5py: pip install 'hilabel[h5ad]'.",
            path=fspath(path),
        ) from error
    if ids is not None:
        raise DatasetFormatError(
            "the rows have their own names, obs_names; omit the file of ids.",
            source=path,
            parameter="ids",
        )
    try:
        data = read_bytes(path, most_unpacked)
        limit = UnpackLimit.of(path, most_unpacked, in_blocks=False)
        with h5py.File(io.BytesIO(data), "r") as file:
            limit.check(_size(file["obs"]) + _size(file["var"]) + _size(file["X"]))
            row_ids, names = _index(file["obs"]), _index(file["var"])
            values = _matrix(file["X"])
    except DatasetFormatError:
        raise
    except Exception as error:  # h5py raises many kinds of errors
        raise DatasetFormatError(
            "expected X, obs and var as AnnData 0.7 or later writes them, but they "
            f"cannot be read ({error}); write the file again.",
            source=path,
        ) from error
    if values.shape != (len(row_ids), len(names)) or values.dtype.kind not in "fiub":
        raise DatasetFormatError(
            f"expected numbers of shape ({len(row_ids)}, {len(names)}), as in obs and "
            f"var, got {values.dtype} of shape {values.shape}.",
            source=path,
        )
    return MatrixFile(row_ids, names, values, "obs_names")


def _size(stored: Any) -> int:
    """Return the number of bytes in a data set, or in those that are read of a group.

    Other data sets of a group, such as annotations of rows, are not read.
    """
    if not hasattr(stored, "keys"):
        return int(stored.nbytes)
    read = {"data", "indices", "indptr", "values", stored.attrs.get("_index")}
    return sum(_size(stored[name]) for name in stored if name in read)


def _index(group: Any) -> tuple[str, ...]:
    found = group[group.attrs["_index"]]
    # Strings that may be missing are stored with a mask, in a group.
    values = found["values"] if hasattr(found, "keys") else found
    texts = values.asstr() if values.dtype == object else values
    return tuple(map(str, _whole(values, texts)))


def _matrix(found: Any) -> Any:
    if not hasattr(found, "keys"):
        return _whole(found)
    make = _SPARSE[found.attrs["encoding-type"]]
    parts = tuple(_whole(found[name]) for name in ("data", "indices", "indptr"))
    matrix = make(parts, shape=tuple(found.attrs["shape"]))
    matrix.check_format(full_check=True)
    return sp.csr_array(matrix)


def _whole(stored: Any, seen_as: Any = None) -> Any:
    """Return all values; raise an error if the file declares more than it can hold."""
    most = stored.id.get_storage_size() * (_BEST_PACKED if stored.chunks else 1)
    if stored.nbytes > most:
        raise ValueError(f"{stored.name} declares {stored.nbytes} bytes, got fewer")
    return (stored if seen_as is None else seen_as)[()]
