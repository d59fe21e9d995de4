"""Describe each row by which rows it is linked to."""

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from hilabel._compat import Interval
from hilabel._saved_types import Maybe, Number, Sparse, saved_type
from hilabel._typing import IntArray
from hilabel.views._largest_values import capped_product, largest_values
from hilabel.views._link_shares import linked_alone, shares_of
from hilabel.views._link_view import BaseLinkView
from hilabel.views._row_lengths import row_lengths, to_length, usual_length


@saved_type
class LinkIds(BaseLinkView):
    """Describe each row by the training rows that it is linked to, one column for each.

    A linear model learns from these columns which rows have which labels, also from
    links to unlabelled rows, if labelled rows share them. A training row is linked to
    itself, as strongly as to any other: its labels count for the rows linked to it. New
    rows are scaled as if they were, too.

    The columns are sparse even if the rows are dense. Rows without columns of their
    own can be described as well: pass None as ``X``.

    Parameters
    ----------
    n_steps : {1, 2}, default=2
        With two steps, the columns of the linked rows are averaged for further columns.
    weight : float, default=2.0
        The length of the columns of each step, relative to the length of the row if it
        is sparse, and to 1 otherwise.
    max_columns : int or None, default=200
        Only this many of the largest values of each row and step are kept. None means
        all.
    log : bool, default=True
        Whether to use the logarithm of weights, as in :class:`LinkMeans`.

    Attributes
    ----------
    n_targets_ : int
        Number of training rows, to which links of new rows lead.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from hilabel.views import LinkIds
    >>> links = [[0, 1, 1], [1, 0, 0], [1, 0, 0]]
    >>> view = LinkIds(n_steps=1, weight=1.0)
    >>> view.fit_transform(None, links=links).toarray().round(2)
    array([[0.58, 0.58, 0.58],
           [0.71, 0.71, 0.  ],
           [0.71, 0.  , 0.71]])
    >>> view.transform(None, links=[[0, 1, 0]]).toarray().round(2)  # a new row
    array([[0.  , 0.71, 0.  ]])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_steps": [Interval(Integral, 1, 2, closed="both")],
        "weight": [Interval(Real, 0, None, closed="neither")],
        "max_columns": [Interval(Integral, 1, None, closed="left"), None],
        "log": ["boolean"],
    }

    _saved_attributes: ClassVar[dict[str, Any]] = {
        "_usual_length": Number(0),
        "_is_sparse": bool,
        "_links": Maybe(Sparse("f8", ("n_targets", "n_targets"), 0)),
    }

    def __init__(
        self,
        n_steps: int = 2,
        *,
        weight: float = 2.0,
        max_columns: int | None = 200,
        log: bool = True,
    ) -> None:
        self.n_steps = n_steps
        self.weight = weight
        self.max_columns = max_columns
        self.log = log

    def is_always_sparse(self) -> bool:
        """Return True, since there are as many columns as training rows."""
        return True

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return a name with the number of the training row for each column."""
        check_is_fitted(self)
        return np.array(
            [
                f"linked{'' if step == 0 else step + 1}_{number}"
                for step in range(self.n_steps)
                for number in range(self.n_targets_)
            ],
            dtype=object,
        )

    def is_sound(self) -> bool:
        """Return whether links are as declared; used to check model files."""
        links = getattr(self, "_links", None)
        return (
            super().is_sound()
            and (links is not None) == (self.n_steps > 1)
            and (links is None or links.shape[0] == self.n_targets_)
        )

    def _fit_rows(self, rows: Any, weights: sp.csr_array, y: Any) -> None:
        self._usual_length, self._is_sparse = usual_length(rows), sp.issparse(rows)
        if self.n_steps > 1:
            self._links = weights
        elif hasattr(self, "_links"):
            del self._links  # of an earlier fit

    def _n_columns_out(self) -> int:
        return self.n_steps * self.n_targets_

    def _described(self, rows: Any, weights: sp.csr_array, is_training: bool) -> Any:
        own = np.arange(self.n_targets_) if is_training else None
        parts = [self._ids(weights, own)]
        if self.n_steps > 1:
            shares, of_linked = shares_of(weights), parts[0]
            if not is_training:
                targets, shares = linked_alone(shares)
                of_linked = self._ids(self._links[targets], targets)
            means = capped_product(shares, of_linked, self.max_columns)
            parts.append(to_length(means, np.ones(means.shape[0])))
        lengths = self.weight * row_lengths(rows, self._usual_length, self._is_sparse)
        scaled = [sp.diags_array(lengths) @ one for one in parts]
        return sp.csr_array(sp.hstack(scaled, format="csr"))

    def _ids(self, weights: sp.csr_array, own: IntArray | None) -> sp.csr_array:
        """Return the columns of rows with these links, including their own column.

        With it, rows have length 1. New rows have none, but the same scale.
        """
        has_links = np.diff(weights.indptr) > 0
        strongest = np.ones(weights.shape[0])
        if has_links.any():
            starts = weights.indptr[:-1][has_links]
            strongest[has_links] = np.maximum.reduceat(weights.data, starts)
        if own is not None:
            places = (np.arange(own.size), own)
            itself = sp.csr_array((strongest, places), shape=weights.shape)
            weights = sp.csr_array(weights + itself)
        ids = largest_values(weights.copy(), self.max_columns)
        squares = np.asarray((ids * ids).sum(axis=1)).ravel()
        if own is None:
            squares += strongest**2
        ids.data /= np.sqrt(np.repeat(squares, np.diff(ids.indptr)))
        return ids
