"""SSL-PCT: one semi-supervised tree for the whole hierarchy."""

from typing import ClassVar

from hilabel.classifiers import MethodTags
from hilabel.semi_supervised._clustering_base import BaseSemiSupervisedClustering

__all__ = ["SSLPCT"]


class SSLPCT(BaseSemiSupervisedClustering):
    """Semi-supervised predictive clustering tree.

    The tree of :class:`~hilabel.classifiers.PredictiveClusteringTree`, whose splits
    also part rows by their features: rows on each side should have similar labels and
    be similar themselves. Unlabelled rows take part in the latter. With labels
    c of weight_c, s_c of the n labelled rows having c, and SS_i the sum of squares of
    feature i about its mean, a set of rows has the impurity

        w sum_c weight_c (s_c - s_c^2 / n) + (1 - w) / D sum_i SS_i / Var_i

    with D features and Var_i the variance over all training rows. A leaf predicts the
    label shares of its labelled rows, or of those of the nearest ancestor that has
    any. No node is ever above a parent.

    Handles trees and DAGs, one or several paths, full and partial depth. It predicts
    new rows. For the transductive use of the source, give the rows to be predicted as
    unlabelled ones, and predict them.

    Ours, since the sources are silent or differ: a row without labels is an example
    of that, not an unlabelled row; missing values go to the better side of a split;
    features are coded into at most 255 bins for splits (their values count for the
    impurity); nominal features are expected as 0 and 1. Missing values are taken in
    dense matrices only, unless ``w=1``.

    Parameters
    ----------
    hierarchy : Hierarchy or None
        None means no edges.
    w : float, optional
        Weight of the labels: 1 is the supervised tree and drops unlabelled rows, 0
        looks at features alone. By default the best of 0, 0.1, ... 1 by
        cross-validation on the labelled rows, the larger of equal ones.
    cv : int, default=5
        Folds of that cross-validation.
    splitter : {"best", "random"}, default="best"
    max_depth : int, optional
    min_samples_leaf : int, default=2
        Labelled and unlabelled rows together.
    max_features : {"sqrt", "log2"}, int, float or None, default=None
        Features tried per split. None tries all.
    w0 : float, default=0.75
        Weight of a node as a multiple of its parents'.
    dag_weighting : {"sum", "avg", "min", "max"}, default="avg"
        How the weights of several parents become one.
    f_test_level : float, default=1.0
        Split only where the fall of impurity is significant at this level.
    random_state : int, RandomState or None
        For the folds, and for features tried in turn.

    Attributes
    ----------
    w_ : float
        The weight used.
    w_scores_ : dict or None
        For each candidate, the micro average precision summed over the folds; None
        if there was nothing to choose.
    trees_ : ClusteringTrees
    hierarchy_, classes_, n_features_in_, feature_names_in_
        As in the other estimators.

    References
    ----------
    Levatić, Ceci, Kocev and Džeroski, "Semi-supervised classification trees", Journal
    of Intelligent Information Systems 49, 2017.

    Examples
    --------
    >>> from hilabel import Hierarchy
    >>> from hilabel.semi_supervised import SSLPCT
    >>> h = Hierarchy.from_edges([("A", "B")], nodes=["A", "B", "C"])
    >>> X = [[0], [1], [10], [11]]
    >>> Y = [[1, 0, 0], [1, 1, 0], [0, 0, 1], [0, 0, 1]]
    >>> tree = SSLPCT(h, w=0.5, max_depth=1).fit(X, Y, X_unlabeled=[[2], [9]])
    >>> print(tree.describe())
    all (4 rows)
    |-- x0 <= 5.5: A 1, B 0.5 (2 rows)
    |-- x0 > 5.5: C 1 (2 rows)
    """

    method_tags: ClassVar[MethodTags] = MethodTags(
        semi_supervised=True,
        name="SSL-PCT",
        summary="tree of all nodes",
        use="One tree that can be read, and features that tell rows apart.",
    )
