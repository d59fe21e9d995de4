"""Base class of views over links: they accept rows and the links between them."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from hilabel._saved_types import Count, Maybe, Words
from hilabel._typing import MatrixLike
from hilabel._validation import check_features
from hilabel.exceptions import LinkError
from hilabel.links import Links, LinkWeights

GivenLinks = Links | MatrixLike | Mapping[str, MatrixLike]


class BaseLinkView(TransformerMixin, BaseEstimator):
    """Base class for transformers that describe rows by the rows they are linked to.

    A subclass implements ``_fit_rows``, ``_described`` and ``_n_columns_out``. It may
    use labels if ``uses_labels`` is True.

    Examples
    --------
    >>> from hilabel.views import BaseLinkView, LinkMeans
    >>> issubclass(LinkMeans, BaseLinkView)
    True
    """

    uses_labels: ClassVar[bool] = False
    """Whether ``fit`` needs labels."""

    _saved_attributes: ClassVar[dict[str, Any]] = {
        "n_features_in_": Count(1),
        "feature_names_in_": Maybe(Words("n_features")),
        "n_targets_": Count(0),
        "_weights": LinkWeights,
        "_sklearn_output_config": Maybe(
            dict[str, Literal["default", "pandas", "polars"]]
        ),
    }

    def fit(
        self, X: MatrixLike | None, y: Any = None, links: GivenLinks | None = None
    ) -> Self:
        """Learn from rows and the links between them.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features), or None
            None if there are only links.
        y : label matrix of n_rows rows, optional
            Ignored, unless the view uses labels.
        links : Links, matrix or dict of matrices of shape (n_rows, n_rows)
            The weights of links between the rows; links from a row to itself are
            dropped.

        Returns
        -------
        self
        """
        self._fit(X, y, links)
        return self

    def fit_transform(
        self,
        X: MatrixLike | None,
        y: Any = None,
        links: GivenLinks | None = None,
        **params: Any,
    ) -> Any:
        """Learn from rows and the links between them, and describe the rows.

        Parameters
        ----------
        X, y, links
            As in :meth:`fit`.
        **params : ignored

        Returns
        -------
        array or csr_array of shape (n_rows, n_columns)
        """
        rows, weights = self._fit(X, y, links)
        return self._described(rows, weights, is_training=True)

    def transform(self, X: MatrixLike | None, links: GivenLinks | None = None) -> Any:
        """Describe rows by the training rows that they are linked to.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or None
        links : Links, matrix or dict, of shape (n_samples, n_training_rows)
            Links from these rows to the rows passed to ``fit``. A row that was passed
            to ``fit``, too, must not be linked to itself.

        Returns
        -------
        array or csr_array of shape (n_samples, n_columns)
        """
        check_is_fitted(self)
        given = _given(links, type(self).__name__)
        rows = self._check(_rows_of(X, given), reset=False)
        checked = Links.of(given, rows.shape[0], self.n_targets_)
        return self._described(rows, self._weight(checked), is_training=False)

    @property
    def n_columns_out(self) -> int:
        """The number of columns that ``transform`` returns."""
        check_is_fitted(self)
        return self._n_columns_out()

    def is_always_sparse(self) -> bool:
        """Return whether columns are sparse even if rows are dense."""
        return False

    def is_sound(self) -> bool:
        """Return whether fitted attributes are consistent; used to check model files.

        Subclasses add checks for their own attributes.
        """
        names = getattr(self, "feature_names_in_", None)
        return names is None or names.size == self.n_features_in_

    # For subclasses -----------------------------------------------------------------

    @abstractmethod
    def _fit_rows(self, rows: Any, weights: sp.csr_array, y: Any) -> None:
        """Learn from checked rows and the weights of their links."""

    @abstractmethod
    def _described(self, rows: Any, weights: sp.csr_array, is_training: bool) -> Any:
        """Return the columns of checked rows."""

    @abstractmethod
    def _n_columns_out(self) -> int:
        """Return the number of columns of a row."""

    def _feature_names(self, input_features: Any = None) -> Any:
        if input_features is not None:
            return input_features
        numbered = [f"x{number}" for number in range(self.n_features_in_)]
        return getattr(self, "feature_names_in_", numbered)

    def _weight(self, links: Links) -> sp.csr_array:
        """Return the weights of links; a usual one has weight 1."""
        return self._weights.of_links(links.of_kinds([*self._weights.medians]))

    def _fit(self, X: Any, y: Any, links: Any) -> tuple[Any, sp.csr_array]:
        self._validate_params()
        given = _given(links, type(self).__name__)
        rows = self._check(_rows_of(X, given), reset=True)
        self.n_targets_ = int(rows.shape[0])
        checked = Links.of(given, self.n_targets_)
        transform = "log" if getattr(self, "log", True) else "raw"
        self._weights = LinkWeights.of(checked, transform)
        weights = self._weight(checked)
        self._fit_rows(rows, weights, y)
        return rows, weights

    def _check(self, X: Any, *, reset: bool) -> Any:
        return check_features(
            validate_data,
            self,
            X,
            reset=reset,
            accept_sparse="csr",
            ensure_all_finite="allow-nan",
        )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags


def _given(links: Any, name: str) -> Any:
    if links is None:
        raise LinkError(
            f"Expected links for {name}, got None; pass links=, a matrix with a row "
            "for each row of X and a column for each training row."
        )
    return links


def _rows_of(X: Any, links: Any) -> Any:
    """Return the given rows or, if there are only links, rows without values."""
    if X is not None:
        return X
    is_dict = isinstance(links, Mapping) and not sp.issparse(links)
    one = next(iter(links.values())) if is_dict else links
    n_rows = one.shape[0] if hasattr(one, "shape") else len(one)
    return np.zeros((n_rows, 1))
