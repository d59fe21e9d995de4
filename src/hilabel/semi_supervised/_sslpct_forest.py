"""SSL-RF: a forest of semi-supervised trees, each for the whole hierarchy."""

from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar, Self

from hilabel._compat import Interval
from hilabel.classifiers import MethodTags
from hilabel.semi_supervised._clustering_base import BaseSemiSupervisedClustering

__all__ = ["SSLPCTForest"]


@dataclass(eq=False, repr=False, kw_only=True)
class SSLPCTForest(BaseSemiSupervisedClustering):
    """Random forest of semi-supervised predictive clustering trees (SSL-RF).

    The mean of the trees of :class:`~hilabel.semi_supervised.SSLPCT`, each grown on a
    bootstrap of the labelled rows and another of the unlabelled rows, each to its own
    size, with a random subset of the features tried at every split.

    Handles trees and DAGs, one or several paths, full and partial depth. It predicts
    new rows; for the transductive use, predict those given as unlabelled.

    Ours: what is said in :class:`~hilabel.semi_supervised.SSLPCT`, the choice of ``w``
    by smaller forests, the number of trees and the extra-trees form.

    Parameters
    ----------
    hierarchy : Hierarchy or None
        None means no edges.
    w : float, optional
        Weight of the labels; by default chosen by cross-validation, which grows 11
        times ``cv`` forests. See :class:`~hilabel.semi_supervised.SSLPCT`.
    cv : int, default=5
    cv_estimators : int, default=20
        Trees of the forests in cross-validation, at most ``n_estimators``.
    n_estimators : int, default=100
    splitter : {"best", "random"}, default="best"
        Look for the best cut of each feature, or draw one, as extra-trees do.
    max_depth : int, optional
    min_samples_leaf : int, default=2
        Labelled and unlabelled rows together.
    max_features : {"sqrt", "log2"}, int, float or None, default="sqrt"
        Features tried per split, those that are constant there not counted.
    bootstrap : bool, default=True
    w0 : float, default=0.75
        Weight of a node as a multiple of its parents'.
    dag_weighting : {"sum", "avg", "min", "max"}, default="avg"
    f_test_level : float, default=1.0
    n_jobs : int, optional
        Trees grown at a time, in threads. The result does not depend on it.
    random_state : int, RandomState or None

    Attributes
    ----------
    w_, w_scores_, trees_
        As in :class:`~hilabel.semi_supervised.SSLPCT`.
    hierarchy_, classes_, n_features_in_, feature_names_in_
        As in the other estimators.

    References
    ----------
    Levatić, Ceci, Kocev and Džeroski, "Semi-supervised classification trees", Journal
    of Intelligent Information Systems 49, 2017.

    Examples
    --------
    >>> from hilabel.datasets import make_artificial
    >>> from hilabel.semi_supervised import SSLPCTForest
    >>> data = make_artificial()
    >>> model = SSLPCTForest(data.hierarchy, w=0.5, n_estimators=20, random_state=0)
    >>> model.fit(data.X_labeled, data.Y_labeled, X_unlabeled=data.X_unlabeled)
    SSLPCTForest(hierarchy=Hierarchy(6 nodes, 4 edges, 3 roots, depth 2, DAG),
                 n_estimators=20, random_state=0, w=0.5)
    >>> model.predict_proba(data.X_unlabeled).shape  # transductive
    (330, 6)
    """

    method_tags: ClassVar[MethodTags] = MethodTags(
        semi_supervised=True,
        name="SSL-RF",
        summary="forest of all nodes",
        use="As the global forest, where unlabelled rows show what features share.",
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseSemiSupervisedClustering._parameter_constraints,
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
