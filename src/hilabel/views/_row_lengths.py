"""Lengths of sparse rows, to which further columns are scaled."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from hilabel._typing import FloatArray


def usual_length(rows: Any) -> float:
    """Return the mean length of sparse rows that are not empty; 1 for dense rows."""
    if not sp.issparse(rows):
        return 1.0
    lengths = _known_lengths(rows)
    return float(lengths[lengths > 0].mean()) if lengths.any() else 1.0


def row_lengths(rows: Any, usual: float, is_sparse: bool) -> FloatArray:
    """Return the lengths of rows, and the usual one for empty rows.

    If the training rows were dense, all rows have the usual length, however they are
    stored.
    """
    if not is_sparse:
        return np.full(rows.shape[0], usual)
    lengths = _known_lengths(rows if sp.issparse(rows) else sp.csr_array(rows))
    return np.where(lengths > 0, lengths, usual)


def lengths_of(rows: Any) -> FloatArray:
    """Return the lengths of CSR rows without missing values."""
    return np.sqrt(np.asarray((rows * rows).sum(axis=1), dtype=np.float64))


def to_length(rows: Any, lengths: FloatArray) -> Any:
    """Return CSR rows scaled to the given lengths; rows of zeros stay as they are."""
    now = lengths_of(rows)
    factors = np.divide(lengths, now, out=np.zeros_like(now), where=now > 0)
    scaled = sp.csr_array(rows, copy=True)
    scaled.data *= np.repeat(factors, np.diff(rows.indptr))
    scaled.eliminate_zeros()
    return scaled


def _known_lengths(rows: Any) -> FloatArray:
    known = sp.csr_array(rows, copy=True)
    known.data = np.nan_to_num(known.data)
    return lengths_of(known)
