"""What classifiers that decide groups of nodes together share."""

from collections.abc import Sequence
from typing import Any

from hilabel._typing import BoolArray
from hilabel.classifiers._base import TrainingData
from hilabel.classifiers._group_models import (
    GroupChoice,
    MulticlassGroups,
    fit_group_models,
)
from hilabel.classifiers._groups import NodeGroup
from hilabel.classifiers._local_estimator import BaseLocalClassifier
from hilabel.classifiers._problem import warn_of_absent_labels

__all__ = ["BaseGroupedClassifier"]


class BaseGroupedClassifier(BaseLocalClassifier):
    """Base of classifiers made of a model per group of nodes.

    A subclass says in ``_fit`` what the groups are, and combines the choices of their
    models. Where no row has two nodes of a group, the models are multiclass ones;
    otherwise every node of a group is learned against the rest.
    """

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
