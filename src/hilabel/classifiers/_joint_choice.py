"""Choose among the nodes of a group: at most one node per row, or any number."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from joblib import Parallel, delayed

from hilabel._saved_types import Count, saved_type
from hilabel._typing import BoolArray, FloatArray
from hilabel.classifiers._local_estimator import BaseLocalClassifier
from hilabel.classifiers._node_groups import NodeGroup
from hilabel.classifiers._problem import warn_of_absent_labels
from hilabel.classifiers._training_data import TrainingData
from hilabel.forests import ForestClassifier
from hilabel.local_models import (
    ClassExamples,
    Examples,
    ForestModels,
    LocalModels,
    MulticlassModel,
    fit_multiclass_models,
    fit_node_models,
)


class GroupChoice(NamedTuple):
    """The scores and choices of a group's model for the nodes in the group."""

    scores: FloatArray  # (n_samples, n_nodes of the group)
    chosen: BoolArray


@saved_type
@dataclass(frozen=True)
class MulticlassGroups:
    """One multiclass model per group, which chooses at most one node for each row."""

    models: tuple[MulticlassModel, ...]  # the last class is "none of the nodes"

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of nodes in each group."""
        return tuple(model.n_classes - 1 for model in self.models)

    def takes(self, n_features: int) -> bool:
        """Return whether all models accept this number of features."""
        return all(model.takes(n_features) for model in self.models)

    def predict(self, X: Any, n_jobs: int | None) -> list[GroupChoice]:
        """Return the choice for every group; ties go to the first node."""
        found = Parallel(n_jobs=n_jobs)(
            delayed(model.predict_proba)(X) for model in self.models
        )
        return [_most_probable(scores) for scores in found]


@saved_type
@dataclass(frozen=True)
class OneVsRestGroups:
    """One binary model for each node in a group; any number of nodes may be chosen."""

    # For the nodes of the first group, then those of the second, and so on.
    models: LocalModels | ForestModels
    sizes: tuple[Annotated[int, Count()], ...]  # nodes in each group

    def takes(self, n_features: int) -> bool:
        """Return whether all models accept this number of features."""
        return self.models.takes(n_features)

    def is_sound(self) -> bool:
        """Return whether every node of every group has a model."""
        return sum(self.sizes) == self.models.n_nodes

    def predict(self, X: Any, n_jobs: int | None) -> list[GroupChoice]:
        """Return the choice for every group: nodes with probability at least 0.5."""
        scores = self.models.predict_scores(X, n_jobs).astype(np.float64)
        parts = np.split(scores, np.cumsum(self.sizes)[:-1], axis=1)
        return [GroupChoice(part, part >= 0.5) for part in parts]


class BaseGroupedClassifier(BaseLocalClassifier):
    """Base class for classifiers with one model per group of nodes.

    A subclass defines the groups in ``_fit`` and combines the choices of their models.
    If every row has at most one node from each group, the models are multiclass;
    otherwise, every node in a group has a one-vs-rest model.
    """

    _saved_attributes: ClassVar[dict[str, Any]] = {
        "groups_": tuple[NodeGroup, ...],
        "_models": MulticlassGroups | OneVsRestGroups,
        "multiclass_": bool,
    }

    def is_sound(self) -> bool:
        """Return whether groups consist of existing nodes and match their models."""
        n_nodes = self.hierarchy_.n_nodes
        decided = [node for group in self.groups_ for node in group.nodes.tolist()]
        return bool(
            super().is_sound()
            and tuple(group.nodes.size for group in self.groups_) == self._models.sizes
            and self._models.takes(self.n_features_in_)
            and all(-1 <= group.parent < n_nodes for group in self.groups_)
            and self._are_decided(decided)
        )

    def _are_decided(self, nodes: list[int]) -> bool:
        """Return whether the groups together contain exactly the required nodes."""
        return set(nodes) == set(range(self.hierarchy_.n_nodes))

    def _fit_groups(
        self, data: TrainingData, Y: BoolArray, groups: Sequence[NodeGroup]
    ) -> None:
        warn_of_absent_labels(data)
        self.groups_ = tuple(groups)
        self._models = fit_group_models(
            self.estimator,
            data.X_labeled,
            Y,
            groups,
            n_jobs=self.n_jobs,
            random_state=self.random_state,
        )
        self.multiclass_ = isinstance(self._models, MulticlassGroups)

    def _choices(self, X: Any) -> list[tuple[NodeGroup, GroupChoice]]:
        return list(zip(self.groups_, self._models.predict(X, self.n_jobs)))


def has_one_node_per_group(Y: BoolArray, groups: Sequence[NodeGroup]) -> bool:
    """Return whether every row has at most one node from each group."""
    return all(
        Y[np.ix_(group.rows, group.nodes)].sum(axis=1).max(initial=0) <= 1
        for group in groups
    )


def fit_group_models(
    estimator: Any,
    X: Any,
    Y: BoolArray,
    groups: Sequence[NodeGroup],
    *,
    n_jobs: int | None,
    random_state: Any,
) -> MulticlassGroups | OneVsRestGroups:
    """Train one multiclass model per group, or one binary model per node.

    Multiclass models are used if every row has at most one node from each group. With
    ``estimator=None``, the models are hilabel's forests; binary ones are grown in a
    single call.
    """
    options = {"n_jobs": n_jobs, "random_state": random_state}
    local = ForestClassifier() if estimator is None else estimator
    if has_one_node_per_group(Y, groups):
        problems = [_class_examples(Y, group) for group in groups]
        return MulticlassGroups(fit_multiclass_models(local, X, problems, **options))
    examples = [
        _one_vs_rest(Y, group, node) for group in groups for node in group.nodes
    ]
    return OneVsRestGroups(
        fit_node_models(local, X, examples, **options),
        tuple(group.nodes.size for group in groups),
    )


def _class_examples(Y: BoolArray, group: NodeGroup) -> ClassExamples:
    has = Y[np.ix_(group.rows, group.nodes)]
    n_nodes = group.nodes.size
    codes = np.where(has.any(axis=1), has.argmax(axis=1), n_nodes)
    return ClassExamples(group.rows, codes, n_nodes + 1)


def _one_vs_rest(Y: BoolArray, group: NodeGroup, node: int) -> Examples:
    has = Y[group.rows, node]
    return group.rows[has], group.rows[~has]


def _most_probable(scores: FloatArray) -> GroupChoice:
    """Return the most probable class of each row; the last class means "no node"."""
    chosen = np.zeros(scores.shape, dtype=bool)
    known = np.flatnonzero(scores.any(axis=1))  # a model without rows predicts nothing
    chosen[known, scores[known].argmax(axis=1)] = True
    # A mean over trees may exceed 1 by rounding.
    return GroupChoice(np.minimum(scores[:, :-1], 1.0), chosen[:, :-1])
