"""Build a sparse matrix from the arrays that SciPy's ``save_npz`` writes.

SciPy's compiled loops trust indices: those of a damaged or malicious file would make
them write outside of their memory. Here, every part is compared with the others before
SciPy sees it.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
import scipy.sparse as sp

Arrays = Mapping[str, Any]

# Maximum number of rows or columns without entries in a small file.
_MOST_EMPTY: Final = 2_000_000
# Beyond that, each row or column needs this many bytes in the file.
_BYTES_PER_EMPTY: Final = 8


def is_sparse(arrays: Arrays) -> bool:
    """Return whether arrays are the parts of a sparse matrix."""
    return {"format", "shape", "data"} <= set(arrays)


def sparse_matrix(arrays: Arrays) -> sp.csr_array:
    """Return the matrix with these parts in canonical format: duplicates are summed.

    Raises
    ------
    ValueError
        If the parts do not fit together.
    """
    form = _format(arrays["format"])
    data = np.asarray(arrays["data"])
    if data.dtype.kind not in "fiub":
        raise ValueError(f"expected numbers in 'data', got {data.dtype}")
    n_dimensions = {"bsr": 3, "dia": 2}.get(form, 1)
    if data.ndim != n_dimensions:
        raise ValueError(
            f"expected 'data' with {n_dimensions} dimension"
            f"{'s' if n_dimensions > 1 else ''}, got {data.ndim}"
        )
    # SciPy cannot compute with all types of numbers, such as 16-bit floats.
    data = data.astype(np.float64)
    shape = _shape(arrays["shape"], sum(np.asarray(a).nbytes for a in arrays.values()))
    matrix = sp.csr_array(_MAKERS[form](arrays, data, shape))
    matrix.sum_duplicates()
    return matrix


def _format(given: Any) -> str:
    value = given.item() if np.size(given) == 1 else given
    form = value.decode("latin-1") if isinstance(value, bytes) else str(value)
    if form not in _MAKERS:
        raise ValueError(f"expected the format csr, csc, coo, bsr or dia, got {form!r}")
    return form


def _shape(given: Any, n_bytes: int) -> tuple[int, int]:
    sizes = np.asarray(given)
    if sizes.shape != (2,) or sizes.dtype.kind not in "iu" or (sizes < 0).any():
        raise ValueError(f"expected a shape of two sizes, got {given}")
    most = max(_MOST_EMPTY, n_bytes // _BYTES_PER_EMPTY)
    if (sizes > most).any():
        raise ValueError(
            f"expected at most {most} rows and columns, since the file is so small, "
            f"got the shape {given}"
        )
    return int(sizes[0]), int(sizes[1])


# Formats ----------------------------------------------------------------------------


def _csr(arrays: Arrays, data: Any, shape: tuple[int, int]) -> Any:
    indices, indptr = _compressed(arrays, data, shape[0], shape[1])
    return sp.csr_array((data, indices, indptr), shape=shape)


def _csc(arrays: Arrays, data: Any, shape: tuple[int, int]) -> Any:
    indices, indptr = _compressed(arrays, data, shape[1], shape[0])
    return sp.csc_array((data, indices, indptr), shape=shape)


def _bsr(arrays: Arrays, data: Any, shape: tuple[int, int]) -> Any:
    _, height, width = data.shape
    if 0 in (height, width) or shape[0] % height or shape[1] % width:
        raise ValueError(
            f"expected blocks that fill the shape {shape}, got blocks of "
            f"{height} by {width}"
        )
    n_rows, n_columns = shape[0] // height, shape[1] // width
    indices, indptr = _compressed(arrays, data, n_rows, n_columns)
    return sp.bsr_array((data, indices, indptr), shape=shape)


def _coo(arrays: Arrays, data: Any, shape: tuple[int, int]) -> Any:
    places = tuple(
        _indices(arrays, name, data.size, size)
        for name, size in zip(("row", "col"), shape, strict=True)
    )
    return sp.coo_array((data, places), shape=shape)


def _dia(arrays: Arrays, data: Any, shape: tuple[int, int]) -> Any:
    """Return the entries of each diagonal; the k-th value of each is in column k."""
    offsets = _integers(arrays, "offsets", data.shape[0], "diagonal").astype(np.int64)
    _check_range("offsets", offsets, 1 - shape[0], shape[1] - 1)
    if np.unique(offsets).size < offsets.size:
        raise ValueError(f"expected different 'offsets', got {offsets.tolist()}")
    column = np.arange(min(data.shape[1], shape[1]))
    row = column - offsets[:, None]
    values = data[:, : column.size]
    used = (row >= 0) & (row < shape[0]) & (values != 0)
    columns = np.broadcast_to(column, row.shape)
    return sp.coo_array((values[used], (row[used], columns[used])), shape=shape)


_MAKERS: Final[dict[str, Callable[[Arrays, Any, tuple[int, int]], Any]]] = {
    "csr": _csr,
    "csc": _csc,
    "coo": _coo,
    "bsr": _bsr,
    "dia": _dia,
}


# Parts ------------------------------------------------------------------------------


def _compressed(
    arrays: Arrays, data: Any, n_major: int, n_minor: int
) -> tuple[Any, Any]:
    """Return indices and pointers that are safe for compiled loops."""
    indptr = _integers(arrays, "indptr", n_major + 1, None)
    indices = _indices(arrays, "indices", len(data), n_minor)
    rises = indptr[0] == 0 and indptr[-1] == len(data)
    if not (rises and (indptr[1:] >= indptr[:-1]).all()):
        raise ValueError(f"expected 'indptr' to rise from 0 to {len(data)}")
    return indices, indptr


def _indices(arrays: Arrays, name: str, n: int, size: int) -> Any:
    indices = _integers(arrays, name, n, "value")
    _check_range(name, indices, 0, size - 1)
    return indices


def _check_range(name: str, numbers: Any, least: int, most: int) -> None:
    wrong = numbers[(numbers < least) | (numbers > most)]
    if wrong.size:
        raise ValueError(
            f"expected numbers from {least} to {most} in {name!r}, got {wrong[0]}"
        )


def _integers(arrays: Arrays, name: str, n: int, each: str | None) -> Any:
    if name not in arrays:
        raise ValueError(f"expected an array {name!r}, got {', '.join(arrays)}")
    numbers = np.asarray(arrays[name])
    if numbers.ndim != 1:
        raise ValueError(f"expected one dimension in {name!r}, got {numbers.ndim}")
    if numbers.dtype.kind not in "iu":
        raise ValueError(f"expected whole numbers in {name!r}, got {numbers.dtype}")
    if numbers.size != n:
        per = f", one per {each}," if each else ","
        raise ValueError(f"expected {n} numbers in {name!r}{per} got {numbers.size}")
    return numbers
