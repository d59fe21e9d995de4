"""Labels of training rows that reach other rows along links."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from hilabel._label_matrix import LabelMatrix
from hilabel._saved_types import Array, saved_type
from hilabel._typing import BoolArray, FloatArray, IntArray
from hilabel.classifiers._training_data import TrainingData


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
        return self.mean_of(self.arriving(shares), weight, prior)

    def arriving(self, shares: sp.csr_array) -> "Arrived":
        """Return what reaches rows: of labels, and of rows in which they are known."""
        shares = shares.astype(np.float32)
        if self.labels.all_known:
            known = np.asarray(shares.sum(axis=1))[:, None]
        else:
            known = np.asarray(shares @ self._knows)
        return Arrived((shares @ self._positive).toarray(), known)

    def mean_of(
        self, arrived: "Arrived", weight: float, prior: FloatArray | None = None
    ) -> FloatArray:
        """Return the means of what has reached rows, likewise."""
        known, of_prior = arrived.known, np.float32(weight)
        if not self.labels.all_known:
            known = known[:, self.labels.node_group]
        scores = arrived.labels + of_prior * (self.prior if prior is None else prior)
        scores /= known + of_prior
        return np.minimum(scores, 1, out=scores)

    @cached_property
    def _positive(self) -> sp.csr_array:
        return self.labels.positive.astype(np.float32)

    @cached_property
    def _knows(self) -> FloatArray:
        """The groups of nodes that each row knows."""
        return self.labels.knows[self.labels.row_group].astype(np.float32)


class Arrived(NamedTuple):
    """What reaches rows from labelled rows.

    Attributes
    ----------
    labels : float32 array of shape (n_rows, n_nodes)
    known : float32 array of shape (n_rows, 1) or (n_rows, n_node_groups)
        From the rows in which a group of nodes is known.
    """

    labels: FloatArray
    known: FloatArray

    @classmethod
    def stack(cls, parts: "Sequence[Arrived]") -> "Arrived":
        """Return the rows of all parts, one below the other."""
        labels, known = zip(*parts)
        return cls(np.concatenate(labels), np.concatenate(known))


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
