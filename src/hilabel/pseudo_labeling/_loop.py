"""Algorithm 1 of the paper: vote, compare, keep, repeat."""

import itertools
from typing import Any

import numpy as np
import scipy.sparse as sp

from hilabel import _engine
from hilabel._matrices import stack_rows
from hilabel._progress import Progress
from hilabel._typing import BoolArray, FloatArray, IntArray
from hilabel.neighbors import ActiveNeighbors, Metric
from hilabel.pseudo_labeling._packing import pack_labels, unpack_labels
from hilabel.pseudo_labeling._records import (
    Decisions,
    PassRecord,
    PseudoLabels,
    rows_that_differ,
)
from hilabel.pseudo_labeling._settings import PseudoLabelSettings
from hilabel.pseudo_labeling._similarity import set_similarity
from hilabel.pseudo_labeling._stopping import StopRule
from hilabel.pseudo_labeling._voting import (
    single_paths,
    vote_among_knowers,
    votes_needed,
)


def run_passes(
    X_labeled: Any,
    Y_labeled: BoolArray,
    X_unlabeled: Any,
    settings: PseudoLabelSettings,
    metric: Metric,
    neighbors: ActiveNeighbors,
    progress: Progress,
    known: BoolArray | None = None,
) -> PseudoLabels:
    """Label the unlabelled rows that are similar to their labelled neighbours.

    Every pass reconsiders every unlabelled row. Possible neighbours are the
    labelled rows and the rows accepted in the previous pass.

    Parameters
    ----------
    X_labeled : array or csr_array of shape (n_labeled, n_features)
    Y_labeled : bool array of shape (n_labeled, n_nodes)
        Closed over ancestors.
    X_unlabeled : array or csr_array of shape (n_unlabeled, n_features)
    settings : PseudoLabelSettings
    metric : Metric
        For the similarity test.
    neighbors : ActiveNeighbors
        Created from ``X_labeled`` and ``X_unlabeled``.
    progress : Progress
        Called after every pass.
    known : bool array of shape (n_labeled, n_nodes), optional
        Which cells of ``Y_labeled`` are known, including implied ones. Only neighbours
        with a known label vote on it then, and a row may stay unknown in some nodes.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from hilabel.datasets import make_artificial
    >>> from hilabel.neighbors import ActiveNeighbors, ExactSearch, Metric
    >>> from hilabel.pseudo_labeling import resolve_settings, run_passes
    >>> data, metric = make_artificial(), Metric("euclidean")
    >>> rows = data.X_labeled, data.X_unlabeled
    >>> settings = resolve_settings(
    ...     variant="v1",
    ...     profile="paper",
    ...     k_step=10,
    ...     n_neighbors=3,
    ...     similarity_threshold=0.5,
    ...     label_threshold=0.5,
    ...     similarity_span=3.0,
    ...     max_iter=50,
    ... )
    >>> found = run_passes(
    ...     data.X_labeled,
    ...     data.Y_labeled == 1,
    ...     data.X_unlabeled,
    ...     settings,
    ...     metric,
    ...     ActiveNeighbors(*rows, ExactSearch(metric)),
    ...     SimpleNamespace(report=lambda text: None),
    ... )
    >>> found.termination_condition, int(found.accepted.sum())
    ('unchanged', 328)
    """
    n_labeled, n_nodes = Y_labeled.shape
    n_unlabeled = X_unlabeled.shape[0]
    points = stack_rows(X_labeled, X_unlabeled)
    if not sp.issparse(points):
        points = np.ascontiguousarray(points)
    labels = _packed_points(Y_labeled, n_unlabeled)
    # Without columns if everything is known.
    everywhere = np.zeros((labels.shape[0], 0), dtype=np.uint64)
    knows = everywhere if known is None else _packed_points(known, n_unlabeled)
    active = np.zeros(n_unlabeled, dtype=bool)
    similarities = _Similarities(points, metric, settings)
    stop = StopRule(settings.max_passes, settings.stop_on_cycle)
    passes: list[PassRecord] = []
    last: Decisions | None = None
    for iteration in itertools.count(1):
        k = settings.neighbors_at(iteration)
        n_available = n_labeled + int(active.sum())
        if settings.exclude_self and active.any():
            n_available -= 1  # an accepted row has one neighbour fewer than the others
        _check_enough(k, n_available, settings)
        nearest, distances = neighbors.nearest(
            active, k, exclude_self=settings.exclude_self
        )
        proposed, is_known = _vote(labels, knows, nearest, n_nodes, settings)
        members = _members(labels, nearest, proposed, settings)
        similarity = similarities.of(nearest, distances, members)
        has_label = proposed.any(axis=1)
        accepted = has_label & _is_similar(similarity, settings)
        now = Decisions(
            neighbors=nearest.astype(np.int32),
            distances=distances.astype(np.float32),
            words=proposed,
            similarity=np.where(has_label, similarity, 0.0),
            accepted=accepted,
            known=is_known,
        )
        passes.append(
            PassRecord.after(passes[-1] if passes else None, now, last or now, n_nodes)
        )
        last = now
        progress.report(
            f"pass {iteration}: {accepted.sum()} of {n_unlabeled} rows accepted"
        )
        kept = np.where(accepted[:, None], proposed, np.uint64(0))
        kept_known = np.where(accepted[:, None], is_known, np.uint64(0))
        # The known cells of a row without labels never matter.
        compared = (proposed, np.where(has_label[:, None], is_known, np.uint64(0)))
        if settings.convergence == "accepted":
            compared = (kept, kept_known)
        reason = stop.check(iteration, np.concatenate(compared, axis=1))
        if reason is not None:
            words = labels[n_labeled:]
            end = None if known is None else knows[n_labeled:]
            return PseudoLabels(words, active, tuple(passes), reason, n_nodes, end)
        labels[n_labeled:], knows[n_labeled:] = kept, kept_known
        active = accepted
    raise AssertionError("unreachable: itertools.count never ends")


