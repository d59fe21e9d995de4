"""Describe each row by the columns of the rows that it is linked to."""

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from hilabel._compat import Interval
from hilabel._saved_types import Maybe, Sparse, saved_type
from hilabel.views._averaged_rows import AveragedRows
from hilabel.views._link_shares import linked_alone, shares_of
from hilabel.views._link_view import BaseLinkView
from hilabel.views._row_lengths import to_length


@saved_type
class LinkMeans(BaseLinkView):
    """Describe each row by the mean of the rows that it is linked to.

    Labels are not used, so unlabelled rows are as useful as labelled rows: fit the
    transformer on all available rows and the links between them, as
    :class:`~hilabel.semi_supervised.ViewsClassifier` does. Training rows get the same
    columns from ``fit_transform`` and ``transform``.

    Links are followed in the direction in which they are given, from the row of the
    matrix to its column. If the direction does not matter, pass
    :meth:`~hilabel.links.Links.both_ways`.

    Sparse rows stay sparse: rows of equal length are averaged, and the means have a
    length relative to that of their row. A row without links has an empty mean. Dense
    rows are averaged as they are, and a row without links gets the mean of all rows. A
    further column then contains the logarithm of 1 plus the number of links.

    Parameters
    ----------
    n_steps : {1, 2}, default=1
        With two steps, the means of the linked rows are averaged once more, for columns
        of their own.
    weight : float, default=0.7
        The length of a sparse mean, relative to the length of its row.
    max_columns : int or None, default=200
        Only this many of the largest values of each sparse mean are kept. Otherwise,
        two steps over many links have values in most columns. None means all.
    log : bool, default=True
        Whether to average by the logarithm of weights, which are divided by their
        median and increased by 1 before. This suits bit scores and counts.

    Attributes
    ----------
    n_targets_ : int
        Number of training rows, to which links of new rows lead.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from hilabel.views import LinkMeans
    >>> links = [[0, 1, 1], [1, 0, 0], [0, 0, 0]]
    >>> view = LinkMeans().fit([[1.0], [4.0], [8.0]], links=links)
    >>> view.transform([[1.0], [8.0]], links=[[0, 1, 1], [0, 0, 0]]).round(2)
    array([[6.  , 1.1 ],
           [4.33, 0.  ]])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_steps": [Interval(Integral, 1, 2, closed="both")],
        "weight": [Interval(Real, 0, None, closed="neither")],
        "max_columns": [Interval(Integral, 1, None, closed="left"), None],
        "log": ["boolean"],
    }

    _saved_attributes: ClassVar[dict[str, Any]] = {
        "_rows": AveragedRows,
        "_shares": Maybe(Sparse("f8", ("n_targets", "n_targets"), 0)),
    }

    def __init__(
        self,
        n_steps: int = 1,
        *,
        weight: float = 0.7,
        max_columns: int | None = 200,
        log: bool = True,
    ) -> None:
        self.n_steps = n_steps
        self.weight = weight
        self.max_columns = max_columns
        self.log = log

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return the feature names, prefixed with ``links_`` and ``links2_``."""
        check_is_fitted(self)
        given = self._feature_names(input_features)
        names = [
            f"links{'' if step == 0 else step + 1}_{name}"
            for step in range(self.n_steps)
            for name in given
        ]
        return np.array([*names, *(() if self._rows.is_sparse else ("n_links",))], "O")

    def is_sound(self) -> bool:
        """Return whether there are rows to average; used to check model files."""
        shares = getattr(self, "_shares", None)
        return (
            super().is_sound()
            and self._rows.shape == (self.n_targets_, self.n_features_in_)
            and (shares is not None) == (self.n_steps > 1)
            and (shares is None or shares.shape[0] == self.n_targets_)
        )

    def _fit_rows(self, rows: Any, weights: sp.csr_array, y: Any) -> None:
        self._rows = AveragedRows.of(rows)
        if self.n_steps > 1:
            self._shares = shares_of(weights)
        elif hasattr(self, "_shares"):
            del self._shares  # of an earlier fit

    def _n_columns_out(self) -> int:
        n_means = self.n_steps * self.n_features_in_
        return n_means if self._rows.is_sparse else n_means + 1

    def _described(self, rows: Any, weights: sp.csr_array, is_training: bool) -> Any:
        shares = shares_of(weights)
        means = [self._rows.means(shares, self.max_columns)]
        if self.n_steps > 1:
            if is_training:
                of_linked = means[0]
            else:
                targets, shares = linked_alone(shares)
                of_linked = self._rows.means(self._shares[targets], self.max_columns)
            means.append(self._rows.means_of(of_linked, shares, self.max_columns))
        if not self._rows.is_sparse:
            n_links = np.log1p(np.diff(weights.indptr))[:, None]
            found = np.hstack([*means, n_links])
            return sp.csr_array(found) if sp.issparse(rows) else found
        lengths = self.weight * self._rows.lengths(rows)
        parts = [to_length(one, lengths) for one in means]
        found = sp.csr_array(sp.hstack(parts, format="csr"))
        return found if sp.issparse(rows) else found.toarray()
