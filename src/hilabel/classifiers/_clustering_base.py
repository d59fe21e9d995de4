"""What all predictive clustering trees and forests share."""

from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from hilabel._compat import Interval, StrOptions
from hilabel._typing import FloatArray
from hilabel.classifiers._base import BaseHierarchicalClassifier, TrainingData
from hilabel.classifiers._node_weights import DAG_WEIGHTINGS, node_weights
from hilabel.forests import (
    ClusteringTargets,
    ClusteringTrees,
    ForestSettings,
    grow_clustering_trees,
    tree_text,
)

__all__ = ["BaseClusteringClassifier"]


@dataclass(eq=False, repr=False, kw_only=True)
class BaseClusteringClassifier(BaseHierarchicalClassifier):
    """Trees whose leaves predict all nodes at once.

    A subclass says in ``_fit`` what splits aim at. The parameters are described in
    :class:`PredictiveClusteringTree`.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseHierarchicalClassifier._parameter_constraints,
        "splitter": [StrOptions({"best", "random"})],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left")],
        "max_features": [
            StrOptions({"sqrt", "log2"}),
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="right"),
            None,
        ],
        "w0": [Interval(Real, 0, None, closed="neither")],
        "dag_weighting": [StrOptions(set(DAG_WEIGHTINGS))],
        "f_test_level": [Interval(Real, 0, 1, closed="right")],
        "random_state": ["random_state"],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "bootstrap": ["boolean"],
        "n_jobs": [Integral, None],
    }

    splitter: str = "best"
    max_depth: int | None = None
    min_samples_leaf: int = 2
    max_features: str | int | float | None = None
    w0: float = 0.75
    dag_weighting: str = "avg"
    f_test_level: float = 1.0
    random_state: Any = None
    # Parameters of forests alone.
    n_estimators: int = field(default=1, init=False)
    bootstrap: bool = field(default=False, init=False)
    n_jobs: int | None = field(default=None, init=False)

    @property
    def feature_importances_(self) -> FloatArray:
        """What each feature contributes to the whole hierarchy, shape (n_features,).

        The mean over trees of the decrease of impurity, summing to 1; zeros if no tree
        splits.
        """
        check_is_fitted(self)
        return self.trees_.importances()

    def node_importances(self) -> FloatArray:
        """Return what each feature contributes to each node.

        Computed when asked for, from the leaves of the trees.

        Returns
        -------
        ndarray of shape (n_nodes, n_features)
            Rows sum to 1; a node that no split tells apart has zeros.
        """
        check_is_fitted(self)
        return self.trees_.node_importances()

    def describe(self, tree: int = 0, *, max_labels: int = 5) -> str:
        """Return a tree as text, with the names of features and nodes.

        Parameters
        ----------
        tree : int, default=0
            The number of the tree in a forest.
        max_labels : int, default=5
            Most specific labels shown for each leaf, those of the largest share first.

        Returns
        -------
        str
        """
        check_is_fitted(self)
        return tree_text(
            self.trees_, tree, self.hierarchy_, self._feature_names(), max_labels
        )

    # For subclasses -----------------------------------------------------------------

    def _fit_labels(self, data: TrainingData) -> None:
        """Grow trees that aim at the labels alone."""
        targets = ClusteringTargets.from_labels(
            data.Y_labeled, self._node_weights(data)
        )
        self._grow(data.X_labeled, targets, self._draw_seed())

    def _draw_seed(self) -> int:
        generator = check_random_state(self.random_state)
        return int(generator.randint(np.iinfo(np.int32).max))

    def _node_weights(self, data: TrainingData) -> FloatArray:
        return node_weights(data.hierarchy, self.w0, self.dag_weighting)

    def _grow(self, X: Any, targets: ClusteringTargets, seed: int) -> None:
        self.trees_: ClusteringTrees = grow_clustering_trees(
            X,
            targets,
            ForestSettings(
                n_estimators=self.n_estimators,
                splitter=self.splitter,
                max_depth=self.max_depth,
                min_samples_leaf=self.min_samples_leaf,
                max_features=self.max_features,
                bootstrap=self.bootstrap,
            ),
            seed=seed,
            f_test_level=self.f_test_level,
            n_jobs=self.n_jobs,
        )

    def _predict_scores(self, X: Any) -> FloatArray:
        return self.trees_.predict(X, self.n_jobs)

    def _feature_names(self) -> list[str]:
        numbered = [f"x{i}" for i in range(self.n_features_in_)]
        return [str(name) for name in getattr(self, "feature_names_in_", numbered)]

    def _missing_value_advice(self) -> str | None:
        return None
