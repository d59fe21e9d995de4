"""Scaled rows on the device, dense or sparse."""

from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
import scipy.sparse as sp

from hilabel._typing import LabelArray
from hilabel.networks._inputs import InputScaling


class Rows(NamedTuple):
    """Scaled rows on the device: dense, or the stored values of a sparse matrix.

    There may be additional padding rows at the end. For sparse rows, ``columns`` and
    ``values`` contain the stored values of each row, padded with column numbers beyond
    the last column, and ``zeros`` contains the scaled value of zero in each column.
    """

    values: Any
    columns: Any = None
    zeros: Any = None

    def take(self, rows: Any) -> Any:
        """Return the given rows as a dense array."""
        values = self.values[rows]
        if self.columns is None:
            return values
        dense = jnp.broadcast_to(self.zeros, (*rows.shape, self.zeros.size))
        place = jnp.indices((*rows.shape, 1), sparse=True)[:-1]
        return dense.at[(*place, self.columns[rows])].set(values, mode="drop")


def rows_on_device(X: Any, scaling: InputScaling) -> Rows:
    """Scale rows and move them to the device."""
    if not sp.issparse(X):
        return Rows(_with_room(scaling.apply(X)))
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    stored, zeros = scaling.apply_to_stored(X)
    length = np.diff(X.indptr)
    place = np.arange(X.nnz) - np.repeat(X.indptr[:-1], length)
    row = np.repeat(np.arange(X.shape[0]), length)
    longest = _room_for(length.max(initial=1), fewest=8)
    values = np.zeros((X.shape[0], longest), np.float32)
    columns = np.full(values.shape, X.shape[1], np.int32)  # past the last: ignored
    values[row, place] = stored
    columns[row, place] = X.indices
    return Rows(_with_room(values), _with_room(columns), jnp.asarray(zeros))


def labels_on_device(Y: LabelArray) -> Any:
    """Move labels to the device, padded to the same number of rows as the features."""
    return _with_room(Y)


def _with_room(array: Any) -> Any:
    """Add padding rows, so that fits of similar size share compiled programs."""
    n_more = _room_for(array.shape[0]) - array.shape[0]
    more = np.zeros((n_more, *array.shape[1:]), array.dtype)
    return jnp.asarray(np.concatenate([array, more]))


def _room_for(n_items: int, fewest: int = 64) -> int:
    """Round up a number of rows, by at most one eighth if it is large."""
    step = max(fewest, 2 ** max(int(n_items).bit_length() - 4, 0))
    return -(-n_items // step) * step
