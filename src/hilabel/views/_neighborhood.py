"""Describe each row by its neighbourhood among all rows."""

from numbers import Integral
from typing import Any, ClassVar, Literal, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from hilabel._compat import Interval, StrOptions
from hilabel._saved_types import Count, Maybe, Words, saved_type
from hilabel._typing import FloatArray, IntArray, MatrixLike
from hilabel._validation import check_features
from hilabel.neighbors import BACKENDS, NeighborSearch
from hilabel.views._comparable import ROWS, ComparableRows, filled


@saved_type
class NeighborhoodMeans(TransformerMixin, BaseEstimator):
    """Replace each row by the mean of its nearest rows.

    Labels are not used, so unlabelled rows are as useful as labelled rows: fit the
    transformer on all available rows. In a ``Pipeline`` before a semi-supervised
    classifier, these include the rows that are -1 in ``y``. The neighbours of new rows
    are training rows.

    Distances are computed on columns scaled to the same spread; missing values are
    replaced by the mean of their column. Sparse matrices stay sparse.

    Parameters
    ----------
    n_neighbors : int, default=11
        Number of rows to average.
    metric : {"euclidean", "correlation"}, default="euclidean"
        Compare rows by distance, or by correlation, regardless of their level. For
        sparse matrices, the cosine is used instead of the correlation.
    include_self : bool, default=True
        Whether a training row is one of its own neighbours. Only used by
        ``fit_transform``.
    local_scaling : bool, default=False
        Whether distances are considered relative to the density around the neighbour.
        Otherwise, a few central rows are neighbours of very many rows, in particular
        if there are many columns.
    backend : {"auto", "exact", "cells", "pynndescent"}, default="auto"
        How neighbours are searched; see :func:`hilabel.neighbors.make_search`.
    n_jobs : int, optional
    random_state : int, RandomState or None
        Seed of approximate searches.

    Attributes
    ----------
    rows_ : array or csr matrix of shape (n_rows, n_features)
        The training rows, with missing values replaced by the mean.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from hilabel.views import NeighborhoodMeans
    >>> view = NeighborhoodMeans(n_neighbors=2)
    >>> view.fit_transform([[0.0], [2.0], [10.0], [12.0]])
    array([[ 1.],
           [ 1.],
           [11.],
           [11.]])
    >>> view.transform([[9.0]])
    array([[11.]])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "metric": [StrOptions({"euclidean", "correlation"})],
        "include_self": ["boolean"],
        "local_scaling": ["boolean"],
        "backend": [StrOptions(set(BACKENDS))],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    _saved_attributes: ClassVar[dict[str, Any]] = {
        "n_features_in_": Count(1),
        "feature_names_in_": Maybe(Words("n_features")),
        "rows_": ROWS,
        "_rows": ComparableRows,
        "_sklearn_output_config": Maybe(
            dict[str, Literal["default", "pandas", "polars"]]
        ),
    }

    def __init__(
        self,
        n_neighbors: int = 11,
        *,
        metric: str = "euclidean",
        include_self: bool = True,
        local_scaling: bool = False,
        backend: str = "auto",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.include_self = include_self
        self.local_scaling = local_scaling
        self.backend = backend
        self.n_jobs = n_jobs
        self.random_state = random_state

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
        """Store the rows and return the mean of the neighbours of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
        y : ignored
        **params : ignored

        Returns
        -------
        array or csr matrix of shape (n_rows, n_features)
        """
        rows = self._fit_rows(X)
        search = self._search()
        if self.include_self:
            return self._means_of(self._rows.nearest(rows, self.n_neighbors, search)[0])
        return self._means_of(self._rows.nearest_others(self.n_neighbors, search)[0])

    def transform(self, X: MatrixLike) -> Any:
        """Return, for each row, the mean of the nearest training rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)

        Returns
        -------
        array or csr matrix of shape (n_rows, n_features)
        """
        return self._means_of(self.neighbors(X)[0])

    def neighbors(self, X: MatrixLike) -> tuple[IntArray, FloatArray]:
        """Return the training rows nearest to each row, and their distances.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        neighbors : int array of shape (n_samples, k)
            Numbers of training rows, nearest first.
        distances : ndarray of shape (n_samples, k)
        """
        check_is_fitted(self)
        rows = self._check(X, reset=False)
        return self._rows.nearest(rows, self.n_neighbors, self._search())

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return the feature names, prefixed with ``neighborhood_``."""
        check_is_fitted(self)
        if input_features is None:
            numbered = [f"x{number}" for number in range(self.n_features_in_)]
            input_features = getattr(self, "feature_names_in_", numbered)
        return np.array([f"neighborhood_{name}" for name in input_features], object)

    def is_sound(self) -> bool:
        """Return whether the rows to search and the rows to average match."""
        names = getattr(self, "feature_names_in_", None)
        return (
            self.rows_.shape == self._rows.values.shape
            and sp.issparse(self.rows_) == sp.issparse(self._rows.values)
            and self.rows_.shape[1] == self.n_features_in_
            and (names is None or names.size == self.n_features_in_)
        )

    def _fit_rows(self, X: MatrixLike) -> Any:
        self._validate_params()
        rows = self._check(X, reset=True)
        self._rows = ComparableRows.of(rows, self.metric)
        if self.local_scaling:
            self._rows = self._rows.with_reach(self._search())
        self.rows_ = filled(rows, self._rows.scaling.mean)
        return rows

    def _search(self) -> NeighborSearch:
        return self._rows.search(self.backend, self.n_jobs, self.random_state)

    def _check(self, X: MatrixLike, *, reset: bool) -> Any:
        return check_features(
            validate_data,
            self,
            X,
            reset=reset,
            accept_sparse="csr",
            ensure_all_finite="allow-nan",
        )

    def _means_of(self, neighbors: IntArray) -> Any:
        if not sp.issparse(self.rows_):
            return self.rows_[neighbors].mean(axis=1)
        n_rows, k = neighbors.shape
        starts = np.arange(0, n_rows * k + 1, k)
        shares = np.full(neighbors.size, 1 / k)
        form = (n_rows, self.rows_.shape[0])
        return sp.csr_array((shares, neighbors.ravel(), starts), form) @ self.rows_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags
