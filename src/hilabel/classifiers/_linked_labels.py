"""Labels of training rows that reach other rows along links."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any, Final

import numpy as np
import scipy.sparse as sp
from sklearn.utils import gen_batches

from hilabel._label_matrix import LabelMatrix
from hilabel._saved_types import Array, saved_type
from hilabel._typing import BoolArray, FloatArray, IntArray
from hilabel.classifiers._training_data import TrainingData

# Dense scores are computed for so many cells at a time.
_CELLS_AT_ONCE: Final = 2**22


@saved_type
@dataclass(frozen=True, eq=False)
class LinkedLabels:
    """Labels of labelled rows, and their frequencies where no label arrives.

    Attributes
    ----------
    labels : LabelMatrix of shape (n_labeled, n_nodes)
    prior : float32 array of shape (n_nodes,)
        Label frequencies.

    Examples
    --------
    >>> import numpy as np
    >>> import scipy.sparse as sp
    >>> from hilabel._label_matrix import LabelMatrix
    >>> from hilabel.classifiers import LinkedLabels
    >>> Y = np.array([[1, 0], [1, 1], [0, -1]])
    >>> labels = LinkedLabels(LabelMatrix.of(Y), np.array([0.6, 0.5], np.float32))
    >>> labels.mean(sp.csr_array([[1.0, 0, 3], [0, 0, 0]]), 1.0)
    array([[0.32, 0.25],
           [0.6 , 0.5 ]], dtype=float32)
    """

    labels: LabelMatrix
    prior: Annotated[FloatArray, Array("f4", ("n_nodes",), 0, 1)]

    @classmethod
    def of(cls, data: TrainingData) -> "LinkedLabels":
        """Return the labels of training data."""
        return cls(data.Y, data.prior.astype(np.float32))

    def is_sound(self) -> bool:
        """Return whether every node has a frequency; used to check model files."""
        return self.prior.size == self.labels.shape[1]

    def of_nodes(self, nodes: BoolArray) -> "LinkedLabels":
        """Return the labels of some nodes, selected by a mask."""
        if nodes.all():
            return self
        kept = np.flatnonzero(nodes)
        return replace(self, labels=self.labels.of_nodes(kept), prior=self.prior[kept])

    def mean(
        self, shares: sp.csr_array, weight: float, prior: FloatArray | None = None
    ) -> FloatArray:
        """Return the weighted means of the labels that reach rows, and of the prior.

        Only labelled rows in which a node is known count for it.

        Parameters
        ----------
        shares : csr_array of shape (n_rows, n_labeled)
            How much each labelled row counts.
        weight : float
            How much the label frequencies count, above 0.
        prior : ndarray of shape (n_rows, n_nodes), optional
            Other label frequencies.

        Returns
        -------
        float32 ndarray of shape (n_rows, n_nodes)
        """
        n_rows, n_nodes = shares.shape[0], self.labels.shape[1]
        scores = np.empty((n_rows, n_nodes), np.float32)
        shares = shares.astype(np.float32)
        of_prior = np.float32(weight)
        for rows in gen_batches(n_rows, max(1, _CELLS_AT_ONCE // max(n_nodes, 1))):
            some, known = shares[rows], self._known(shares[rows])
            arrived = (some @ self._positive).toarray()
            arrived += of_prior * (self.prior if prior is None else prior[rows])
            scores[rows] = arrived / (known + of_prior)
        return np.minimum(scores, 1, out=scores)

    def _known(self, shares: sp.csr_array) -> FloatArray:
        """Return how much reaches each node from rows in which it is known."""
        if self.labels.all_known:
            return np.asarray(shares.sum(axis=1))[:, None]
        return np.asarray(shares @ self._knows)[:, self.labels.node_group]

    @cached_property
    def _positive(self) -> sp.csr_array:
        return self.labels.positive.astype(np.float32)

    @cached_property
    def _knows(self) -> FloatArray:
        """The groups of nodes that each row knows."""
        return self.labels.knows[self.labels.row_group].astype(np.float32)


@dataclass(frozen=True, eq=False)
class LabelParts:
    """Labelled rows in parts: what scores a row does not use the labels of its part.

    Attributes
    ----------
    data : TrainingData
    part : int array of shape (n_labeled,)
        The fold of each row; without folds, each row is a part.

    Examples
    --------
    >>> import numpy as np
    >>> import scipy.sparse as sp
    >>> from hilabel.classifiers import LabelParts, PriorClassifier
    >>> class Showing(PriorClassifier):
    ...     def _fit(self, data):
    ...         parts = LabelParts.of(data)
    ...         print(parts.prior_of(np.array([0, 2])))
    ...         print(parts.without_own(sp.csr_array([[1, 2, 3]]), [1]).toarray())
    ...         super()._fit(data)
    >>> _ = Showing().fit([[0], [1], [2]], [[1, 0], [1, 0], [0, 1]])
    [[0.5 0.5]
     [1.  0. ]]
    [[1 0 3]]
    """

    data: TrainingData
    part: IntArray

    @classmethod
    def of(cls, data: TrainingData) -> "LabelParts":
        """Return the folds of training data, or each row as a part."""
        fold = np.arange(data.n_labeled) if data.fold is None else data.fold
        return cls(data, fold)

    @cached_property
    def _priors(self) -> FloatArray:
        n_parts = int(self.part.max(initial=-1)) + 1
        return self.data.priors_without(self.part, n_parts).astype(np.float32)

    def prior_of(self, rows: IntArray) -> FloatArray:
        """Return the label frequencies in the other parts, for some rows."""
        if self.data.fold is not None:
            return self._priors[self.part[rows]]
        labels = self.data.Y
        n_others = np.maximum(labels.n_known - labels.known(rows), 1)
        return ((labels.n_positive - labels.present(rows)) / n_others).astype("f4")

    def without_own(self, shares: sp.csr_array, rows: Any) -> sp.csr_array:
        """Return shares that rows get from labelled rows, without those of their part.

        Parameters
        ----------
        shares : csr_array of shape (n_rows, n_labeled)
        rows : int array of shape (n_rows,)
            Their numbers.
        """
        own = np.repeat(self.part[rows], np.diff(shares.indptr))
        kept = own != self.part[shares.indices]
        ends = np.append(0, np.cumsum(kept))[shares.indptr]
        parts = shares.data[kept], shares.indices[kept], ends
        return sp.csr_array(parts, shape=shares.shape)
