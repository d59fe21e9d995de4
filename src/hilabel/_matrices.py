"""Helpers that treat dense and sparse matrices alike."""

from typing import Any

import numpy as np
import scipy.sparse as sp


def stack_rows(A: Any, B: Any) -> Any:
    """Stack the rows of ``B`` below those of ``A``; the result is dense if ``A`` is."""
    if sp.issparse(A):
        return sp.vstack([A, B], format="csr")
    if A.shape[0] == 0 and not sp.issparse(B):
        return B  # nothing to stack: avoid copying a large array
    return np.concatenate([A, as_dense(B)])


def as_dense(X: Any) -> Any:
    """Return a matrix as an array."""
    return X.toarray() if sp.issparse(X) else X
