"""Retrain the local models of the given nodes on other rows of the same matrix."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from joblib import Parallel, delayed

from hilabel._matrices import stack_rows
from hilabel._typing import FloatArray, IntArray
from hilabel.forests import (
    FeatureBins,
    ForestClassifier,
    NodeExamples,
    NodeForests,
    grow_node_forests,
)
from hilabel.local_models._estimators import (
    ConstantNode,
    LocalModels,
    fit_node,
    node_seeds,
    positive_shares,
)
from hilabel.local_models._forests import (
    ForestModels,
    forest_seed,
    node_examples,
)
from hilabel.local_models._policies import Examples


class NodeTrainer(Protocol):
    """The training rows and the latest model of every node.

    Rows are numbered with the labelled rows first, then the unlabelled rows. A node
    gets the same seed every time, so training on the same rows gives the same model.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.local_models import NodeTrainer, make_trainer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> rows = np.array([[0.0], [1.0]])
    >>> trainer: NodeTrainer = make_trainer(
    ...     DecisionTreeClassifier(), rows, rows[:0], 1, n_jobs=1, random_state=0
    ... )
    >>> trainer.fit(np.array([0]), [(np.array([1]), np.array([0]))])
    >>> trainer.predict(np.array([0]), [np.array([0, 1])])[0]
    array([[1., 0.],
           [0., 1.]])
    """

    def fit(self, nodes: IntArray, examples: Sequence[Examples]) -> None:
        """Retrain the models of these nodes on their (positive, negative) rows."""

    def predict(
        self, nodes: IntArray, rows: Sequence[IntArray]
    ) -> Sequence[FloatArray]:
        """Return the probabilities of classes 0 and 1 for the rows of each node."""

    def models(self) -> LocalModels | ForestModels:
        """Return the models of all nodes; those of untrained nodes always predict 0."""


def make_trainer(
    estimator: Any,
    X_labeled: Any,
    X_unlabeled: Any,
    n_nodes: int,
    *,
    n_jobs: int | None,
    random_state: Any,
) -> NodeTrainer:
    """Return a trainer for hilabel's forests, or for clones of any other classifier.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.forests import ForestClassifier
    >>> from hilabel.local_models import make_trainer
    >>> rows = np.array([[0.0], [1.0]])
    >>> local = ForestClassifier(n_estimators=5)
    >>> trainer = make_trainer(local, rows, rows[:0], 1, n_jobs=1, random_state=0)
    >>> trainer.fit(np.array([0]), [(np.array([1]), np.array([0]))])
    >>> trainer.models().forests.n_trees
    5
    """
    kind = (
        _ForestTrainer if isinstance(estimator, ForestClassifier) else _EstimatorTrainer
    )
    return kind(estimator, X_labeled, X_unlabeled, n_nodes, n_jobs, random_state)


class _EstimatorTrainer:
    """Trains clones of a scikit-learn classifier for several nodes in parallel."""

    def __init__(
        self,
        estimator: Any,
        X_labeled: Any,
        X_unlabeled: Any,
        n_nodes: int,
        n_jobs: int | None,
        random_state: Any,
    ) -> None:
        self._estimator = estimator
        self._X = stack_rows(X_labeled, X_unlabeled)
        self._n_jobs = n_jobs
        self._seeds = node_seeds(estimator, random_state, n_nodes)
        self._models: list[Any] = [ConstantNode(0.0)] * n_nodes
        self._shares = np.full(n_nodes, np.nan)

    def fit(self, nodes: IntArray, examples: Sequence[Examples]) -> None:
        trained = Parallel(n_jobs=self._n_jobs)(
            delayed(fit_node)(self._estimator, self._X, *own, self._seeds[node])
            for node, own in zip(nodes, examples)
        )
        for node, model in zip(nodes, trained):
            self._models[node] = model
        self._shares[nodes] = positive_shares(examples)

    def predict(
        self, nodes: IntArray, rows: Sequence[IntArray]
    ) -> Sequence[FloatArray]:
        predicted: list[FloatArray] = Parallel(n_jobs=self._n_jobs)(
            delayed(_probabilities)(self._models[node], self._X, own)
            for node, own in zip(nodes, rows)
        )
        return predicted

    def models(self) -> LocalModels:
        return LocalModels(tuple(self._models), self._shares)


class _ForestTrainer:
    """Grows the forests of many nodes in one call, on rows that are encoded only once.

    The bins are computed from the labelled rows, so that forests grown on these rows
    alone are the same as those of a supervised classifier.
    """

    def __init__(
        self,
        estimator: ForestClassifier,
        X_labeled: Any,
        X_unlabeled: Any,
        n_nodes: int,
        n_jobs: int | None,
        random_state: Any,
    ) -> None:
        estimator._validate_params()
        self._estimator = estimator
        self._n_jobs = estimator.n_jobs if n_jobs is None else n_jobs
        self._seed = forest_seed(estimator, random_state)
        bins = FeatureBins.from_matrix(X_labeled)
        self._coded = bins.code(stack_rows(X_labeled, X_unlabeled))
        nothing = NodeExamples(np.empty(0, dtype=np.int64), np.empty(0, dtype=bool))
        self._forests = self._grow(np.arange(n_nodes), [nothing] * n_nodes)
        self._shares = np.full(n_nodes, np.nan)

    def fit(self, nodes: IntArray, examples: Sequence[Examples]) -> None:
        grown = self._grow(nodes, [node_examples(*own) for own in examples])
        self._forests = self._forests.updated(nodes.tolist(), grown)
        self._shares[nodes] = positive_shares(examples)

    def predict(
        self, nodes: IntArray, rows: Sequence[IntArray]
    ) -> Sequence[FloatArray]:
        scores = self._forests.predict_rows(
            self._coded, nodes.tolist(), rows, n_jobs=self._n_jobs
        )
        return [np.column_stack([1 - own, own]) for own in scores]

    def models(self) -> ForestModels:
        return ForestModels(self._forests, self._shares)

    def _grow(self, nodes: IntArray, examples: Sequence[NodeExamples]) -> NodeForests:
        return grow_node_forests(
            self._coded,
            examples,
            self._estimator.settings,
            seed=self._seed,
            numbers=nodes.tolist(),
            n_jobs=self._n_jobs,
            with_importances=True,
            with_oob=self._estimator.oob_score,
        )


def _probabilities(model: Any, X: Any, rows: IntArray) -> FloatArray:
    if isinstance(model, ConstantNode):
        return np.tile([1 - model.probability, model.probability], (rows.size, 1))
    if rows.size == 0:
        return np.empty((0, 2))
    return np.asarray(model.predict_proba(X[rows]))
