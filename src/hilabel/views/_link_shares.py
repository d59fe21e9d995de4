"""Shares of linked rows, and the rows that links lead to."""

import numpy as np
import scipy.sparse as sp

from hilabel._typing import IntArray


def shares_of(weights: sp.csr_array) -> sp.csr_array:
    """Return rows of weights that add up to 1; a row without links stays empty."""
    totals = np.asarray(weights.sum(axis=1)).ravel()
    factors = np.divide(1, totals, out=np.zeros_like(totals), where=totals > 0)
    data = weights.data * np.repeat(factors, np.diff(weights.indptr))
    return sp.csr_array((data, weights.indices, weights.indptr), shape=weights.shape)


def linked_alone(weights: sp.csr_array) -> tuple[IntArray, sp.csr_array]:
    """Return the targets that some row is linked to, and the links to them alone.

    What is computed for targets need not be computed for all of them, then.
    """
    if weights.nnz >= weights.shape[1]:  # as many as a training has
        return np.arange(weights.shape[1]), weights
    targets, places = np.unique(weights.indices, return_inverse=True)
    shape = weights.shape[0], targets.size
    parts = weights.data, places.astype(np.int64), weights.indptr
    return targets, sp.csr_array(parts, shape=shape)
