"""Numbers made ready for a classifier: missing values filled, columns scaled."""

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted

from hilabel._compat import StrOptions
from hilabel._saved_types import saved_type
from hilabel._typing import FloatArray, MatrixLike

__all__ = ["NumericPreparation"]


@saved_type
class NumericPreparation(TransformerMixin, BaseEstimator):
    """Fill missing values and scale columns, the same way for every table.

    Parameters
    ----------
    impute : {"mean", "median", "zero"} or None, default="mean"
        What takes the place of NaN; a column without any value gets 0. None leaves
        NaN where it is.
    scale : {"standard", "range"} or None, default="standard"
        ``"standard"`` gives each column mean 0 and standard deviation 1, ``"range"``
        puts its values between 0 and 1, and cuts off what lies beyond those seen in
        ``fit``. Constant columns become 0.
    keep : sequence of int, default=()
        Columns that are not scaled, such as the 0 and 1 of encoded words.

    Attributes
    ----------
    fill_, center_, spread_ : ndarray of shape (n_features,)
        ``transform`` returns ``(filled - center_) / spread_``.
    n_features_in_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.datasets import NumericPreparation
    >>> X = np.array([[1.0, 0.0], [3.0, 1.0], [np.nan, 1.0]])
    >>> NumericPreparation(scale="range", keep=[1]).fit_transform(X)
    array([[0. , 0. ],
           [1. , 1. ],
           [0.5, 1. ]])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "impute": [StrOptions({"mean", "median", "zero"}), None],
        "scale": [StrOptions({"standard", "range"}), None],
        "keep": ["array-like"],
    }

    def __init__(
        self,
        impute: str | None = "mean",
        scale: str | None = "standard",
        keep: Sequence[int] = (),
    ) -> None:
        self.impute = impute
        self.scale = scale
        self.keep = keep

    def fit(self, X: MatrixLike, y: Any = None) -> Self:
        """Learn what to fill and how to scale; labels are never looked at.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        self._validate_params()
        X = _checked(X)
        self.n_features_in_ = X.shape[1]
        self.fill_ = self._fill_values(X)
        filled = np.where(np.isnan(X), self.fill_, X)
        self.center_ = np.zeros(X.shape[1])
        self.spread_ = np.ones(X.shape[1])
        seen = np.asarray(~np.isnan(filled).all(axis=0))
        seen[np.asarray(self.keep, dtype=np.intp)] = False
        if self.scale is not None and seen.any():
            values = filled[:, seen]
            if self.scale == "standard":
                center, spread = np.nanmean(values, axis=0), np.nanstd(values, axis=0)
            else:
                center = np.nanmin(values, axis=0)
                spread = np.nanmax(values, axis=0) - center
            self.center_[seen] = center
            self.spread_[seen] = np.where(spread > 0, spread, 1.0)
        return self

    def transform(self, X: MatrixLike) -> FloatArray:
        """Return the filled and scaled rows, shape (n_samples, n_features)."""
        check_is_fitted(self)
        X = _checked(X)
        if X.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {X.shape[1]} features, but NumericPreparation is expecting "
                f"{self.n_features_in_} features as input."
            )
        if self.impute is not None:
            X = np.where(np.isnan(X), self.fill_, X)
        scaled = (X - self.center_) / self.spread_
        if self.scale == "range":
            is_scaled = np.ones(X.shape[1], dtype=bool)
            is_scaled[np.asarray(self.keep, dtype=np.intp)] = False
            scaled[:, is_scaled] = np.clip(scaled[:, is_scaled], 0, 1)
        return scaled

    def _fill_values(self, X: FloatArray) -> FloatArray:
        if self.impute is None:
            return np.full(X.shape[1], np.nan)
        fill = np.zeros(X.shape[1])
        seen = ~np.isnan(X).all(axis=0)
        if self.impute != "zero" and seen.any():
            middle = np.nanmean if self.impute == "mean" else np.nanmedian
            fill[seen] = middle(X[:, seen], axis=0)
        return fill


def _checked(X: MatrixLike) -> FloatArray:
    return np.asarray(
        check_array(X, dtype=np.float64, ensure_all_finite="allow-nan"),
        dtype=np.float64,
    )
