"""Linear models of all nodes: sparse weights and biases."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Final, Self

import numpy as np
import scipy.sparse as sp
from joblib import Parallel, delayed
from sklearn.utils import gen_batches

from hilabel import _engine
from hilabel._matrices import row_blocks
from hilabel._saved_types import Array, Sparse, saved_type
from hilabel._typing import FloatArray, IntArray
from hilabel.linear._rows import as_arrays, as_singles

LARGEST_WEIGHT: Final = 1e30

# Weights of so many nodes are laid out at once, for products with dense rows.
_NODES_AT_ONCE: Final = 1_000
# Rows that one task scores have about this many scores.
_SCORES_PER_TASK: Final = 10_000_000


@saved_type
@dataclass(frozen=True, eq=False)
class LinearModels:
    """Linear models of all nodes.

    Attributes
    ----------
    weights : csr_array of float32 of shape (n_nodes, n_columns)
    bias : float32 array of shape (n_nodes,)

    Examples
    --------
    >>> import numpy as np
    >>> import scipy.sparse as sp
    >>> from hilabel.linear import LinearModels
    >>> weights = sp.csr_array(np.array([[1.0, 0.0], [0.0, 2.0]], dtype=np.float32))
    >>> models = LinearModels(weights, np.array([0.0, -1.0], dtype=np.float32))
    >>> models.outputs(np.array([[1.0, 1.0]]))
    array([[1., 1.]], dtype=float32)
    """

    weights: Annotated[
        sp.csr_array,
        Sparse("f4", ("n_nodes", "n_columns"), -LARGEST_WEIGHT, LARGEST_WEIGHT),
    ]
    bias: Annotated[
        FloatArray, Array("f4", ("n_nodes",), -LARGEST_WEIGHT, LARGEST_WEIGHT)
    ]

    @classmethod
    def assembled(
        cls, tasks: Sequence[Sequence[int]], found: Sequence[Any], n_columns: int
    ) -> Self:
        """Put the models of tasks in the order of their nodes."""
        n_nodes = sum(len(nodes) for nodes in tasks)
        bias = np.zeros(n_nodes, dtype=np.float32)
        none: Any = np.empty(0, dtype=np.int32), np.empty(0, dtype=np.float32)
        parts: list[tuple[IntArray, FloatArray]] = [none] * n_nodes
        for nodes, (pointers, columns, values, biases) in zip(
            tasks, found, strict=True
        ):
            bias[nodes] = biases
            for number, node in enumerate(nodes):
                part = slice(pointers[number], pointers[number + 1])
                parts[node] = columns[part], values[part]
        lengths = [columns.size for columns, _ in parts]
        columns, values = (
            np.concatenate(arrays) for arrays in zip(*parts, strict=True)
        )
        matrix = (values, columns, np.append(0, np.cumsum(lengths)))
        return cls(sp.csr_array(matrix, shape=(n_nodes, n_columns)), bias)

    def is_sound(self) -> bool:
        """Return whether every node has a bias; used to check model files."""
        return self.bias.shape == (self.weights.shape[0],)

    def outputs(self, X: Any, n_jobs: int | None = None) -> FloatArray:
        """Return the outputs of all models for some rows.

        Parameters
        ----------
        X : array or csr matrix of shape (n_rows, n_columns)
        n_jobs : int, optional
            Number of threads for sparse rows; the result does not depend on it.

        Returns
        -------
        float32 ndarray of shape (n_rows, n_nodes)
        """
        outputs = np.empty((X.shape[0], self.bias.size), dtype=np.float32)
        outputs[:] = self.bias
        if not sp.issparse(X):
            self._add_dense(as_singles(X), outputs)
            return outputs
        rows, by_column = as_singles(X), self._by_column
        Parallel(n_jobs=n_jobs, require="sharedmem")(
            delayed(_engine.add_products)(
                *as_arrays(rows[part]), *by_column, outputs[part]
            )
            for part in row_blocks(outputs.shape, _SCORES_PER_TASK)
        )
        return outputs

    def _add_dense(self, X: FloatArray, outputs: FloatArray) -> None:
        # In double precision, a row has the same outputs alone and among others.
        X = X.astype(np.float64)
        for nodes in gen_batches(self.bias.size, _NODES_AT_ONCE):
            weights = self.weights[nodes].toarray().T.astype(np.float64)
            for rows in row_blocks((len(X), weights.shape[1]), _SCORES_PER_TASK):
                outputs[rows, nodes] += X[rows] @ weights

    @cached_property
    def _by_column(self) -> tuple[IntArray, IntArray, FloatArray]:
        return as_arrays(self.weights.tocsc())
