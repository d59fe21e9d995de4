"""Grow the forests of many nodes in one call."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from numbers import Integral
from typing import Any, NamedTuple, Self

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from sklearn.utils.class_weight import compute_class_weight

from hilabel import _engine
from hilabel._typing import BoolArray, FloatArray, IntArray
from hilabel.forests._binning import CodedMatrix, FeatureBins
from hilabel.forests._node_forests import NodeForests
from hilabel.forests._node_trees import NodeTrees, join_trees

# Rows times trees per unit of work. Units do not depend on the number of threads, so
# sums over trees do not either.
_ROWS_TIMES_TREES_PER_UNIT = 50_000
# Tasks per thread, enough for the last tasks to be short; and rows times trees per
# task, so that an interruption takes effect within about a second.
_TASKS_PER_WORKER = 8
_ROWS_TIMES_TREES_PER_TASK = 2_000_000
# Sums of packed weights must stay below 2**31. With this limit, they would only exceed
# it if a row were drawn more than 30 times in one bootstrap sample.
_WEIGHT_TOTAL = 2**26


@dataclass(frozen=True)
class ForestSettings:
    """The settings for growing a forest, with the names used by scikit-learn.

    Attributes
    ----------
    n_estimators : int
    criterion : {"gini", "entropy"}
    splitter : {"best", "random"}
        Search the best cut of each feature, or draw one, as extra-trees do.
    max_depth : int or None
    min_samples_leaf : int
    max_features : {"sqrt", "log2"}, int, float or None
    bootstrap : bool
    max_samples : int, float or None
        Number or share of rows drawn for each tree; None means the number of rows.
    class_weight : dict, "balanced" or None

    Examples
    --------
    >>> from hilabel.forests import ForestSettings
    >>> ForestSettings(n_estimators=50, min_samples_leaf=3).max_features
    'sqrt'
    """

    n_estimators: int = 100
    criterion: str = "gini"
    splitter: str = "best"
    max_depth: int | None = None
    min_samples_leaf: int = 1
    max_features: str | int | float | None = "sqrt"
    bootstrap: bool = True
    max_samples: int | float | None = None
    class_weight: Any = None

    @classmethod
    def of(cls, estimator: Any) -> Self:
        """Create settings from the estimator's attributes of the same names."""
        names = [field.name for field in fields(cls) if hasattr(estimator, field.name)]
        return cls(**{name: getattr(estimator, name) for name in names})

    def n_draws(self, n_rows: int) -> int:
        """Return the number of rows drawn for each tree."""
        if self.max_samples is None or not self.bootstrap:
            return n_rows
        if isinstance(self.max_samples, Integral):
            return min(int(self.max_samples), n_rows)
        return max(1, round(self.max_samples * n_rows))

    def n_candidates(self, n_features: int) -> int:
        """Return the number of features tried at each split."""
        wanted = self.max_features
        if wanted is None:
            number = n_features
        elif isinstance(wanted, Integral):
            number = int(wanted)
        elif isinstance(wanted, str):
            number = int({"sqrt": np.sqrt, "log2": np.log2}[wanted](n_features))
        else:
            number = int(wanted * n_features)
        return min(max(number, 1), n_features)

    def of_trees(self, n_rows: int, n_features: int, **more: Any) -> Any:
        """Return the engine's settings for the given numbers of rows and features."""
        return _engine.TreeSettings(
            n_draws=self.n_draws(n_rows),
            n_candidates=self.n_candidates(n_features),
            max_depth=-1 if self.max_depth is None else self.max_depth,
            min_samples_leaf=self.min_samples_leaf,
            bootstrap=self.bootstrap,
            is_random=self.splitter == "random",
            **more,
        )


class NodeExamples(NamedTuple):
    """The training rows of a node, with their classes and weights.

    A row with weight 0 is ignored.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.forests import NodeExamples
    >>> node = NodeExamples(rows=np.array([0, 2]), positive=np.array([True, False]))
    >>> node.weight is None  # all rows count the same
    True
    """

    rows: IntArray
    positive: BoolArray
    weight: FloatArray | None = None


class _Grown(NamedTuple):
    """The trees grown in one unit of work, with importances and out-of-bag scores."""

    trees: NodeTrees
    importances: FloatArray
    votes: FloatArray
    n_votes: FloatArray


