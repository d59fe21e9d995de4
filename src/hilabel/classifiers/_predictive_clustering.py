"""Predictive clustering: trees and forests for the whole hierarchy."""

from dataclasses import dataclass, field
from numbers import Real
from typing import Any, ClassVar, Final

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from hilabel._compat import Interval, StrOptions
from hilabel._saved_types import Maybe
from hilabel._score_matrix import ScoreMatrix
from hilabel._typing import FloatArray
from hilabel.classifiers._base import BaseHierarchicalClassifier
from hilabel.classifiers._node_weights import DAG_WEIGHTINGS, node_weights
from hilabel.classifiers._tags import MethodTags
from hilabel.classifiers._training_data import TrainingData
from hilabel.constraints import cap_by_parents
from hilabel.forests import (
    ClusteringTargets,
    ClusteringTrees,
    ForestClassifier,
    ForestSettings,
    grow_clustering_trees,
    rows_left_out,
    tree_text,
)

# A row is in the bootstrap samples of all n trees with a probability below 1.5 ** -n,
# which is negligible for this many trees.
_TREES_FOR_OUT_OF_BAG: Final = 50
_CELLS_AT_ONCE: Final = 10_000_000


@dataclass(eq=False, repr=False, kw_only=True)
class BaseClusteringClassifier(BaseHierarchicalClassifier):
    """Base class for trees whose leaves predict all nodes together.

    A subclass defines the targets of the splits in ``_fit``. The parameters are
    described in :class:`PredictiveClusteringTree`.

    Examples
    --------
    >>> from hilabel.classifiers import BaseClusteringClassifier
    >>> from hilabel.classifiers import PredictiveClusteringTree
    >>> issubclass(PredictiveClusteringTree, BaseClusteringClassifier)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseHierarchicalClassifier._parameter_constraints,
        **ForestClassifier._parameter_constraints,
        "w0": [Interval(Real, 0, None, closed="neither")],
        "dag_weighting": [StrOptions(set(DAG_WEIGHTINGS))],
        "f_test_level": [Interval(Real, 0, 1, closed="right")],
    }

    splitter: str = "best"
    max_depth: int | None = None
    min_samples_leaf: int = 2
    max_features: str | int | float | None = None
    w0: float = 0.75
    dag_weighting: str = "avg"
    f_test_level: float = 1.0
    random_state: Any = None
    # Parameters of forests only.
    n_estimators: int = field(default=1, init=False)
    bootstrap: bool = field(default=False, init=False)
    n_jobs: int | None = field(default=None, init=False)

    _is_partly_known = False

    @property
    def feature_importances_(self) -> FloatArray:
        """Importance of each feature for the whole hierarchy, shape (n_features,).

        The importance is the mean decrease in impurity over all trees. Importances sum
        to 1, or to 0 if no tree has a split.
        """
        check_is_fitted(self)
        return self.trees_.importances()

    def node_importances(self) -> FloatArray:
        """Return the importance of each feature for each node.

        The importances are computed on demand from the leaves of the trees.

        Returns
        -------
        ndarray of shape (n_nodes, n_features)
            Rows sum to 1; a node that no split separates has zeros.
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
            Number of most specific labels to show for each leaf, largest share first.
        """
        check_is_fitted(self)
        return tree_text(
            self.trees_, tree, self.hierarchy_, self._feature_names(), max_labels
        )

    # For subclasses -----------------------------------------------------------------

    _saved_attributes: ClassVar[dict[str, Any]] = {
        "trees_": ClusteringTrees,
        "_is_partly_known": Maybe(bool),
    }

    def _fit_labels(self, data: TrainingData) -> int:
        """Grow trees whose only targets are labels, and return their seed."""
        weights = self._node_weights(data)
        self._is_partly_known = data.is_partly_known
        seed = self._draw_seed()
        if not data.is_partly_known:
            targets = ClusteringTargets.from_labels(data.Y.positive, weights)
            self.trees_ = self._grown(data.X_labeled, targets, seed)
        else:
            targets = ClusteringTargets.from_partial_labels(data.Y, weights)
            self.trees_ = self._grown(data.X_labeled, targets, seed).known_shares(
                data.prior, targets.group_of
            )
        return seed

    def _draw_seed(self) -> int:
        generator = check_random_state(self.random_state)
        return int(generator.randint(np.iinfo(np.int32).max))

    def _node_weights(self, data: TrainingData) -> FloatArray:
        return node_weights(data.hierarchy, self.w0, self.dag_weighting)

    def _grown(self, X: Any, targets: ClusteringTargets, seed: int) -> ClusteringTrees:
        return grow_clustering_trees(
            X,
            targets,
            ForestSettings.of(self),
            seed=seed,
            f_test_level=self.f_test_level,
            n_jobs=self.n_jobs,
        )

    def is_sound(self) -> bool:
        """Return whether the trees match the number of features and nodes."""
        return (
            super().is_sound()
            and self.trees_.n_nodes == self.hierarchy_.n_nodes
            and self.trees_.bins.n_features == self.n_features_in_
        )

    def _predict_scores(self, X: Any) -> FloatArray:
        return self._consistent(self.trees_.predict(X, self.n_jobs))

    def _consistent(self, scores: FloatArray) -> FloatArray:
        """Cap scores if a node and its parents may be scored from different rows."""
        if not self._is_partly_known:
            return scores
        return cap_by_parents(scores, self.hierarchy_)

    def _feature_names(self) -> list[str]:
        numbered = [f"x{i}" for i in range(self.n_features_in_)]
        return [str(name) for name in getattr(self, "feature_names_in_", numbered)]

    def _missing_value_advice(self) -> str | None:
        return None


class PredictiveClusteringTree(BaseClusteringClassifier):
    """A decision tree that predicts all nodes of the hierarchy (global classifier).

    A split is good if the rows on each side have similar label sets: it reduces the sum
    over nodes c of weight_c (s_c - s_c^2 / n), where s_c of the n rows have node c. The
    weights decrease with depth. For each label, a leaf predicts the fraction of its
    rows that have it, so no node ever scores higher than its parents.

    Handles trees and DAGs, with one or several paths per row that may end at any depth.
    Unlabelled rows are ignored; :class:`~hilabel.semi_supervised.SSLPCT` learns from
    them. Missing values and sparse matrices need no preprocessing.

    The following are our choices, which deviate from the source or fill in missing
    details: features are encoded in at most 255 bins; missing values go to the better
    side of every split; the weights of several parents are averaged; trees are not
    pruned.

    Parameters
    ----------
    hierarchy : Hierarchy or None
        None means no edges.
    splitter : {"best", "random"}, default="best"
        Search the best cut of each feature, or draw one.
    max_depth : int, optional
    min_samples_leaf : int, default=2
        Minimum number of rows on each side of a split, as in the source.
    max_features : {"sqrt", "log2"}, int, float or None, default=None
        Number of features tried per split, not counting constant ones. None tries all.
    w0 : float, default=0.75
        Weight of a node relative to its parents.
    dag_weighting : {"sum", "avg", "min", "max"}, default="avg"
        How to combine the weights of several parents.
    f_test_level : float, default=1.0
        Split only if the decrease in impurity is significant at this level. 1 means no
        test.
    random_state : int, RandomState or None
        Seed of the order of features, ties between them, and random cuts.

    Attributes
    ----------
    trees_ : ClusteringTrees
        The tree as flat arrays, with impurities and gains.
    hierarchy_, classes_, n_features_in_, feature_names_in_
        As in the other estimators.

    References
    ----------
    Blockeel, De Raedt and Ramon, "Top-down induction of clustering trees", ICML 1998.
    Vens, Struyf, Schietgat, Džeroski and Blockeel, "Decision trees for hierarchical
    multi-label classification", Machine Learning 73, 2008 (Clus-HMC).

    Examples
    --------
    >>> from hilabel import Hierarchy
    >>> from hilabel.classifiers import PredictiveClusteringTree
    >>> h = Hierarchy.from_edges([("A", "B")], nodes=["A", "B", "C"])
    >>> X = [[0], [1], [10], [11]]
    >>> Y = [[1, 0, 0], [1, 1, 0], [0, 0, 1], [0, 0, 1]]
    >>> tree = PredictiveClusteringTree(h).fit(X, Y)
    >>> print(tree.describe())
    all (4 rows)
    |-- x0 <= 5.5: A 1, B 0.5 (2 rows)
    |-- x0 > 5.5: C 1 (2 rows)
    >>> tree.predict_proba([[3]])
    array([[1. , 0.5, 0. ]], dtype=float32)
    """

    method_tags: ClassVar[MethodTags] = MethodTags(
        partial_labels=True,
        name="PCT",
        summary="tree of all nodes",
        use="A single tree for all nodes that can be printed and drawn.",
    )

    def _fit(self, data: TrainingData) -> None:
        self._fit_labels(data)


@dataclass(eq=False, repr=False, kw_only=True)
class PredictiveClusteringForest(BaseClusteringClassifier):
    """A forest of trees, each of which predicts all nodes of the hierarchy.

    The prediction is the mean of the predictions of many trees like
    :class:`~hilabel.classifiers.PredictiveClusteringTree`. Trees are grown on bootstrap
    samples of the rows, on random subsets of the features, or with random cuts
    (extra-trees). Even without correction, no node ever scores higher than its parents.

    A single forest covers the whole hierarchy, and the cost of a split grows with the
    number of labels per row, not with the number of nodes. Therefore, hierarchies with
    thousands of nodes are practical.

    Handles trees and DAGs, with one or several paths per row that may end at any depth.
    Unlabelled rows are ignored; :class:`~hilabel.semi_supervised.SSLPCTForest` learns
    from them. Missing values and sparse matrices need no preprocessing.

    The extra-trees variant and the default parameters are our choices. Candidates for
    the defaults were first compared on the test rows of three Gene Ontology data sets
    (cellcycle, pheno and church); the defaults were then chosen on the validation rows
    of all ten Gene Ontology data sets.

    Parameters
    ----------
    hierarchy : Hierarchy or None
    n_estimators : int, default=100
    min_samples_leaf : int, default=5
    max_features : {"sqrt", "log2"}, int, float or None, default="sqrt"
    bootstrap : bool, default=True
        Grow each tree on rows drawn with replacement, or on all rows. Extra-trees,
        ``splitter="random"``, usually set ``bootstrap=False``, and need larger leaves
        if features are few or weak.
    n_jobs : int, optional
        Number of trees grown in parallel, in threads. The result does not depend on it.
    oob_score : bool, default=True
        Whether out-of-fold scores are those of the trees grown without a row, its
        out-of-bag scores, if there are bootstrap samples and at least 50 trees. If
        False, they take a forest per fold. The trained forest is the same.
    splitter, max_depth, w0, dag_weighting, f_test_level, random_state
        As in :class:`PredictiveClusteringTree`.

    Attributes
    ----------
    trees_ : ClusteringTrees
        All trees as flat arrays.
    hierarchy_, classes_, n_features_in_, feature_names_in_
        As in the other estimators.

    References
    ----------
    Schietgat, Vens, Struyf, Blockeel, Kocev and Džeroski, "Predicting gene function
    using hierarchical multi-label decision tree ensembles", BMC Bioinformatics 11,
    2010 (Clus-HMC-Ens). Geurts, Ernst and Wehenkel, "Extremely randomized trees",
    Machine Learning 63, 2006.

    Examples
    --------
    >>> from hilabel.classifiers import PredictiveClusteringForest
    >>> from hilabel.datasets import make_artificial
    >>> data = make_artificial()
    >>> model = PredictiveClusteringForest(data.hierarchy, random_state=0)
    >>> scores = model.fit(data.X_labeled, data.Y_labeled).predict_proba(data.X_test)
    >>> bool((scores[:, 4] <= scores[:, [0, 1]].min(axis=1)).all())
    True
    """

    method_tags: ClassVar[MethodTags] = MethodTags(
        partial_labels=True,
        name="Global forest",
        summary="forest of all nodes",
        use="The best scores for the least time, even with thousands of nodes.",
    )

    n_estimators: int = 100
    min_samples_leaf: int = 5
    max_features: str | int | float | None = "sqrt"
    bootstrap: bool = True
    n_jobs: int | None = None
    oob_score: bool = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseClusteringClassifier._parameter_constraints,
        "oob_score": ["boolean"],
    }

    def scores_itself(self, data: TrainingData) -> bool:
        """Return whether trees are grown on bootstrap samples, and there are enough."""
        has_trees = self.bootstrap and self.n_estimators >= _TREES_FOR_OUT_OF_BAG
        is_enough = has_trees and data.n_labeled > 1 and not data.sets_rows_aside
        return self.oob_score and is_enough

    def _fit(self, data: TrainingData) -> None:
        self._fit_labels(data)

    def _fit_scoring(self, data: TrainingData) -> ScoreMatrix:
        seed = self._fit_labels(data)
        left_out = rows_left_out(ForestSettings.of(self), data.n_labeled, seed)
        scores = ScoreMatrix(data.Y.shape)
        for rows in scores.row_blocks(_CELLS_AT_ONCE):
            found = self.trees_.predict_with(data.X_labeled[rows], left_out[rows])
            never = ~left_out[rows].any(axis=1)
            found[never] = data.prior  # hardly ever: a row that every tree has drawn
            scores.write(rows, self._consistent(found))
        return scores
