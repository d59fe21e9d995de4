"""SSL-PCT: semi-supervised trees and forests, each for the whole hierarchy."""

from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from hilabel._compat import Interval
from hilabel._matrices import stack_rows
from hilabel._saved_types import Array, Number
from hilabel._typing import LabelArray
from hilabel.classifiers import BaseClusteringClassifier, MethodTags, TrainingData
from hilabel.forests import ClusteringTargets
from hilabel.metrics import average_precision
from hilabel.model_selection import draw_folds, score_out_of_fold

# Ties go to the larger weight, so the largest comes first.
CANDIDATES = tuple(step / 10 for step in range(10, -1, -1))


@dataclass(eq=False, repr=False, kw_only=True)
class SSLPCT(BaseClusteringClassifier):
    """Semi-supervised predictive clustering tree.

    It works like :class:`~hilabel.classifiers.PredictiveClusteringTree`, but splits
    also separate rows by their features: rows on each side should have similar labels
    and similar features. Unlabelled rows contribute to the similarity of features. Let
    weight_c be the weight of label c, n the number of labelled rows, s_c the number of
    them with label c, and SS_i the sum of squares of feature i around its mean. Then
    the impurity of a set of rows is

        w sum_c weight_c (s_c - s_c^2 / n) + (1 - w) / D sum_i SS_i / Var_i

    where D is the number of features and Var_i the variance of feature i over all
    training rows. A leaf predicts the label frequencies of its labelled rows or, if it
    has none, those of the nearest tree node above it that has labelled rows. No node
    ever scores higher than its parents.

    Handles trees and DAGs, with one or several paths per row that may end at any depth.
    The fitted tree can predict new rows. The study of the source is transductive: it
    scores the unlabelled rows of the training data, whose labels are in
    ``transduction_``.

    The following are our choices, which deviate from the sources or fill in missing
    details: an empty label set means that the row has no labels, not that it is
    unlabelled; missing values go to the better side of a split; features are encoded in
    at most 255 bins for splits (the impurity uses their values); nominal features must
    be encoded as 0 and 1. Missing values are supported only in dense matrices, unless
    ``w=1``.

    Parameters
    ----------
    hierarchy : Hierarchy or None
        None means no edges.
    w : float, optional
        Weight of the labels. With 1, the tree is supervised and ignores unlabelled
        rows; with 0, it only uses features. By default, the best of 0, 0.1, ... 1 by
        cross-validation on the labelled rows; ties go to the larger value.
    cv : int, default=5
        Number of folds of the cross-validation.
    min_samples_leaf : int, default=2
        Minimum number of rows in a leaf, counting labelled and unlabelled rows.
    splitter, max_depth, max_features, w0, dag_weighting, f_test_level, random_state
        As in :class:`~hilabel.classifiers.PredictiveClusteringTree`.

    Attributes
    ----------
    w_ : float
        The weight used.
    w_scores_ : dict or None
        For each candidate, the micro average precision summed over the folds; None
        if there was nothing to choose.
    transduction_ : int8 array of shape (n_rows, n_nodes)
        The given labels and those predicted for the unlabelled rows. Rows are numbered
        as passed to ``fit``, those of ``X_unlabeled`` last; unlabelled rows for which
        no label is predicted stay ``UNLABELED``.
    trees_ : ClusteringTrees
    hierarchy_, classes_, n_features_in_, feature_names_in_
        As in the other estimators.

    References
    ----------
    Levatić, Ceci, Kocev and Džeroski, "Semi-supervised predictive clustering trees for
    (hierarchical) multi-label classification", arXiv:2207.09237, 2022.

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
    >>> tree.transduction_[4:]  # the rows 2 and 9
    array([[1, 1, 0],
           [0, 0, 1]], dtype=int8)
    """

    method_tags: ClassVar[MethodTags] = MethodTags(
        semi_supervised=True,
        transductive=True,
        name="SSL-PCT",
        summary="tree of all nodes",
        use="A single readable tree, if features separate the rows.",
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseClusteringClassifier._parameter_constraints,
        "w": [Interval(Real, 0, 1, closed="both"), None],
        "cv": [Interval(Integral, 2, None, closed="left")],
    }

    w: float | None = None
    cv: int = 5

    _saved_attributes: ClassVar[dict[str, Any]] = {
        "w_": Number(0, 1),
        "w_scores_": dict[float, float] | None,
        "transduction_": Array("i1", ("n_rows", "n_nodes"), -1, 1),
    }

    def _fit(self, data: TrainingData) -> None:
        seed = self._draw_seed()
        self.w_scores_ = None
        if self.w is not None:
            self.w_ = float(self.w)
        elif data.unlabeled_rows.size == 0 or data.labeled_rows.size < 2:
            self.w_ = 1.0  # nothing to choose, or no way to choose
        else:
            self.w_scores_ = self._cross_validate(data, seed)
            self.w_ = max(CANDIDATES, key=self.w_scores_.__getitem__)
        self.trees_ = self._grown(*self._aims(data), seed)
        self.transduction_ = self._transduced(data)

    def _transduced(self, data: TrainingData) -> LabelArray:
        labels = data.transduction
        if data.unlabeled_rows.size:
            predicted = self._predict_labels(data.X_unlabeled)
            has_labels = predicted.any(axis=1)
            labels[data.unlabeled_rows[has_labels]] = predicted[has_labels]
        return labels

    def _aims(self, data: TrainingData) -> tuple[Any, ClusteringTargets]:
        """Return the training rows, labelled rows first, and their targets."""
        weights = self._node_weights(data)
        if self.w_ == 1:  # unlabelled rows would have no targets
            targets = ClusteringTargets.from_labels(data.Y.positive, weights)
            return data.X_labeled, targets
        X = stack_rows(data.X_labeled, data.X_unlabeled)
        _refuse_sparse_gaps(X)
        return X, ClusteringTargets.from_labels_and_features(
            data.Y_labeled, X, weights, self.w_
        )

    def _cross_validate(self, data: TrainingData, seed: int) -> dict[float, float]:
        """Return the average precision of every candidate, summed over folds."""
        n_folds = min(self.cv, data.n_labeled)
        fold = draw_folds(data.Y, n_folds, seed, stratified=False)
        divided = replace(data, fold=fold)
        return {w: self._score_folds(divided, w, seed) for w in CANDIDATES}

    def _score_folds(self, data: TrainingData, w: float, seed: int) -> float:
        found = score_out_of_fold(self._candidate(w, seed), data)
        total = 0.0
        for number in range(found.n_folds):
            rows = np.flatnonzero(found.fold == number)
            labels = found.labels[rows]
            if labels.positive.nnz:  # otherwise undefined, for all candidates
                total += average_precision(labels, found.scores[rows])
        return float(total)

    def _candidate(self, w: float, seed: int) -> Self:
        """Return an unfitted model for cross-validation."""
        return clone(self).set_params(w=w, random_state=seed)


