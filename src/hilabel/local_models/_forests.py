"""Forests for all nodes, grown in one call, with the interface of local models."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from sklearn.utils import check_random_state

from hilabel._saved_types import Array, saved_type
from hilabel._typing import FloatArray
from hilabel.forests import (
    ForestClassifier,
    NodeExamples,
    NodeForests,
    grow_node_forests,
)
from hilabel.local_models._estimators import (
    LocalModels,
    fit_local_models,
    positive_shares,
)
from hilabel.local_models._policies import Examples


@saved_type
@dataclass(frozen=True)
class ForestModels:
    """A forest, or a constant, for every node.

    Examples
    --------
    >>> from hilabel.classifiers import LocalClassifierPerNode
    >>> from hilabel.forests import ForestClassifier
    >>> local = ForestClassifier(n_estimators=5)
    >>> model = LocalClassifierPerNode(estimator=local, random_state=0)
    >>> _ = model.fit([[0.0], [0.1], [0.9], [1.0]], [[1, 0], [1, 0], [0, 1], [0, 1]])
    >>> model.forests_.n_nodes
    2
    """

    forests: NodeForests
    # Share of positives among the training rows of each node; NaN for constants.
    positive_share: Annotated[FloatArray, Array("f8", ("n_nodes",), 0, 1, gaps=True)]

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return self.forests.n_nodes

    def takes(self, n_features: int) -> bool:
        """Return whether all forests accept this number of features."""
        return self.forests.n_features == n_features

    def is_sound(self) -> bool:
        """Return whether there is one proportion of positives per node."""
        return self.positive_share.size == self.forests.n_nodes

    def predict_scores(self, X: Any, n_jobs: int | None) -> FloatArray:
        """Return the probability of each node, without enforcing consistency."""
        return self.forests.predict(X, n_jobs=n_jobs)


def fit_forest_models(
    estimator: ForestClassifier,
    X: Any,
    examples: Sequence[Examples],
    *,
    n_jobs: int | None,
    random_state: Any,
    weights: FloatArray | None = None,
) -> ForestModels:
    """Grow the forests of all nodes with the parameters of ``estimator``."""
    estimator._validate_params()
    forests = grow_node_forests(
        X,
        [node_examples(*rows, weights) for rows in examples],
        estimator.settings,
        seed=forest_seed(estimator, random_state),
        n_jobs=estimator.n_jobs if n_jobs is None else n_jobs,
        with_importances=True,
        with_oob=estimator.oob_score,
    )
    return ForestModels(forests, positive_shares(examples, weights))


def fit_node_models(
    estimator: Any, X: Any, examples: Sequence[Examples], **options: Any
) -> ForestModels | LocalModels:
    """Grow hilabel's forests in one call, or train clones of any other classifier.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.forests import ForestClassifier
    >>> from hilabel.local_models import fit_node_models
    >>> X = np.array([[0.0], [0.1], [0.9], [1.0]])
    >>> examples = [(np.array([2, 3]), np.array([0, 1]))]
    >>> local = ForestClassifier(n_estimators=5)
    >>> models = fit_node_models(local, X, examples, n_jobs=1, random_state=0)
    >>> type(models).__name__, models.forests.n_trees
    ('ForestModels', 5)
    """
    if isinstance(estimator, ForestClassifier):
        return fit_forest_models(estimator, X, examples, **options)
    return fit_local_models(estimator, X, examples, **options)


def forest_seed(estimator: ForestClassifier, random_state: Any) -> int:
    """Draw one seed for all forests, from the estimator's random state if it is set."""
    own = estimator.random_state
    generator = check_random_state(random_state if own is None else own)
    return int(generator.randint(np.iinfo(np.int32).max))


def node_examples(
    positive: Any, negative: Any, weights: FloatArray | None = None
) -> NodeExamples:
    """Return the rows of a node in ascending order, with classes and weights."""
    rows = np.concatenate([positive, negative])
    order = np.argsort(rows, kind="stable")
    rows = rows[order]
    return NodeExamples(
        rows, order < positive.size, None if weights is None else weights[rows]
    )
