"""Logistic regression for all nodes together."""

from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar, Final

import numpy as np
import scipy.sparse as sp
from scipy.optimize import minimize
from scipy.special import expit, logit
from threadpoolctl import ThreadpoolController

from hilabel._compat import Interval
from hilabel._saved_types import Array
from hilabel._typing import ArrayLike, FloatArray, MatrixLike
from hilabel.classifiers._base import BaseHierarchicalClassifier
from hilabel.classifiers._tags import MethodTags
from hilabel.classifiers._training_data import TrainingData
from hilabel.constraints import cap_by_parents
from hilabel.views import ColumnScaling

_MAX_STEPS: Final = 200
# Label shares are clipped this far from 0 and 1 before they become intercepts.
_LEAST_SHARE: Final = 1e-3
# Larger values could make sums overflow.
_LARGEST: Final = 1e100


@dataclass(eq=False, repr=False, kw_only=True)
class LogisticClassifier(BaseHierarchicalClassifier):
    """A logistic regression for every node, all fitted together.

    The models are one-vs-rest: each node has its own coefficients and is trained on all
    rows. All nodes share the same rows, so an optimisation step takes only two matrix
    products, and thousands of nodes are practical. The score of each node is capped at
    the lowest score of its parents.

    Handles trees and DAGs, with one or several paths per row that may end at any depth.
    Unlabelled rows are ignored. Columns are scaled to the same spread, and missing
    values are replaced with the mean of their column. Sparse input stays sparse.

    Parameters
    ----------
    hierarchy : Hierarchy or None
        None means no edges.
    C : float, default=0.1
        Inverse of the strength of the L2 penalty, as in scikit-learn: larger values fit
        the labels more closely.
    scale : bool, default=True
        Whether to scale columns. Normalised rows of word weights are best left
        unscaled, with a larger ``C``.

    Attributes
    ----------
    coef_ : ndarray of shape (n_nodes, n_features)
        Coefficients of the scaled columns.
    intercept_ : ndarray of shape (n_nodes,)
    hierarchy_, classes_, n_features_in_, feature_names_in_
        As in the other estimators.

    Examples
    --------
    >>> from hilabel import Hierarchy
    >>> from hilabel.classifiers import LogisticClassifier
    >>> h = Hierarchy.from_edges([("a", "b")])
    >>> X, y = [[0], [1], [2], [3]], [[0, 0], [0, 0], [1, 0], [1, 1]]
    >>> model = LogisticClassifier(h, C=1.0).fit(X, y)
    >>> model.predict_proba([[0], [3]]).round(2)
    array([[0.22, 0.09],
           [0.78, 0.45]], dtype=float32)
    """

    method_tags: ClassVar[MethodTags] = MethodTags(
        partial_labels=True,
        name="Logistic regression",
        summary="linear, all nodes",
        use="Words, embeddings and other features with additive effects.",
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseHierarchicalClassifier._parameter_constraints,
        "C": [Interval(Real, 0, None, closed="neither")],
        "scale": ["boolean"],
    }

    C: float = 0.1
    scale: bool = True

    _saved_attributes: ClassVar[dict[str, Any]] = {
        "coef_": Array("f8", ("n_nodes", "n_features"), -_LARGEST, _LARGEST),
        "intercept_": Array("f8", ("n_nodes",), -_LARGEST, _LARGEST),
        "_scaling": ColumnScaling,
    }

    def is_sound(self) -> bool:
        """Return whether every node has a coefficient for every column."""
        shape = (self.classes_.size, self.n_features_in_)
        return (
            super().is_sound()
            and self.coef_.shape == shape
            and self._scaling.n_features == self.n_features_in_
        )

    def _fit(self, data: TrainingData) -> None:
        self._scaling = ColumnScaling.of(data.X_labeled, self.scale)
        X = self._scaling.apply(data.X_labeled)
        center = self._scaling.center_of(X)
        problem = _Problem(X, center, data, 1 / self.C)
        # Products are small, and waiting threads cost more than they save. With one
        # thread, the result is also bit-identical on any machine.
        with ThreadpoolController().limit(limits=1, user_api="blas"):
            found = minimize(
                problem.loss,
                problem.start(),
                jac=True,
                method="L-BFGS-B",
                options={"maxiter": _MAX_STEPS, "maxcor": 10, "ftol": 1e-7},
            )
        weights, intercept = problem.parts(found.x)
        self.coef_, self.intercept_ = weights.T.copy(), intercept.copy()

    def _predict_scores(self, X: Any) -> FloatArray:
        moved = self.intercept_ - self.coef_ @ self._scaling.center_of(X)
        outputs = self._scaling.apply(X) @ self.coef_.T + moved
        scores = expit(outputs).astype(np.float32)
        return cap_by_parents(scores, self.hierarchy_)

    def contributions(self, X: MatrixLike, nodes: ArrayLike) -> FloatArray:
        """Return the contribution of each column to the log odds of the given nodes.

        The contributions and the intercept sum to the log odds of the score before
        capping.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        nodes : array-like of int of shape (n_some,)

        Returns
        -------
        ndarray of shape (n_samples, n_some, n_features)

        Examples
        --------
        >>> from hilabel.classifiers import LogisticClassifier
        >>> X, y = [[0, 5], [1, 5], [2, 5], [3, 5]], [[0], [0], [1], [1]]
        >>> LogisticClassifier(C=1.0).fit(X, y).contributions([[3, 5]], [0]).round(2)
        array([[[1.27, 0.  ]]])
        """
        X = self._check_new_rows(X)
        rows = self._scaling.apply(X)
        rows = rows.toarray() if sp.issparse(rows) else np.asarray(rows)
        moved = rows - self._scaling.center_of(X)
        return np.asarray(moved[:, None] * self.coef_[np.asarray(nodes)])

    def _missing_value_advice(self) -> str | None:
        return None


