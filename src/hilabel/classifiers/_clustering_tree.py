"""One tree for the whole hierarchy."""

from typing import ClassVar

from hilabel.classifiers._base import TrainingData
from hilabel.classifiers._clustering_base import BaseClusteringClassifier
from hilabel.classifiers._tags import MethodTags

__all__ = ["PredictiveClusteringTree"]


class PredictiveClusteringTree(BaseClusteringClassifier):
    """One decision tree that predicts all nodes of the hierarchy (global classifier).

    A split is good if the rows on each side have similar label sets: it lowers the
    sum over nodes c of weight_c (s_c - s_c^2 / n), with s_c of the n rows having c.
    Nodes count the less the deeper they lie. A leaf predicts the share of its rows
    that have each label, so that no node is ever above a parent.

    Handles trees and DAGs, one or several paths, full and partial depth. Unlabelled
    rows are ignored; :class:`~hilabel.semi_supervised.SSLPCT` learns from them.
    Missing values and sparse matrices are taken as they are.

    Ours, since the source leaves it open or works otherwise: features are coded into
    at most 255 bins; missing values go, in every split, to the side that is better;
    several parents of a node are averaged; trees are not pruned.

    Parameters
    ----------
    hierarchy : Hierarchy or None
        None means no edges.
    splitter : {"best", "random"}, default="best"
        Look for the best cut of each feature, or draw one.
    max_depth : int, optional
    min_samples_leaf : int, default=2
        The source's least number of rows on each side of a split.
    max_features : {"sqrt", "log2"}, int, float or None, default=None
        Features tried per split, those that are constant there not counted. None
        tries all.
    w0 : float, default=0.75
        Weight of a node as a multiple of its parents'.
    dag_weighting : {"sum", "avg", "min", "max"}, default="avg"
        How the weights of several parents become one.
    f_test_level : float, default=1.0
        Split only where the fall of impurity is significant at this level. 1 splits
        without a test.
    random_state : int, RandomState or None
        For features tried in turn, ties between them, and random cuts.

    Attributes
    ----------
    trees_ : ClusteringTrees
        The tree as flat arrays, with impurities and gains.
    hierarchy_, classes_, n_features_in_, feature_names_in_
        As in the other estimators.

    References
    ----------
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
        name="PCT",
        summary="tree of all nodes",
        use="One tree for all nodes that can be printed and drawn.",
    )

    def _fit(self, data: TrainingData) -> None:
        self._fit_labels(data)
