"""One binary classifier per node: select rows, train and predict."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import ClassifierMixin, clone
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state

from hilabel._saved_types import Array, Number, saved_type
from hilabel._typing import BoolArray, FloatArray, IntArray
from hilabel._warning import warn_user
from hilabel.hierarchy import Hierarchy
from hilabel.local_models._policies import (
    POLICIES,
    Examples,
    balanced_bottom_up,
    of_relatives,
)
from hilabel.local_models._relatives import Relatives

# Names listed in a warning before "and N more".
_NAMES_SHOWN = 5


@saved_type
@dataclass(frozen=True)
class ConstantNode:
    """A constant used instead of a classifier if a node's rows all have the same class.

    Examples
    --------
    >>> from hilabel.local_models import ConstantNode
    >>> ConstantNode(1.0).probability
    1.0
    """

    probability: Annotated[float, Number(0, 1)]


@saved_type
@dataclass(frozen=True)
class LocalModels:
    """A fitted classifier, or a constant, for every node.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.local_models import fit_node_models
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X = np.array([[0.0], [1.0]])
    >>> examples = [(np.array([1]), np.array([0]))]
    >>> models = fit_node_models(
    ...     DecisionTreeClassifier(), X, examples, n_jobs=1, random_state=0
    ... )
    >>> type(models).__name__, models.positive_share
    ('LocalModels', array([0.5]))
    """

    # Classifiers of 0 and 1.
    models: tuple[Annotated[Any, ClassifierMixin | Pipeline | ConstantNode], ...]
    # Share of positives among the training rows of each node; NaN for constants.
    positive_share: Annotated[FloatArray, Array("f8", ("n_nodes",), 0, 1, gaps=True)]

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.models)

    def takes(self, n_features: int) -> bool:
        """Return whether all models accept this number of features."""
        return all(
            isinstance(model, ConstantNode) or model.n_features_in_ == n_features
            for model in self.models
        )

    def is_sound(self) -> bool:
        """Return whether there is one proportion of positives per node."""
        return self.positive_share.size == len(self.models)

    def predict_scores(self, X: Any, n_jobs: int | None) -> FloatArray:
        """Return the probability of each node, without enforcing consistency."""
        columns = Parallel(n_jobs=n_jobs)(
            delayed(_positive_probability)(model, X) for model in self.models
        )
        return np.column_stack(columns)


def select_examples(
    Y: BoolArray,
    hierarchy: Hierarchy,
    policy: str | Callable[..., Examples],
    negatives_order: str,
    random_state: Any,
    known: BoolArray | None = None,
) -> list[Examples]:
    """Return the (positive, negative) rows that a policy selects for every node.

    Rows in which a node is not ``known`` are not selected for it.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel import Hierarchy
    >>> from hilabel.local_models import select_examples
    >>> h = Hierarchy.from_edges([("a", "b"), ("a", "c")])
    >>> Y = np.array([[1, 1, 0], [1, 0, 1], [0, 0, 0]], dtype=bool)
    >>> select_examples(Y, h, "siblings", "index", random_state=0)[1]  # of node b
    (array([0]), array([1]))
    """
    choose = policy if callable(policy) else POLICIES[policy]
    # Policies access labels by node, not by row.
    Y = np.asfortranarray(Y)
    relatives = Relatives(
        Y, hierarchy, None if known is None else np.asfortranarray(known)
    )
    form = of_relatives(choose)
    if choose is balanced_bottom_up:
        options = {
            "order": negatives_order,
            "random_state": check_random_state(random_state),
        }
    else:
        options = {}
    examples = []
    for node in range(hierarchy.n_nodes):
        rows = relatives.rows(node)
        if form is not None:
            own = form(relatives, node, **options)
        else:
            own = choose(Y if rows is None else Y[rows], hierarchy, node)
        examples.append(own if rows is None else (rows[own[0]], rows[own[1]]))
    return examples


def fit_local_models(
    estimator: Any,
    X: Any,
    examples: Sequence[Examples],
    *,
    n_jobs: int | None,
    random_state: Any,
    weights: FloatArray | None = None,
) -> LocalModels:
    """Train a clone of ``estimator`` for each node, in parallel.

    A node without positives gets probability 0, and a node without negatives gets 1.
    ``weights`` are the weights of the rows of ``X``.
    """
    seeds = node_seeds(estimator, random_state, len(examples))
    models = Parallel(n_jobs=n_jobs)(
        delayed(fit_node)(estimator, X, positive, negative, seed, weights)
        for (positive, negative), seed in zip(examples, seeds)
    )
    return LocalModels(tuple(models), positive_shares(examples, weights))


def positive_shares(
    examples: Sequence[Examples], weights: FloatArray | None = None
) -> FloatArray:
    """Return the proportion of positives for each node; NaN for a single class."""

    def total(rows: Any) -> Any:
        return rows.size if weights is None else weights[rows].sum()

    return np.array(
        [
            total(pos) / (total(pos) + total(neg)) if pos.size and neg.size else np.nan
            for pos, neg in examples
        ]
    )


def report_one_sided(
    examples: Sequence[Examples], hierarchy: Hierarchy, on_empty: str
) -> None:
    """Issue one warning, or raise an error, for nodes without positives or negatives.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel import Hierarchy
    >>> from hilabel.local_models import report_one_sided
    >>> h = Hierarchy.from_edges([("food", "tea")])
    >>> examples = [(np.array([0]), np.array([1])), (np.array([], int), np.array([1]))]
    >>> report_one_sided(examples, h, on_empty="raise")
    Traceback (most recent call last):
        ...
    ValueError: ...
    """
    nodes = np.flatnonzero(np.isnan(positive_shares(examples)))
    if not nodes.size:
        return
    message = (
        f"{nodes.size} of {hierarchy.n_nodes} nodes have no positive or no negative "
        f"rows: {list_nodes(nodes, hierarchy)}."
    )
    if on_empty == "raise":
        raise ValueError(
            f"{message} Drop them with hierarchy.restrict, choose another policy, or "
            "allow constants with on_empty='constant'."
        )
    warn_user(f"{message} They get a constant probability.")


def list_nodes(nodes: IntArray, hierarchy: Hierarchy) -> str:
    """Return text with the names of the first few nodes and the number of the others.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel import Hierarchy
    >>> from hilabel.local_models import list_nodes
    >>> h = Hierarchy.from_edges([("food", "tea"), ("food", "bread")])
    >>> list_nodes(np.array([1, 2]), h)
    "'tea', 'bread'"
    """
    names = [repr(hierarchy.names[node]) for node in nodes[:_NAMES_SHOWN]]
    more = nodes.size - _NAMES_SHOWN
    return ", ".join(names) + (f" and {more} more" if more > 0 else "")


def fit_node(
    estimator: Any,
    X: Any,
    positive: Any,
    negative: Any,
    seed: dict[str, int],
    weights: FloatArray | None = None,
) -> Any:
    """Train a clone on a node's rows; return a constant if there is only one class."""
    if not (positive.size and negative.size):
        return ConstantNode(probability=float(positive.size > 0))
    # Rows are in ascending order, as if the others had been deleted from the table,
    # because classifiers that draw rows at random depend on their order.
    rows = np.union1d(positive, negative)
    model = clone(estimator).set_params(**seed)
    options = {} if weights is None else {"sample_weight": weights[rows]}
    return model.fit(X[rows], np.isin(rows, positive).astype(np.int8), **options)


def _positive_probability(model: Any, X: Any) -> FloatArray:
    if isinstance(model, ConstantNode):
        return np.full(X.shape[0], model.probability)
    return np.asarray(model.predict_proba(X)[:, 1])


def node_seeds(estimator: Any, random_state: Any, n_nodes: int) -> list[dict[str, int]]:
    """Return a different seed for every node, unless the estimator has a seed.

    Steps of a pipeline and other nested estimators get separate seeds.

    Examples
    --------
    >>> from hilabel.local_models import node_seeds
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> seeds = node_seeds(DecisionTreeClassifier(), 0, n_nodes=2)
    >>> [list(seed) for seed in seeds]
    [['random_state'], ['random_state']]
    >>> node_seeds(DecisionTreeClassifier(random_state=3), 0, n_nodes=2)
    [{}, {}]
    """
    names = [
        name
        for name, value in sorted(estimator.get_params().items())
        if name.split("__")[-1] == "random_state" and value is None
    ]
    generator = check_random_state(random_state)
    drawn = generator.randint(np.iinfo(np.int32).max, size=(n_nodes, len(names)))
    return [dict(zip(names, row)) for row in drawn.tolist()]
