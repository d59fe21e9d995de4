"""Scaled rows on the device, dense or as a sparse matrix stores them."""

from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
import scipy.sparse as sp

from hilabel._typing import LabelArray
from hilabel.networks._inputs import InputScaling


class Rows(NamedTuple):
    """Scaled rows on the device: dense, or only what a sparse matrix stores.

    There may be more rows than were given, at the end, which mean nothing. Of sparse
    rows, ``columns`` and ``values`` have what each row stores, filled up with
    columns past the last, and ``zeros`` is what every other value is.
    """

    values: Any
    columns: Any = None
    zeros: Any = None

    def take(self, rows: Any) -> Any:
        """Return some rows, dense."""
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
    columns = np.full(values.shape, X.shape[1], np.int32)  # past the last: left out
    values[row, place] = stored
    columns[row, place] = X.indices
    return Rows(_with_room(values), _with_room(columns), jnp.asarray(zeros))


def labels_on_device(Y: LabelArray) -> Any:
    """Move labels to the device, with as many rows as the features have there."""
    return _with_room(Y)


def _with_room(array: Any) -> Any:
    """Add empty rows, so that fits with about as many rows share compiled programs."""
    n_more = _room_for(array.shape[0]) - array.shape[0]
    more = np.zeros((n_more, *array.shape[1:]), array.dtype)
    return jnp.asarray(np.concatenate([array, more]))


def _room_for(n_items: int, fewest: int = 64) -> int:
    """Round up, by an eighth at most where there are many."""
    step = max(fewest, 2 ** max(int(n_items).bit_length() - 4, 0))
    return -(-n_items // step) * step