class _Unit(NamedTuple):
    """Some trees of one node: the smallest unit of work."""

    node: int
    stream: int
    first_tree: int
    n_trees: int
    cost: int


def grow_node_forests(
    X: Any,
    examples: Sequence[NodeExamples],
    settings: ForestSettings,
    *,
    seed: int,
    numbers: Sequence[int] | None = None,
    n_jobs: int | None = None,
    with_importances: bool = False,
    with_oob: bool = False,
) -> NodeForests:
    """Grow a forest for each node on its own rows of a shared matrix.

    The random stream of a tree depends only on (seed, node, tree), so the result does
    not depend on ``n_jobs``.

    Parameters
    ----------
    X : array or csr matrix of shape (n_rows, n_features), or CodedMatrix
        NaN is a missing value. To grow forests on the same rows repeatedly, encode them
        once.
    examples : sequence of NodeExamples
        One for each node. Nodes with a single class get a constant.
    settings : ForestSettings
    seed : int
    numbers : sequence of int, optional
        The numbers of the nodes for their random streams, if the nodes are not numbered
        from 0. So the forest of a node grown alone is the same as when grown with
        others.
    n_jobs : int, optional
        Number of trees grown in parallel with joblib: in threads, or as set by
        ``joblib.parallel_config``.
    with_importances, with_oob : bool
        Also compute feature importances and out-of-bag probabilities.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.forests import ForestSettings, NodeExamples, grow_node_forests
    >>> X = np.array([[0.0], [0.1], [0.9], [1.0]])
    >>> node = NodeExamples(np.arange(4), np.array([False, False, True, True]))
    >>> settings = ForestSettings(n_estimators=5, bootstrap=False)
    >>> forests = grow_node_forests(X, [node], settings, seed=0)
    >>> forests.predict(np.array([[0.05], [0.95]]))
    array([[0.],
           [1.]], dtype=float32)
    """
    coded = X if isinstance(X, CodedMatrix) else FeatureBins.from_matrix(X).code(X)
    constant = np.array([_constant_of(example) for example in examples])
    prepared = {
        node: _prepare(example, settings.class_weight)
        for node, example in enumerate(examples)
        if np.isnan(constant[node])
    }
    streams = range(len(examples)) if numbers is None else numbers
    units = list(_units(prepared, settings, streams))
    results = _run(
        units, coded, prepared, settings, seed, n_jobs, with_importances, with_oob
    )
    return NodeForests(
        bins=coded.bins,
        n_trees=settings.n_estimators,
        **join_trees([result.trees for result in results])._asdict(),
        constant=constant,
        importances=(
            _importances(units, results, (len(examples), coded.n_features))
            if with_importances
            else None
        ),
        oob_scores=_oob_scores(units, results, examples) if with_oob else None,
    )


def _run(
    units: list[_Unit],
    coded: CodedMatrix,
    prepared: dict[int, tuple[Any, Any, Any]],
    settings: ForestSettings,
    seed: int,
    n_jobs: int | None,
    with_importances: bool,
    with_oob: bool,
) -> list[_Grown]:
    n_tasks = max(
        _TASKS_PER_WORKER * effective_n_jobs(n_jobs),
        sum(unit.cost for unit in units) // _ROWS_TIMES_TREES_PER_TASK,
    )
    groups = _balanced_groups(units, n_tasks)
    grown = Parallel(n_jobs=n_jobs, prefer="threads")(
        delayed(_grow_units)(
            coded,
            [(units[i], prepared[units[i].node]) for i in group],
            settings,
            seed,
            with_importances,
            with_oob,
        )
        for group in groups
    )
    results: list[Any] = [None] * len(units)
    for group, group_results in zip(groups, grown):
        for i, result in zip(group, group_results):
            results[i] = result
    return results


def _grow_units(
    coded: CodedMatrix,
    work: list[tuple[_Unit, tuple[Any, Any, Any]]],
    settings: ForestSettings,
    seed: int,
    with_importances: bool,
    with_oob: bool,
) -> list[_Grown]:
    columns = coded.columns
    results = []
    for unit, (rows, weights, positives) in work:
        how = settings.of_trees(
            rows.size,
            coded.n_features,
            seed=seed,
            criterion=settings.criterion,
            with_importances=with_importances,
            with_oob=with_oob,
        )
        numbers = unit.stream, unit.first_tree, unit.n_trees
        grown = _engine.grow_node_trees(
            columns, rows, weights, positives, how, *numbers
        )
        trees = NodeTrees(*(grown[name] for name in NodeTrees._fields))
        told = (grown[name] for name in _Grown._fields[1:])
        results.append(_Grown(trees, *told))
    return results