class _Problem:
    """The penalised loss over all nodes, and its gradient."""

    def __init__(
        self, X: Any, center: FloatArray, data: TrainingData, penalty: float
    ) -> None:
        self._X = X
        self._center = center
        self._labels = data.Y_labeled.astype(np.float64)
        self._known = None if data.known is None else data.known.astype(np.float64)
        self._penalty = penalty
        self._prior = np.clip(data.prior, _LEAST_SHARE, 1 - _LEAST_SHARE)
        self._shape = (X.shape[1] + 1, self._labels.shape[1])

    def start(self) -> FloatArray:
        """Return the parameters of the constant predictor, as a starting point."""
        start = np.zeros(self._shape)
        start[-1] = logit(self._prior)
        return start.ravel()

    def parts(self, parameters: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Split parameters into coefficients (one column per node) and intercepts."""
        matrix = parameters.reshape(self._shape)
        return matrix[:-1], matrix[-1]

    def loss(self, parameters: FloatArray) -> tuple[float, FloatArray]:
        """Return the loss and its gradient."""
        weights, intercept = self.parts(parameters)
        # Rows minus the centre, without densifying sparse ones.
        outputs = self._X @ weights + (intercept - self._center @ weights)
        # log(1 + exp(z)) - y z and its slope share exp(-|z|), which never overflows.
        small = np.exp(-np.abs(outputs))
        losses = np.maximum(outputs, 0) + np.log1p(small) - self._labels * outputs
        apart = np.where(outputs >= 0, 1, small) / (1 + small) - self._labels
        if self._known is not None:
            losses *= self._known
            apart *= self._known
        slope = np.empty(self._shape)
        slope[-1] = apart.sum(axis=0)
        slope[:-1] = self._X.T @ apart - np.outer(self._center, slope[-1])
        slope[:-1] += self._penalty * weights
        penalty = 0.5 * self._penalty * np.vdot(weights, weights)
        return float(losses.sum() + penalty), slope.ravel()
