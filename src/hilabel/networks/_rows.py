"""Scaled rows on the device, dense or as a sparse matrix stores them."""

from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
import scipy.sparse as sp

from hilabel.networks._inputs import InputScaling


class Rows(NamedTuple):
    """Scaled rows on the device: dense, or only what a sparse matrix stores.

    Of sparse rows, ``columns`` and ``values`` have what each row stores, filled up with
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
        return Rows(jnp.asarray(scaling.apply(X)))
    stored, zeros = scaling.apply_to_stored(X)
    length = np.diff(X.indptr)
    place = np.arange(X.nnz) - np.repeat(X.indptr[:-1], length)
    row = np.repeat(np.arange(X.shape[0]), length)
    values = np.zeros((X.shape[0], length.max(initial=1)), np.float32)
    columns = np.full(values.shape, X.shape[1], np.int32)  # past the last: left out
    values[row, place] = stored
    columns[row, place] = X.indices
    return Rows(jnp.asarray(values), jnp.asarray(columns), jnp.asarray(zeros))
