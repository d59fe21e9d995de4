"""Rows of any shape, such as images, which are flat wherever rows are compared."""

from dataclasses import replace
from math import prod
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_array

from hilabel._saved_types import Maybe
from hilabel._typing import BoolArray, FloatArray, MatrixLike
from hilabel._validation import check_features
from hilabel.classifiers import DelegatesToFitted, HierarchicalNetwork, TrainingData


class TakesRowsInShape(DelegatesToFitted):
    """Base class for methods that compare rows and train any classifier on them.

    If the classifier is a network with a backbone, rows may have any shape. They are
    flattened for distances, which are those of pixels, and the network gets them in
    their shape. New rows may also be flat.
    """

    _saved_attributes: ClassVar[dict[str, Any]] = {
        "_row_shape": Maybe(tuple[int, ...]),
    }

    _row_shape: tuple[int, ...] | None = None  # set only if rows are not flat

    def _check_rows(self, X: MatrixLike, *, reset: bool) -> Any:
        if reset and self._row_shape is not None:
            del self._row_shape  # of an earlier fit
        # Lists have no ndim, and other containers may not support NumPy's functions.
        n_axes = X.ndim if hasattr(X, "ndim") else np.asarray(X).ndim
        if n_axes > 2 and _has_backbone(self._template()):
            X = check_features(check_array, X, allow_nd=True, ensure_all_finite=False)
            if reset:
                self._row_shape = X.shape[1:]
            if X.shape[1:] != self._row_shape:
                expected = self._row_shape or (self.n_features_in_,)
                raise ValueError(
                    f"Expected rows of shape {expected}, as in training, got rows of "
                    f"shape {X.shape[1:]}."
                )
            X = X.reshape(X.shape[0], -1)
        return super()._check_rows(X, reset=reset)

    def _one_row(self, row: MatrixLike) -> Any:
        """Return a single row as a table of one row."""
        row = np.asarray(row)
        return row[None] if row.shape == self._row_shape else np.atleast_2d(row)

    def _in_shape(self, X: Any) -> Any:
        """Return flat rows in the shape that the classifier expects."""
        return X if self._row_shape is None else X.reshape(-1, *self._row_shape)

    def _data_in_shape(self, data: TrainingData) -> TrainingData:
        return replace(
            data,
            X_labeled=self._in_shape(data.X_labeled),
            X_unlabeled=self._in_shape(data.X_unlabeled),
        )

    def _predict_scores(self, X: Any) -> FloatArray:
        return super()._predict_scores(self._in_shape(X))

    def _predict_labels(self, X: Any) -> BoolArray:
        return super()._predict_labels(self._in_shape(X))

    def _is_width_sound(self, fitted: Any) -> bool:
        shape = self._row_shape
        if shape is None:
            return super()._is_width_sound(fitted)
        is_flat_width = prod(shape) == self.n_features_in_
        return is_flat_width and fitted._input_shape == shape


def _has_backbone(classifier: Any) -> bool:
    is_network = isinstance(classifier, HierarchicalNetwork)
    return is_network and classifier.backbone is not None
