"""The work of training and of scoring with each known estimator."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from sklearn.base import clone

from hilabel.classifiers import PredictiveClusteringForest
from hilabel.costs._forests import grow, grow_per_node, walk, walk_per_node
from hilabel.costs._linear import score_linear, train_linear
from hilabel.costs._links import (
    correct_over_links,
    grow_on_cells,
    score_by_errors,
    score_by_link_spreading,
    score_by_link_votes,
    spread_over_links,
    vote_over_links,
    walk_on_cells,
)
from hilabel.costs._neighbors import (
    choose_neighbors,
    score_by_neighbors,
    score_by_spread,
    search,
    spread,
)
from hilabel.costs._networks import score_by_networks, train_networks
from hilabel.costs._shape import DataShape
from hilabel.costs._views import (
    are_known,
    bytes_of_rows,
    describe,
    views_of,
    widened,
)
from hilabel.costs._work import Job, job, threads_of
from hilabel.forests import ForestClassifier

# Labels of pseudo-labelled rows are packed into words of this many nodes.
_NODES_PER_WORD: Final = 64
# Local models learn from these rows; those of any other policy, from all.
_ROWS_OF_SIBLINGS: Final = ("within_parents", "siblings")
_ROWS_OF_POSITIVES: Final = ("balanced_bottom_up",)
# Labelled rows are scored in so many folds, to correct their errors.
_FOLDS: Final = 5

Training = Callable[[Any, DataShape], Job | None]
Scoring = Callable[[Any, DataShape, int], Job | None]


def training_job(estimator: Any, shape: DataShape) -> Job | None:
    """Return the work of a training; None for an estimator of unknown kind."""
    known = _KINDS.get(_name_of(estimator))
    return None if known is None else known[0](estimator, shape)


def scoring_job(estimator: Any, shape: DataShape, n_rows: int) -> Job | None:
    """Return the work of scoring rows; None for an estimator of unknown kind."""
    known = _KINDS.get(_name_of(estimator))
    return None if known is None else known[1](estimator, shape, n_rows)


def _name_of(estimator: Any) -> str:
    """Return the name of a class of hilabel; subclasses of others may do anything."""
    kind = type(estimator)
    return kind.__name__ if kind.__module__.split(".")[0] == "hilabel" else ""


# Label frequencies --------------------------------------------------------------------


def _count(_: Any, shape: DataShape) -> Job:
    labels = shape.n_rows * shape.n_labels
    return job("counting", 0.0, labels=labels, nodes=shape.n_nodes, start=1.0)


def _repeat(_: Any, shape: DataShape, n_rows: int) -> Job:
    cells = float(n_rows) * shape.n_nodes
    return job("repeating", 8.0 * cells, cells=cells, start=1.0)


# Local models -------------------------------------------------------------------------


def _grow_local(estimator: Any, shape: DataShape) -> Job | None:
    forest = _local_forest(estimator.estimator)
    if forest is None:
        return None
    n_examples = _n_local_examples(estimator, shape)
    return grow_per_node(forest, shape, n_examples, threads_of(estimator))


def _walk_local(estimator: Any, shape: DataShape, n_rows: int) -> Job | None:
    forest = _local_forest(estimator.estimator)
    if forest is None:
        return None
    n_examples = _n_local_examples(estimator, shape)
    return walk_per_node(forest, shape, n_examples, n_rows, threads_of(estimator))


def _local_forest(local: Any) -> ForestClassifier | None:
    """Return the forest of a node, which is the default; None for other models."""
    if local is None:
        return ForestClassifier()
    return local if type(local) is ForestClassifier else None


def _n_local_examples(estimator: Any, shape: DataShape) -> float:
    if estimator.policy in _ROWS_OF_SIBLINGS:
        return shape.n_examples
    if estimator.policy in _ROWS_OF_POSITIVES:
        return 2 * shape.n_rows * shape.n_labels
    return float(shape.n_rows) * shape.n_nodes


# Views --------------------------------------------------------------------------------


def _train_with_views(estimator: Any, shape: DataShape) -> Job | None:
    views = views_of(estimator, shape)
    if not are_known(views):
        return None
    found = training_job(_base_of(estimator), widened(shape, views))
    if found is None:
        return None
    if estimator.labeled_only:
        shape = shape.with_rows(shape.n_rows, 0)
    n_rows = shape.n_all_rows
    seen = describe(views, shape, n_rows, threads_of(estimator), is_new=False)
    return seen + found.needing(bytes_of_rows(widened(shape, views), n_rows))


def _score_with_views(estimator: Any, shape: DataShape, n_rows: int) -> Job | None:
    views = views_of(estimator, shape)
    if not are_known(views):
        return None
    found = scoring_job(_base_of(estimator), widened(shape, views), n_rows)
    if found is None:
        return None
    if estimator.labeled_only:
        shape = shape.with_rows(shape.n_rows, 0)
    seen = describe(views, shape, n_rows, threads_of(estimator), is_new=True)
    return seen + found.needing(bytes_of_rows(widened(shape, views), n_rows))


def _base_of(estimator: Any) -> Any:
    """Return the classifier that a method trains, with as many threads."""
    base = clone(estimator._template())
    if getattr(base, "n_jobs", 1) is None:
        base.set_params(n_jobs=estimator.n_jobs)
    return base


# Links --------------------------------------------------------------------------------


def _train_and_correct(estimator: Any, shape: DataShape) -> Job | None:
    found = training_job(_base_of(estimator), shape)
    if found is None or not shape.n_links:
        return found
    n_trainings = 1 if _scores_itself(_base_of(estimator)) else 1 + _FOLDS
    corrected = correct_over_links(estimator, shape)
    out_of_fold = scoring_job(_base_of(estimator), shape, shape.n_rows)
    return n_trainings * found + (out_of_fold or corrected) + corrected


def _score_and_correct(estimator: Any, shape: DataShape, n_rows: int) -> Job | None:
    found = scoring_job(_base_of(estimator), shape, n_rows)
    if found is None or not shape.n_links:
        return found
    return found + score_by_errors(estimator, shape, n_rows)


def _train_and_combine(estimator: Any, shape: DataShape) -> Job | None:
    found = training_job(_base_of(estimator), shape)
    if found is None or not shape.n_links:
        return found
    chosen = vote_over_links(estimator, shape) + spread_over_links(estimator, shape)
    work = chosen + grow_on_cells(estimator, shape)
    for base in (_base_of(estimator), *(estimator.others or ())):
        n_trainings = 1 if _scores_itself(base) else 1 + _FOLDS
        trained = training_job(base, shape)
        out_of_fold = scoring_job(base, shape, shape.n_rows)
        if trained is None or out_of_fold is None:
            return None
        work += n_trainings * trained + out_of_fold
    return work


def _score_and_combine(estimator: Any, shape: DataShape, n_rows: int) -> Job | None:
    found = scoring_job(_base_of(estimator), shape, n_rows)
    if found is None or not shape.n_links:
        return found
    for other in estimator.others or ():
        more = scoring_job(other, shape, n_rows)
        if more is None:
            return None
        found += more
    return (
        found
        + score_by_link_votes(estimator, shape, n_rows)
        + score_by_link_spreading(estimator, shape, n_rows)
        + walk_on_cells(estimator, shape, n_rows)
    )


def _scores_itself(base: Any) -> bool:
    """Return whether one training of a classifier also scores rows out of fold."""
    return type(base) is PredictiveClusteringForest and base.bootstrap


# Local information --------------------------------------------------------------------


def _train_on_votes(estimator: Any, shape: DataShape) -> Job | None:
    parts = "choose_neighbors", "vote", "similarity", "stop"
    is_own = any(getattr(estimator, part) is not None for part in parts)
    if is_own or not isinstance(estimator.metric, str):
        return None
    found = training_job(_base_of(estimator), _accepted(shape))
    if found is None:
        return None
    n_unlabeled, n_all, k = shape.n_unlabeled, shape.n_all_rows, estimator.n_neighbors
    passes = float(n_unlabeled) * estimator.max_iter
    kept = float(n_all) * shape.n_nodes  # labels of all rows, one byte each
    voted = job(
        "passing",
        kept,
        rows=passes * k,
        words=passes * k * (shape.n_nodes / _NODES_PER_WORD + 1),
        start=1.0,
    )
    if not shape.n_links:  # the neighbours are given by links otherwise
        voted += search(shape, n_unlabeled, n_all, k, threads_of(estimator))
    return voted + found.needing(2 * kept)


def _score_as_base(estimator: Any, shape: DataShape, n_rows: int) -> Job | None:
    return scoring_job(_base_of(estimator), _accepted(shape), n_rows)


def _accepted(shape: DataShape) -> DataShape:
    """Return the shape of the rows to train on if all unlabelled rows are accepted."""
    return shape.with_rows(shape.n_all_rows, 0)


_KINDS: Final[Mapping[str, tuple[Training, Scoring]]] = MappingProxyType(
    {
        "PriorClassifier": (_count, _repeat),
        "PredictiveClusteringTree": (grow, walk),
        "PredictiveClusteringForest": (grow, walk),
        "LinearClassifier": (train_linear, score_linear),
        "NeighborsClassifier": (choose_neighbors, score_by_neighbors),
        "HierarchicalNetwork": (train_networks, score_by_networks),
        "LocalClassifierPerNode": (_grow_local, _walk_local),
        "LabelSpreading": (spread, score_by_spread),
        "LinkVotes": (vote_over_links, score_by_link_votes),
        "LinkSpreading": (spread_over_links, score_by_link_spreading),
        "ResidualSpreading": (_train_and_correct, _score_and_correct),
        "LinkCombiner": (_train_and_combine, _score_and_combine),
        "ViewsClassifier": (_train_with_views, _score_with_views),
        "SSHMCBLI": (_train_on_votes, _score_as_base),
    }
)