class _Similarities:
    """The similarity (SISI) of every row, recomputed only if its inputs change."""

    def __init__(
        self, points: Any, metric: Metric, settings: PseudoLabelSettings
    ) -> None:
        self._points = points
        self._metric = metric
        self._settings = settings
        self._known: tuple[IntArray, FloatArray, BoolArray] | None = None
        self._gaps: Any = None
        self._similarity: Any = None

    def of(
        self, nearest: IntArray, distances: FloatArray, members: BoolArray
    ) -> FloatArray:
        """Return the similarities, recomputing only rows whose inputs changed.

        The next call overwrites the returned array.
        """
        if self._known is None or self._known[0].shape != nearest.shape:
            self._gaps = self._metric.within(self._points, nearest)
            self._similarity = self._compute(distances, self._gaps, members)
        else:
            known_nearest, known_distances, known_members = self._known
            rows = rows_that_differ((nearest, known_nearest))
            if rows.size:
                self._gaps[rows] = self._metric.within(self._points, nearest[rows])
            rows = rows_that_differ(
                (nearest, known_nearest),
                (distances, known_distances),
                (members, known_members),
            )
            self._similarity[rows] = self._compute(
                distances[rows], self._gaps[rows], members[rows]
            )
        self._known = nearest, distances, members
        return self._similarity

    def _compute(
        self, distances: FloatArray, gaps: FloatArray, members: BoolArray
    ) -> FloatArray:
        return set_similarity(
            distances,
            gaps,
            members,
            self._settings.similarity_span,
            self._settings.similarity_average,
        )


def _packed_points(Y_labeled: BoolArray, n_unlabeled: int) -> Any:
    """Return packed labels of all rows; unlabelled rows come last, without labels."""
    given = pack_labels(Y_labeled)
    words = np.zeros((given.shape[0] + n_unlabeled, given.shape[1]), dtype=np.uint64)
    words[: given.shape[0]] = given
    return words


def _vote(
    labels: Any,
    knows: Any,
    nearest: IntArray,
    n_nodes: int,
    settings: PseudoLabelSettings,
) -> tuple[Any, Any]:
    """Return the labels that neighbours vote for, and the known cells, both packed."""
    if settings.label_threshold == 0:  # reached without any vote
        all_labels = pack_labels(np.ones((1, n_nodes), dtype=bool))
        everything = np.repeat(all_labels, len(nearest), axis=0)
        return everything, everything[:, : knows.shape[1]]
    if knows.shape[1]:
        found = vote_among_knowers(
            unpack_labels(labels, n_nodes),
            unpack_labels(knows, n_nodes),
            nearest,
            settings.label_threshold,
        )
        return pack_labels(found[0]), pack_labels(found[1])
    needed = votes_needed(nearest.shape[1], settings.label_threshold)
    proposed = _engine.vote(labels, nearest, needed)
    if settings.single_path:
        proposed = pack_labels(
            single_paths(
                unpack_labels(proposed, n_nodes),
                unpack_labels(labels, n_nodes),
                nearest,
            )
        )
    return proposed, knows[: len(nearest)]


def _members(
    labels: Any, nearest: IntArray, proposed: Any, settings: PseudoLabelSettings
) -> BoolArray:
    """Return a mask of the neighbours that each row is compared with."""
    if settings.similarity_set == "contributors":
        return _engine.share_a_label(labels, nearest, proposed)
    return np.ones(nearest.shape, dtype=bool)


def _is_similar(similarity: FloatArray, settings: PseudoLabelSettings) -> BoolArray:
    if settings.acceptance == "at_least":
        return np.asarray(similarity >= settings.similarity_threshold)
    return np.asarray(similarity > settings.similarity_threshold)


def _check_enough(k: int, n_available: int, settings: PseudoLabelSettings) -> None:
    if k > n_available:
        first = settings.n_neighbors
        grown = "" if k == first else f" (grown from {first})"
        raise ValueError(
            f"Expected at least n_neighbors={k}{grown} labelled rows as possible "
            f"neighbours, got {n_available}; label more rows or lower n_neighbors."
        )