def _units(
    prepared: dict[int, Any], settings: ForestSettings, streams: Sequence[int]
) -> Iterable[_Unit]:
    n_trees = settings.n_estimators
    for node, (rows, _, _) in prepared.items():
        n_drawn = settings.n_draws(rows.size)
        step = min(max(_ROWS_TIMES_TREES_PER_UNIT // n_drawn, 1), n_trees)
        for first in range(0, n_trees, step):
            count = min(step, n_trees - first)
            yield _Unit(node, int(streams[node]), first, count, count * n_drawn)


def _balanced_groups(units: list[_Unit], n_groups: int) -> list[list[int]]:
    """Divide units into groups of about equal cost, the most expensive group first."""
    order = sorted(range(len(units)), key=lambda i: -units[i].cost)
    groups: list[list[int]] = [[] for _ in range(min(n_groups, len(units)))]
    costs = np.zeros(len(groups))
    for i in order:
        cheapest = int(costs.argmin())
        groups[cheapest].append(i)
        costs[cheapest] += units[i].cost
    return [groups[g] for g in np.argsort(-costs, kind="stable")]


def _constant_of(example: NodeExamples) -> float:
    """Return the constant probability of a node with a single class, otherwise NaN."""
    used = example.positive[_used(example)]
    if used.any() and not used.all():
        return float("nan")
    return float(used.any())


def _used(example: NodeExamples) -> Any:
    """Return an index that selects the rows with non-zero weight."""
    return slice(None) if example.weight is None else example.weight > 0


def _prepare(example: NodeExamples, class_weight: Any) -> tuple[Any, Any, Any]:
    """Return rows (int32), integer weights and classes for the engine."""
    used = _used(example)
    rows, positive = example.rows[used], example.positive[used]
    weight = None if example.weight is None else example.weight[used]
    if class_weight is not None:
        per_class = compute_class_weight(
            class_weight, classes=np.array([False, True]), y=positive
        )
        own = per_class[positive.astype(np.int64)]
        weight = own if weight is None else weight * own
    return (
        rows.astype(np.int32),
        _integer_weights(weight, rows.size),
        np.ascontiguousarray(positive),
    )


def _integer_weights(weight: FloatArray | None, n_rows: int) -> IntArray:
    """Return integer weights, proportional to the given weights up to rounding."""
    if weight is None:
        return np.ones(n_rows, dtype=np.int64)
    if (weight == np.round(weight)).all() and weight.sum() <= _WEIGHT_TOTAL:
        return weight.astype(np.int64)
    scaled = np.round(weight * (_WEIGHT_TOTAL / weight.sum())).astype(np.int64)
    return np.where(weight > 0, np.maximum(scaled, 1), 0)


def _importances(
    units: list[_Unit], results: list[_Grown], shape: tuple[int, int]
) -> FloatArray:
    total = np.zeros(shape)
    for unit, result in zip(units, results):
        total[unit.node] += result.importances
    sums = total.sum(axis=1, keepdims=True)
    return np.divide(total, sums, out=total, where=sums > 0)


def _oob_scores(
    units: list[_Unit], results: list[_Grown], examples: Sequence[NodeExamples]
) -> tuple[Any, ...]:
    """Return a tuple of rows and out-of-bag scores for each node.

    The score is NaN for rows that are in every bootstrap sample or have weight 0.
    """
    votes = [np.zeros(example.rows.size) for example in examples]
    counts = [np.zeros(example.rows.size) for example in examples]
    for unit, result in zip(units, results):
        used = _used(examples[unit.node])
        votes[unit.node][used] += result.votes
        counts[unit.node][used] += result.n_votes
    return tuple(
        (
            example.rows,
            np.divide(v, c, out=np.full(v.size, np.nan), where=c > 0),
        )
        for example, v, c in zip(examples, votes, counts)
    )
