"""Describe each row by the columns of its nearest rows."""

from numbers import Integral, Real
from typing import Any, ClassVar, Final, Literal, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from hilabel._compat import Interval, StrOptions
from hilabel._matrices import row_blocks
from hilabel._saved_types import Count, Maybe, Words, saved_type
from hilabel._typing import FloatArray, IntArray, MatrixLike
from hilabel._validation import check_features
from hilabel.views._largest_values import largest_values
from hilabel.views._row_lengths import to_length
from hilabel.views._rows_by_angle import ANGLES, RowsByAngle

# Entries of the neighbours of rows that are added up at a time.
_ENTRIES_AT_ONCE: Final = 2**22
# A row at most this far away, by rounding, is the row itself.
_NO_DISTANCE: Final = 1e-12


@saved_type
class NeighborColumns(TransformerMixin, BaseEstimator):
    """Describe each row by the columns of its nearest rows.

    Rows of words or domains are sparse: two rows on the same topic may share few
    columns, but both share columns with other rows. The mean of the nearest rows, by
    angle and weighted by the cosine, adds their columns. Labels are not used, so
    unlabelled rows are as useful as labelled rows: fit the transformer on all available
    rows, and append its columns to those of the rows, as
    :class:`~hilabel.semi_supervised.ViewsClassifier` does.

    Sparse matrices stay sparse. A row is not its own neighbour: of the training rows
    equal to a row, one is left out. Training rows therefore get the same columns from
    ``fit_transform`` and ``transform``.

    Parameters
    ----------
    n_neighbors : int, default=20
        Number of rows to average.
    weight : float, default=1.0
        The length of a mean, relative to the length of its row.
    max_columns : int or None, default=200
        Only this many of the largest values of each mean are kept. Means have many
        small values that cost time and add little. None means all.
    by : {"auto", "angle", "rarity"}, default="auto"
        Compare rows as they are, or with columns weighted by how few rows have them. By
        default, columns are weighted if all values are whole numbers, such as 0 and 1.
        Weights of words (TF-IDF) already include how few rows have them.
    n_jobs : int, optional
        Number of threads that search neighbours.

    Attributes
    ----------
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> import scipy.sparse as sp
    >>> from hilabel.views import NeighborColumns
    >>> X = sp.csr_array(np.array([[1.0, 0, 0], [1, 1, 0], [0, 1, 1]]))
    >>> view = NeighborColumns(n_neighbors=2, by="angle")
    >>> view.fit_transform(X).toarray().round(2)  # lengths of rows are kept
    array([[0.71, 0.71, 0.  ],
           [1.15, 0.58, 0.58],
           [1.  , 1.  , 0.  ]])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "weight": [Interval(Real, 0, None, closed="neither")],
        "max_columns": [Interval(Integral, 1, None, closed="left"), None],
        "by": [StrOptions({*ANGLES, "auto"})],
        "n_jobs": [Integral, None],
    }

    _saved_attributes: ClassVar[dict[str, Any]] = {
        "n_features_in_": Count(1),
        "feature_names_in_": Maybe(Words("n_features")),
        "_rows": RowsByAngle,
        "_sklearn_output_config": Maybe(
            dict[str, Literal["default", "pandas", "polars"]]
        ),
    }

    def __init__(
        self,
        n_neighbors: int = 20,
        *,
        weight: float = 1.0,
        max_columns: int | None = 200,
        by: str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weight = weight
        self.max_columns = max_columns
        self.by = by
        self.n_jobs = n_jobs

    def fit(self, X: MatrixLike, y: Any = None) -> Self:
        """Store the rows; ``y`` is ignored.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
        y : ignored

        Returns
        -------
        self
        """
        self._fit_rows(X)
        return self

    def fit_transform(self, X: MatrixLike, y: Any = None, **params: Any) -> Any:
        """Store the rows, and return the columns of the neighbours of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
        y : ignored
        **params : ignored

        Returns
        -------
        array or csr_array of shape (n_rows, n_features)
        """
        rows = self._fit_rows(X)
        search = self._rows.search(n_jobs=self.n_jobs)
        found = self._rows.nearest_others(self.n_neighbors, search)
        return self._described(rows, *found)

    def transform(self, X: MatrixLike) -> Any:
        """Return, for each row, the mean of the nearest training rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)

        Returns
        -------
        array or csr_array of shape (n_rows, n_features)
        """
        check_is_fitted(self)
        rows = self._check(X, reset=False)
        return self._described(rows, *self._nearest(rows))

    def neighbors(self, X: MatrixLike) -> tuple[IntArray, FloatArray]:
        """Return the training rows nearest to each row, and their distances.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        neighbors : int array of shape (n_samples, k)
            Numbers of training rows, nearest first, without one that equals the row.
        distances : ndarray of shape (n_samples, k)
            1 - the cosine of the angle.
        """
        check_is_fitted(self)
        return self._nearest(self._check(X, reset=False))

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return the feature names, prefixed with ``neighbors_``."""
        check_is_fitted(self)
        if input_features is None:
            numbered = [f"x{number}" for number in range(self.n_features_in_)]
            input_features = getattr(self, "feature_names_in_", numbered)
        return np.array([f"neighbors_{name}" for name in input_features], object)

    def is_sound(self) -> bool:
        """Return whether the stored rows have the columns of the training rows."""
        names = getattr(self, "feature_names_in_", None)
        return self._rows.n_features == self.n_features_in_ and (
            names is None or names.size == self.n_features_in_
        )

    def _fit_rows(self, X: MatrixLike) -> Any:
        self._validate_params()
        rows = self._check(X, reset=True)
        self._rows = RowsByAngle.of(sp.csr_array(rows), self._comparison(rows))
        return rows

    def _comparison(self, rows: Any) -> str:
        if self.by != "auto":
            return self.by
        values = rows.data if sp.issparse(rows) else rows
        values = values[~np.isnan(values)]
        return "rarity" if (values == np.rint(values)).all() else "angle"

    def _check(self, X: MatrixLike, *, reset: bool) -> Any:
        return check_features(
            validate_data,
            self,
            X,
            reset=reset,
            accept_sparse="csr",
            ensure_all_finite="allow-nan",
        )

    def _nearest(self, rows: Any) -> tuple[IntArray, FloatArray]:
        search = self._rows.search(n_jobs=self.n_jobs)
        k = min(self.n_neighbors, self._rows.n_rows - 1)
        found, distances = self._rows.nearest(rows, k + 1, search)
        # One place is left out: that of an equal row, or else the last.
        equal = distances[:, :1] <= _NO_DISTANCE
        places = np.arange(k) + equal
        return (
            np.take_along_axis(found, places, axis=1),
            np.take_along_axis(distances, places, axis=1),
        )

    def _described(self, rows: Any, found: IntArray, distances: FloatArray) -> Any:
        """Return the means of the found rows, as sparse as ``rows``."""
        lengths = self.weight * self._rows.lengths(rows)
        parts = [
            self._means(found[part], distances[part], lengths[part])
            for part in self._blocks(found.shape)
        ]
        means = sp.csr_array(sp.vstack(parts, format="csr"))
        return means if sp.issparse(rows) else means.toarray()

    def _blocks(self, shape: tuple[int, int]) -> Any:
        """Return slices of rows whose neighbours have a bounded number of entries."""
        n_entries = self._rows.rows.nnz / self._rows.n_rows
        return row_blocks(
            (shape[0], max(1, int(shape[1] * n_entries))), _ENTRIES_AT_ONCE
        )

    def _means(
        self, found: IntArray, distances: FloatArray, lengths: FloatArray
    ) -> Any:
        n_rows, k = found.shape
        shares = np.maximum(1 - distances, 0).ravel()
        starts = np.arange(0, n_rows * k + 1, k) if k else np.zeros(n_rows + 1, int)
        form = (n_rows, self._rows.n_rows)
        shared = sp.csr_array((shares, found.ravel(), starts), form)
        means = largest_values(shared @ self._rows.rows, self.max_columns)
        return to_length(means, lengths)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags
