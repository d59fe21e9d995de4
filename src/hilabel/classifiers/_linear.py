"""Linear models of all nodes, from many rows and columns."""

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Literal

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize
from sklearn.utils import check_random_state

from hilabel._compat import Interval, StrOptions
from hilabel._saved_types import Number
from hilabel._typing import ArrayLike, BoolArray, FloatArray, MatrixLike
from hilabel.classifiers._base import BaseWeightedClassifier
from hilabel.classifiers._tags import MethodTags
from hilabel.classifiers._training_data import TrainingData
from hilabel.linear import (
    LOSSES,
    NEGATIVES,
    LinearModels,
    LinearRows,
    LinearSettings,
    choose_cost,
    node_probabilities,
    train_models,
)
from hilabel.model_selection import draw_folds
from hilabel.views import ColumnScaling


@dataclass(eq=False, repr=False, kw_only=True)
class LinearClassifier(BaseWeightedClassifier):
    """A linear model for every node: logistic regression or a squared hinge.

    By default, a node learns from the rows that have all its parents, and its
    probability is multiplied by the lowest of its parents'. This is also fast: most
    nodes have few such rows. Alternatively, a node learns from all rows, or from those
    that are hard: the rows of the parents, and rows without the node that the model
    would otherwise score high. Then, its score is capped at the lowest of its parents'.

    All nodes share the rows, and keep only the weights that matter, so 60,000 texts
    with 5,000 nodes take seconds.

    Handles trees and DAGs, with one or several paths per row that may end at any depth.
    Unlabelled rows are ignored. Missing values are replaced with the mean of their
    column. Sparse input stays sparse.

    Parameters
    ----------
    hierarchy : Hierarchy or None
        None means no edges.
    loss : {"logistic", "squared_hinge"}, default="logistic"
        Scores by the squared hinge only resemble probabilities, and should be
        calibrated.
    negatives : {"parents", "mined", "all"}, default="parents"
        Which rows without a node its model learns from: those with all parents; these
        and those that are hard; or all, which takes long for many rows and nodes.
    C : float, optional
        Inverse of the strength of the L2 penalty, as in scikit-learn: larger values fit
        the labels more closely. By default, the best of a few values on left-out rows;
        with many rows and nodes, trials take about as long as training.
    scale : bool or "rows", default=True
        Whether to scale columns to the same spread; ``"rows"`` scales each row to
        length 1 instead, which is best for words, domains and other sparse columns.
    pruning : float, default=0.01
        The share of the objective that may be lost by dropping small weights.
    n_jobs : int, optional
        Number of threads; the result does not depend on it.
    random_state : int, RandomState or None
        Seed of the order of the rows, and of the trials of ``C``.

    Attributes
    ----------
    C_ : float
        The value used.
    models_ : LinearModels
        Sparse weights of the scaled columns, and a bias per node.
    coef_ : csr_array of shape (n_nodes, n_features)
        Coefficients of the scaled columns.
    intercept_ : ndarray of shape (n_nodes,)
    hierarchy_, classes_, n_features_in_, feature_names_in_
        As in the other estimators.

    References
    ----------
    Hsieh, Chang, Lin, Keerthi and Sundararajan, "A dual coordinate descent method for
    large-scale linear SVM", International Conference on Machine Learning, 2008. Yu,
    Huang and Lin, "Dual coordinate descent methods for logistic regression and maximum
    entropy models", Machine Learning 85, 2011.

    Examples
    --------
    >>> from hilabel import Hierarchy
    >>> from hilabel.classifiers import LinearClassifier
    >>> h = Hierarchy.from_edges([("a", "b")])
    >>> X, y = [[0], [1], [2], [3]], [[0, 0], [0, 0], [1, 0], [1, 1]]
    >>> model = LinearClassifier(h, C=10.0, random_state=0).fit(X, y)
    >>> model.predict([[0], [3]])
    array([[0, 0],
           [1, 1]])
    """

    method_tags: ClassVar[MethodTags] = MethodTags(
        partial_labels=True,
        name="Linear models",
        summary="linear, all nodes",
        use="Words, embeddings and other features with additive effects; many rows and "
        "nodes.",
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseWeightedClassifier._parameter_constraints,
        "loss": [StrOptions(set(LOSSES))],
        "negatives": [StrOptions(set(NEGATIVES))],
        "C": [Interval(Real, 0, None, closed="neither"), None],
        "scale": ["boolean", StrOptions({"rows"})],
        "pruning": [Interval(Real, 0, 1, closed="left")],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    loss: Literal["logistic", "squared_hinge"] = "logistic"
    negatives: Literal["parents", "mined", "all"] = "parents"
    C: float | None = None
    scale: bool | Literal["rows"] = True
    pruning: float = 0.01
    n_jobs: int | None = None
    random_state: Any = None

    _saved_attributes: ClassVar[dict[str, Any]] = {
        "C_": Number(0),
        "models_": LinearModels,
        "_scaling": ColumnScaling,
    }

    def is_sound(self) -> bool:
        """Return whether every node has a weight for every column."""
        shape = (self.classes_.size, self.n_features_in_)
        return (
            super().is_sound()
            and self.models_.weights.shape == shape
            and self._scaling.n_features == self.n_features_in_
        )

    @property
    def coef_(self) -> sp.csr_array:
        """Coefficients of the scaled columns, one row per node."""
        return self.models_.weights

    @property
    def intercept_(self) -> FloatArray:
        """The outputs for a row of zeros, after scaling."""
        return self.models_.bias

    def _fit(self, data: TrainingData) -> None:
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        self._scaling = ColumnScaling.of(data.X_labeled, self.scale is True)
        rows = LinearRows(self._scaled(data.X_labeled))
        self.C_ = 1.0 if self.C is None else float(self.C)
        settings = self._settings(int(seed))
        if self.C is None:
            aside = _rows_aside(data, int(seed))
            self.C_ = choose_cost(
                rows, data.Y, data.hierarchy, settings, aside, data.weights
            )
            settings = self._settings(int(seed))
        self.models_ = train_models(
            rows, data.Y, data.hierarchy, settings, data.weights
        )

    def _settings(self, seed: int = 0) -> LinearSettings:
        return LinearSettings(
            loss=self.loss,
            negatives=self.negatives,
            cost=self.C_,
            pruning=self.pruning,
            seed=seed,
            n_jobs=self.n_jobs,
        )

    def _scaled(self, X: Any) -> Any:
        """Return scaled rows; dense ones are centred unless they get length 1.

        Centred rows have small norms, and so need fewer passes.
        """
        rows = self._scaling.apply(X)
        if self.scale == "rows":
            return normalize(rows)
        if self.scale or sp.issparse(rows):
            return rows
        return rows - self._scaling.scaling.mean

    def _predict_scores(self, X: Any) -> FloatArray:
        outputs = self.models_.outputs(self._scaled(X), self.n_jobs)
        return node_probabilities(outputs, self.hierarchy_, self._settings())

    def contributions(self, X: MatrixLike, nodes: ArrayLike) -> FloatArray:
        """Return the contribution of each column to the log odds of the given nodes.

        The contributions and the intercept sum to the log odds by the node's own model,
        which the parents do not influence.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        nodes : array-like of int of shape (n_some,)

        Returns
        -------
        ndarray of shape (n_samples, n_some, n_features)

        Examples
        --------
        >>> from hilabel.classifiers import LinearClassifier
        >>> X, y = [[0, 5], [1, 5], [2, 5], [3, 5]], [[0], [0], [1], [1]]
        >>> model = LinearClassifier(C=1.0, random_state=0).fit(X, y)
        >>> model.contributions([[3, 5]], [0]).round(1)
        array([[[1.3, 0. ]]])
        """
        rows = self._scaled(self._check_new_rows(X))
        rows = rows.toarray() if sp.issparse(rows) else np.asarray(rows)
        weights = self.coef_[np.asarray(nodes)].toarray()
        return np.asarray(rows[:, None] * weights * self._settings().slope)

    def _missing_value_advice(self) -> str | None:
        return None


def _rows_aside(data: TrainingData, seed: int) -> BoolArray:
    """Return a mask of the rows on which C is chosen: one fold of the data, or drawn.

    A single row is trained on, too, since there is no other.
    """
    fold = data.fold
    if fold is None or fold.min() < 0 or fold.min() == fold.max():
        fold = draw_folds(data.Y, None, seed)
    if fold.min() == fold.max():
        return np.zeros(data.n_labeled, dtype=bool)
    return fold == fold.max()
