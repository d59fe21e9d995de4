"""Algorithm 1 of the paper: vote, compare, keep, repeat."""

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from hilabel import _engine
from hilabel._matrices import stack_rows
from hilabel._progress import Progress
from hilabel._typing import BoolArray, FloatArray, IntArray
from hilabel.pseudo_labeling._own_parts import (
    checked_neighbors,
    own_similarity,
    voted_labels,
)
from hilabel.pseudo_labeling._packing import pack_labels, unpack_labels
from hilabel.pseudo_labeling._parts import FindsNeighbors, MeasuresGaps, Parts
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
    metric: MeasuresGaps,
    neighbors: FindsNeighbors,
    progress: Progress,
    known: BoolArray | None = None,
    parts: Parts | None = None,
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
    metric : Metric or LinkDistances
        For the similarity test.
    neighbors : ActiveNeighbors or LinkedNeighbors
        Created from ``X_labeled`` and ``X_unlabeled``, or from links.
    progress : Progress
        Called after every pass.
    known : bool array of shape (n_labeled, n_nodes), optional
        Which cells of ``Y_labeled`` are known, including implied ones. Only neighbours
        with a known label vote on it then, and a row may stay unknown in some nodes.
    parts : Parts, optional
        Parts that replace those of the paper. A vote needs labels known everywhere.

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
    parts = Parts() if parts is None else parts
    n_unlabeled = X_unlabeled.shape[0]
    points = stack_rows(X_labeled, X_unlabeled)
    if not sp.issparse(points):
        points = np.ascontiguousarray(points)
    labels = _packed_points(Y_labeled, n_unlabeled)
    # Without columns if everything is known.
    everywhere = np.zeros((labels.shape[0], 0), dtype=np.uint64)
    knows = everywhere if known is None else _packed_points(known, n_unlabeled)
    state = _State(labels, knows, np.zeros(n_unlabeled, dtype=bool), *Y_labeled.shape)
    similarities = _Similarities(points, metric, settings, parts)
    stop = StopRule(settings.max_passes, settings.stop_on_cycle)
    passes: list[PassRecord] = []
    last: Decisions | None = None
    for iteration in itertools.count(1):
        now = _decide(iteration, state, neighbors, similarities, settings, parts)
        before = passes[-1] if passes else None
        passes.append(PassRecord.after(before, now, last or now, state.n_nodes))
        last = now
        progress.report(
            f"pass {iteration}: {now.accepted.sum()} of {n_unlabeled} rows accepted"
        )
        if parts.stop is None:
            reason = stop.check(iteration, _compared(now, settings))
        else:
            kept = unpack_labels(_of_accepted(now, now.words), state.n_nodes)
            reason = parts.stop(iteration, kept, state.pseudo_labels)
            if reason is None and iteration >= settings.max_passes:
                reason = "max_iter"
        if reason is not None:
            return state.result(tuple(passes), reason)
        state.keep(now)
    raise AssertionError("unreachable: itertools.count never ends")


@dataclass
class _State:
    """The labels that neighbours have in the current pass: labelled rows come first."""

    labels: Any  # packed
    knows: Any  # packed, without columns if everything is known
    active: BoolArray  # the accepted rows
    n_labeled: int
    n_nodes: int

    @property
    def pseudo_labels(self) -> BoolArray:
        """The labels of the unlabelled rows."""
        return unpack_labels(self.labels[self.n_labeled :], self.n_nodes)

    def keep(self, now: Decisions) -> None:
        """Give the accepted rows their labels for the next pass."""
        self.labels[self.n_labeled :] = _of_accepted(now, now.words)
        self.knows[self.n_labeled :] = _of_accepted(now, now.known)
        self.active = now.accepted

    def result(self, passes: tuple[PassRecord, ...], reason: str) -> PseudoLabels:
        """Return the labels of this pass, which its decisions did not change."""
        words, known = self.labels[self.n_labeled :], self.knows[self.n_labeled :]
        return PseudoLabels(
            words,
            self.active,
            passes,
            reason,
            self.n_nodes,
            known if known.shape[1] else None,
        )


