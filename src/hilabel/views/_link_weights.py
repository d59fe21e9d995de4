"""Weights of links on one scale, the same for training rows and for new rows."""

from dataclasses import dataclass
from typing import Annotated, Final, Self

import numpy as np
import scipy.sparse as sp

from hilabel._saved_types import Array, saved_type
from hilabel._typing import FloatArray, IntArray
from hilabel.links import Links

# Larger weights, relative to the median, are lowered to this, so that sums are finite.
_LARGEST: Final = 1e100


@saved_type
@dataclass(frozen=True, eq=False)
class LinkScale:
    """The scale of the weights of links, learned from the links between training rows.

    Weights of a kind are divided by the median of the training links, so that no kind
    counts more because of its unit, and then added.

    Attributes
    ----------
    names : tuple of str
        The kinds.
    medians : ndarray of shape (n_kinds,)
        1 for a kind without links.
    log : bool
        Whether the logarithm of 1 plus each divided weight is taken.

    Examples
    --------
    >>> from hilabel.links import Links
    >>> from hilabel.views import LinkScale
    >>> hits = Links.of([[0, 100, 300], [200, 0, 0], [200, 0, 0]], 3)
    >>> weights = LinkScale.of(hits, log=False)
    >>> weights.apply(hits[:1]).toarray()
    array([[0. , 0.5, 1.5]])
    """

    names: tuple[str, ...]
    medians: Annotated[FloatArray, Array("f8", ("n_kinds",), 0)]
    log: bool

    @classmethod
    def of(cls, links: Links, log: bool) -> Self:
        """Measure the weights of links between training rows."""
        medians = [
            np.median(matrix.data) if matrix.nnz else 1.0
            for matrix in links.kinds.values()
        ]
        return cls(links.names, np.array(medians, dtype=np.float64), log)

    def is_sound(self) -> bool:
        """Return whether each kind has a scale; used to check model files."""
        return (
            0 < len(self.names) == self.medians.size
            and all(isinstance(name, str) for name in self.names)
            and bool((self.medians > 0).all())
        )

    @property
    def usual(self) -> float:
        """The weight of a usual link."""
        return float(np.log(2)) if self.log else 1.0

    def apply(self, links: Links) -> sp.csr_array:
        """Return links of all kinds in a single matrix, which may be changed."""
        total = sp.csr_array(links.shape)
        kinds = links.of_kinds(self.names).kinds
        for name, median in zip(self.names, self.medians):
            scaled = sp.csr_array(kinds[name], copy=True)
            with np.errstate(over="ignore"):
                scaled.data = np.minimum(scaled.data / median, _LARGEST)
            if self.log:
                scaled.data = np.log1p(scaled.data)
            total = total + scaled
        total = sp.csr_array(total)
        total.sort_indices()
        return total


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