@dataclass(eq=False, repr=False, kw_only=True)
class SSLPCTForest(SSLPCT):
    """Random forest of semi-supervised predictive clustering trees (SSL-RF).

    The prediction is the mean of the predictions of many trees like
    :class:`~hilabel.semi_supervised.SSLPCT`. Each tree is grown on a bootstrap sample
    of the labelled rows and another of the unlabelled rows, both of the original size,
    and tries a random subset of the features at every split.

    Handles trees and DAGs, with one or several paths per row that may end at any depth.
    The forest can predict new rows; the labels that it predicts for the unlabelled rows
    are in ``transduction_``.

    Our choices are those listed in :class:`~hilabel.semi_supervised.SSLPCT`, the use of
    smaller forests to choose ``w``, the number of trees, and the extra-trees variant.

    Parameters
    ----------
    hierarchy : Hierarchy or None
        None means no edges.
    w : float, optional
        Weight of the labels; by default chosen by cross-validation, which grows 11
        times ``cv`` forests. See :class:`~hilabel.semi_supervised.SSLPCT`.
    cv_estimators : int, default=20
        Number of trees of the forests in cross-validation, at most ``n_estimators``.
    n_estimators, splitter, max_depth, max_features, bootstrap, w0, dag_weighting, \
f_test_level, n_jobs, random_state
        As in :class:`~hilabel.classifiers.PredictiveClusteringForest`.
    cv, min_samples_leaf
        As in :class:`SSLPCT`.

    Attributes
    ----------
    w_, w_scores_, transduction_, trees_
        As in :class:`~hilabel.semi_supervised.SSLPCT`.
    hierarchy_, classes_, n_features_in_, feature_names_in_
        As in the other estimators.

    References
    ----------
    Levatić, Ceci, Kocev and Džeroski, "Semi-supervised predictive clustering trees for
    (hierarchical) multi-label classification", arXiv:2207.09237, 2022.

    Examples
    --------
    >>> from hilabel.datasets import make_artificial
    >>> from hilabel.semi_supervised import SSLPCTForest
    >>> data = make_artificial()
    >>> model = SSLPCTForest(data.hierarchy, w=0.5, n_estimators=20, random_state=0)
    >>> model.fit(data.X_labeled, data.Y_labeled, X_unlabeled=data.X_unlabeled)
    SSLPCTForest(hierarchy=Hierarchy(6 nodes, 4 edges, 3 roots, depth 2, DAG),
                 n_estimators=20, random_state=0, w=0.5)
    >>> model.transduction_.shape  # 12 labelled and 330 unlabelled rows
    (342, 6)
    """

    method_tags: ClassVar[MethodTags] = MethodTags(
        semi_supervised=True,
        transductive=True,
        name="SSL-RF",
        summary="forest of all nodes",
        use="Like the global forest, if unlabelled rows reveal structure in the "
        "features.",
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SSLPCT._parameter_constraints,
        "cv_estimators": [Interval(Integral, 1, None, closed="left")],
    }

    cv_estimators: int = 20
    n_estimators: int = 100
    max_features: str | int | float | None = "sqrt"
    bootstrap: bool = True
    n_jobs: int | None = None

    def _candidate(self, w: float, seed: int) -> Self:
        n_trees = min(self.cv_estimators, self.n_estimators)
        return super()._candidate(w, seed).set_params(n_estimators=n_trees)


def _refuse_sparse_gaps(X: Any) -> None:
    if sp.issparse(X) and np.isnan(X.data).any():
        row = int(np.flatnonzero(np.isnan(X.data))[0])
        row = int(np.searchsorted(X.indptr, row, side="right")) - 1
        raise ValueError(
            "Expected no missing values in a sparse X whose features are targets (w < "
            f"1), got NaN in row {row} of the training rows, labelled ones first. "
            "Impute them, pass a dense X, or use w=1 or PredictiveClusteringTree."
        )