def _decide(
    iteration: int,
    state: _State,
    neighbors: FindsNeighbors,
    similarities: "_Similarities",
    settings: PseudoLabelSettings,
    parts: Parts,
) -> Decisions:
    """Decide about every unlabelled row: neighbours, labels, similarity, acceptance."""
    nearest, distances = _neighbors_of(neighbors, state, iteration, settings, parts)
    proposed, is_known = _vote(state, nearest, distances, settings, parts)
    members = _members(state.labels, nearest, proposed, settings)
    similarity = similarities.of(nearest, distances, members)
    has_label = proposed.any(axis=1)
    return Decisions(
        neighbors=nearest.astype(np.int32),
        distances=distances.astype(np.float32),
        words=proposed,
        similarity=np.where(has_label, similarity, 0.0),
        accepted=has_label & _is_similar(similarity, settings),
        known=is_known,
    )


def _of_accepted(now: Decisions, words: Any) -> Any:
    return np.where(now.accepted[:, None], words, np.uint64(0))


def _compared(now: Decisions, settings: PseudoLabelSettings) -> Any:
    """Return what must not change from one pass to the next for the loop to end."""
    if settings.convergence == "accepted":
        words, known = (_of_accepted(now, part) for part in (now.words, now.known))
    else:
        # The known cells of a row without labels never matter.
        has_label = now.words.any(axis=1)[:, None]
        words, known = now.words, np.where(has_label, now.known, np.uint64(0))
    return np.concatenate([words, known], axis=1)


def _neighbors_of(
    neighbors: FindsNeighbors,
    state: _State,
    iteration: int,
    settings: PseudoLabelSettings,
    parts: Parts,
) -> tuple[IntArray, FloatArray]:
    """Return the neighbours of every unlabelled row in a pass, and their distances."""
    active, n_labeled = state.active, state.n_labeled

    def nearest(k: int, exclude_self: bool = False) -> tuple[IntArray, FloatArray]:
        n_available = n_labeled + int(active.sum())
        if exclude_self and active.any():
            n_available -= 1  # an accepted row has one neighbour fewer than the others
        _check_enough(k, n_available, settings)
        return neighbors.nearest(active, k, exclude_self=exclude_self)

    k = settings.neighbors_at(iteration)
    if parts.choose_neighbors is None:
        return nearest(k, settings.exclude_self)
    eligible = np.concatenate([np.ones(n_labeled, dtype=bool), active])
    found = parts.choose_neighbors(nearest, k, iteration)
    return checked_neighbors(*found, eligible, active.size)


class _Similarities:
    """The similarity (SISI) of every row, recomputed only if its inputs change."""

    def __init__(
        self,
        points: Any,
        metric: MeasuresGaps,
        settings: PseudoLabelSettings,
        parts: Parts,
    ) -> None:
        self._points = points
        self._metric = metric
        self._settings = settings
        self._own = parts.similarity
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
        if self._own is not None:
            return own_similarity(self._own, distances, gaps)
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
    state: _State,
    nearest: IntArray,
    distances: FloatArray,
    settings: PseudoLabelSettings,
    parts: Parts,
) -> tuple[Any, Any]:
    """Return the labels that neighbours vote for, and the known cells, both packed."""
    proposed, known = _count_votes(state, nearest, distances, settings, parts)
    if settings.single_path:
        proposed = pack_labels(
            single_paths(
                unpack_labels(proposed, state.n_nodes),
                unpack_labels(state.labels, state.n_nodes),
                nearest,
            )
        )
    return proposed, known


def _count_votes(
    state: _State,
    nearest: IntArray,
    distances: FloatArray,
    settings: PseudoLabelSettings,
    parts: Parts,
) -> tuple[Any, Any]:
    labels, knows, n_nodes = state.labels, state.knows, state.n_nodes
    threshold = settings.label_threshold
    nowhere = knows[: len(nearest)]  # without columns
    if parts.vote is not None:
        voting = labels, nearest, distances, n_nodes, threshold
        return voted_labels(parts.vote, *voting), nowhere
    if threshold == 0:  # reached without any vote
        all_labels = pack_labels(np.ones((1, n_nodes), dtype=bool))
        everything = np.repeat(all_labels, len(nearest), axis=0)
        return everything, everything[:, : knows.shape[1]]
    if knows.shape[1]:
        found = vote_among_knowers(
            unpack_labels(labels, n_nodes),
            unpack_labels(knows, n_nodes),
            nearest,
            threshold,
        )
        return pack_labels(found[0]), pack_labels(found[1])
    needed = votes_needed(nearest.shape[1], threshold)
    return _engine.vote(labels, nearest, needed), nowhere


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
