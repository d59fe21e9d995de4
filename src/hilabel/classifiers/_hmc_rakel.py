"""HMC-RAkEL: random k-labelsets among the children of every node."""

from dataclasses import dataclass
from numbers import Integral
from typing import Annotated, Any, ClassVar

import numpy as np
from joblib import Parallel, delayed
from sklearn.utils import check_random_state

from hilabel._compat import Interval, StrOptions
from hilabel._saved_types import Array
from hilabel._typing import FloatArray, IntArray
from hilabel.classifiers._label_powerset import combine_labels
from hilabel.classifiers._local_estimator import BaseLocalClassifier
from hilabel.classifiers._node_groups import NodeGroup, groups_by_parent
from hilabel.classifiers._problem import require_tree, warn_of_absent_labels
from hilabel.classifiers._rakel import Rakel, draw_labelsets, n_labelsets
from hilabel.classifiers._tags import MethodTags
from hilabel.classifiers._training_data import TrainingData
from hilabel.constraints import cap_by_parents
from hilabel.local_models import ClassExamples, fit_multiclass_models


@dataclass(eq=False, repr=False, kw_only=True)
class HMCRAkEL(BaseLocalClassifier):
    """Hierarchical multi-label classification with random k-labelsets (HMC-RAkEL).

    Every inner node, and the virtual root, has a RAkEL classifier for its children. The
    classifier draws random sets of ``labelset_size`` children, trains a label powerset
    on each set, and averages the votes. It is trained on the rows that have the node;
    rows without any of its children get the empty combination. A node with at most
    ``labelset_size`` children has a single label powerset for all of them.

    Handles trees in which each row may have any number of paths, each ending at any
    depth. ``predict`` descends to every child that gets at least half of the votes.
    ``predict_proba`` returns the fraction of votes for each node, capped at the lowest
    fraction of its ancestors (our choice), so ``predict`` returns the nodes with a
    fraction of at least 0.5. Unlabelled rows are ignored.

    Parameters
    ----------
    hierarchy : Hierarchy or None
        None means no edges: plain RAkEL.
    estimator : classifier, optional
        Any scikit-learn classifier with ``predict_proba``; by default hilabel's random
        forest, :class:`~hilabel.forests.ForestClassifier`.
    labelset_size : int, default=3
        Children per set (k).
    n_labelsets : int, optional
        Number of distinct sets per parent. The default is twice the number of children,
        or all possible sets if there are fewer. Sets are redrawn until every child is
        in one. Children that are in no set after many draws are never predicted, with a
        warning.
    voting : {"hard", "soft"}, default="hard"
        Whether a set votes 0 or 1, by its most probable combination, or with the
        probability of the label, the sum over the combinations that contain it. Soft
        votes result in a finer ranking (our choice).
    n_jobs : int, optional
        Number of classifiers trained in parallel with joblib. The result does not
        depend on it.
    random_state : int, RandomState or None
        Seed of the sets, and of the classifiers unless ``estimator`` has its own.

    Attributes
    ----------
    parents_ : tuple of int
        The inner nodes, -1 for the virtual root above all roots.
    estimators_ : tuple of Rakel
        The classifier of the children of each of these nodes.
    hierarchy_, classes_, n_features_in_, feature_names_in_
        As in the other estimators.

    See Also
    --------
    HMCBR, HMCLP

    References
    ----------
    Tsoumakas, Katakis and Vlahavas, "Random k-labelsets for multilabel
    classification", IEEE Transactions on Knowledge and Data Engineering 23, 2011.
    Santos and Canuto, "Applying semi-supervised learning in hierarchical multi-label
    classification", Expert Systems with Applications 41, 2014.

    Examples
    --------
    >>> from hilabel import Hierarchy
    >>> from hilabel.classifiers import HMCRAkEL
    >>> h = Hierarchy.from_dict({"a": ["c", "d"], "b": []})
    >>> X = [[0.0], [0.1], [1.0], [1.1], [9.0], [9.1]]
    >>> Y = [{"c", "d"}, {"c", "d"}, {"a"}, {"a"}, {"b"}, {"b"}]
    >>> model = HMCRAkEL(h, random_state=0).fit(X, Y)
    >>> model.predict([[0.05], [1.05]])  # a, c, d, b; the second row stops at a
    array([[1, 1, 1, 0],
           [1, 0, 0, 0]], dtype=int8)
    """

    method_tags: ClassVar[MethodTags] = MethodTags(
        structure="T",
        name="HMC-RAkEL",
        summary="random label subsets",
        use="Dependent labels with too many combinations for HMC-LP.",
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseLocalClassifier._parameter_constraints,
        "labelset_size": [Interval(Integral, 1, None, closed="left")],
        "n_labelsets": [Interval(Integral, 1, None, closed="left"), None],
        "voting": [StrOptions({"hard", "soft"})],
    }

    labelset_size: int = 3
    n_labelsets: int | None = None
    voting: str = "hard"

    _saved_attributes: ClassVar[dict[str, Any]] = {
        "estimators_": tuple[Rakel, ...],
        "parents_": tuple[int, ...],
        "_children": tuple[Annotated[IntArray, Array("i8", ("*",), 0)], ...],
    }

    def _fit(self, data: TrainingData) -> None:
        require_tree(type(self).__name__, data.hierarchy, "HMCBR")
        warn_of_absent_labels(data)
        generator = check_random_state(self.random_state)
        groups = groups_by_parent(data.Y_labeled, data.hierarchy)
        labelsets = [self._draw(group, generator) for group in groups]
        powersets = [
            [
                combine_labels(data.Y_labeled[np.ix_(group.rows, group.nodes[chosen])])
                for chosen in sets
            ]
            for group, sets in zip(groups, labelsets)
        ]
        models = iter(
            fit_multiclass_models(
                self._local_estimator(),
                data.X_labeled,
                [
                    ClassExamples(group.rows, codes, len(combinations))
                    for group, found in zip(groups, powersets)
                    for combinations, codes in found
                ],
                n_jobs=self.n_jobs,
                random_state=generator,
            )
        )
        self.estimators_ = tuple(
            Rakel(
                group.nodes.size,
                tuple(sets),
                tuple(powerset.combinations for powerset in found),
                tuple(next(models) for _ in sets),
            )
            for group, sets, found in zip(groups, labelsets, powersets)
        )
        self.parents_ = tuple(group.parent for group in groups)
        self._children = tuple(group.nodes for group in groups)

    def _draw(
        self, group: NodeGroup, generator: np.random.RandomState
    ) -> list[IntArray]:
        n_labels, size = group.nodes.size, self.labelset_size
        count = self.n_labelsets or n_labelsets(n_labels, size)
        return draw_labelsets(n_labels, size, count, generator)

    def is_sound(self) -> bool:
        """Return whether every classifier matches its group of children."""
        return (
            super().is_sound()
            and len(self.estimators_) == len(self._children) == len(self.parents_)
            and all(
                nodes.max(initial=-1) < self.hierarchy_.n_nodes
                and rakel.n_labels == nodes.size
                and all(model.takes(self.n_features_in_) for model in rakel.models)
                for rakel, nodes in zip(self.estimators_, self._children)
            )
        )

    def _predict_scores(self, X: Any) -> FloatArray:
        columns = Parallel(n_jobs=self.n_jobs)(
            delayed(rakel.predict_scores)(X, self.voting) for rakel in self.estimators_
        )
        votes = np.zeros((X.shape[0], self.hierarchy_.n_nodes))
        for nodes, scores in zip(self._children, columns):
            votes[:, nodes] = scores
        return cap_by_parents(votes, self.hierarchy_)
