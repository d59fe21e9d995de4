"""Algorithm 1 of the paper: vote, compare, keep, repeat."""

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from hilabel._progress import Progress
from hilabel._typing import BoolArray, FloatArray, IntArray
from hilabel.neighbors import ActiveNeighbors, Metric
from hilabel.pseudo_labeling._settings import PseudoLabelSettings
from hilabel.pseudo_labeling._similarity import set_similarity
from hilabel.pseudo_labeling._stopping import StopRule
from hilabel.pseudo_labeling._voting import (
    count_votes,
    labels_from_votes,
    single_paths,
)

__all__ = ["PassRecord", "PseudoLabels", "pseudo_label"]


@dataclass(frozen=True)
class PassRecord:
    """What one pass decided about every unlabelled row.

    Attributes
    ----------
    neighbors : int array of shape (n_unlabeled, k)
        Labelled rows are numbered from 0, unlabelled rows from ``n_labeled``.
    distances : ndarray of shape (n_unlabeled, k)
    proposed_bits : uint8 array
        The labels voted for, packed eight to a byte; see ``proposed``.
    similarity : ndarray of shape (n_unlabeled,)
        SISI; 0 where no label got enough votes.
    accepted : bool array of shape (n_unlabeled,)
    n_nodes : int
    """

    neighbors: IntArray
    distances: FloatArray
    proposed_bits: Any
    similarity: FloatArray
    accepted: BoolArray
    n_nodes: int

    @property
    def n_neighbors(self) -> int:
        """Number of neighbours asked in this pass."""
        return int(self.neighbors.shape[1])

    @property
    def proposed(self) -> BoolArray:
        """Labels voted for, (n_unlabeled, n_nodes), also of rows not accepted."""
        bits = np.unpackbits(self.proposed_bits, axis=1, count=self.n_nodes)
        return bits.astype(bool)

    def proposed_row(self, row: int) -> BoolArray:
        """Return one row of ``proposed`` without unpacking the others."""
        bits = np.unpackbits(self.proposed_bits[row], count=self.n_nodes)
        return bits.astype(bool)


@dataclass(frozen=True)
class PseudoLabels:
    """The outcome: which unlabelled rows got which labels, and how.

    Attributes
    ----------
    labels : bool array of shape (n_unlabeled, n_nodes)
        All False for rows left out.
    accepted : bool array of shape (n_unlabeled,)
        The rows that join the training set: those accepted in the last pass but one,
        since the last pass only finds that nothing is to be done.
    passes : tuple of PassRecord
    termination_condition : {"unchanged", "cycle", "max_iter"}
    """

    labels: BoolArray
    accepted: BoolArray
    passes: tuple[PassRecord, ...]
    termination_condition: str

    @property
    def n_iter(self) -> int:
        """Number of passes made."""
        return len(self.passes)


def pseudo_label(
    X_labeled: Any,
    Y_labeled: BoolArray,
    X_unlabeled: Any,
    settings: PseudoLabelSettings,
    metric: Metric,
    neighbors: ActiveNeighbors,
    progress: Progress,
) -> PseudoLabels:
    """Give labels to the unlabelled rows that resemble their labelled neighbours.

    Every pass decides anew about every unlabelled row, with the labelled rows and the
    rows accepted in the pass before as possible neighbours.

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
        Made from ``X_labeled`` and ``X_unlabeled``.
    progress : Progress
        Told after every pass.

    Returns
    -------
    PseudoLabels
    """
    n_labeled, n_nodes = Y_labeled.shape
    n_unlabeled = X_unlabeled.shape[0]
    points = _stack(X_labeled, X_unlabeled)
    labels = np.zeros((n_labeled + n_unlabeled, n_nodes), dtype=bool)
    labels[:n_labeled] = Y_labeled
    active = np.zeros(n_unlabeled, dtype=bool)
    stop = StopRule(settings.max_passes, settings.stop_on_cycle)
    passes: list[PassRecord] = []
    for iteration in itertools.count(1):
        k = settings.neighbors_at(iteration)
        n_available = n_labeled + int(active.sum())
        if settings.exclude_self and active.any():
            n_available -= 1  # an accepted row finds one fewer than the others
        _check_enough(k, n_available, settings)
        nearest, distances = neighbors.nearest(
            active, k, exclude_self=settings.exclude_self
        )
        proposed = labels_from_votes(
            count_votes(labels, nearest), k, settings.label_threshold
        )
        if settings.single_path:
            proposed = single_paths(proposed, labels, nearest)
        similarity = _similarities(
            points, labels, nearest, distances, proposed, settings, metric
        )
        accepted = _accept(similarity, proposed, settings)
        passes.append(_record(nearest, distances, proposed, similarity, accepted))
        progress.report(
            f"pass {iteration}: {accepted.sum()} of {n_unlabeled} rows accepted"
        )
        kept = proposed & accepted[:, None]
        reason = stop.check(
            iteration, kept if settings.convergence == "accepted" else proposed
        )
        if reason is not None:
            return PseudoLabels(labels[n_labeled:], active, tuple(passes), reason)
        labels[n_labeled:] = kept
        active = accepted
    raise AssertionError("unreachable: itertools.count never ends")


def _similarities(
    points: Any,
    labels: BoolArray,
    nearest: IntArray,
    distances: FloatArray,
    proposed: BoolArray,
    settings: PseudoLabelSettings,
    metric: Metric,
) -> FloatArray:
    members = np.ones(nearest.shape, dtype=bool)
    if settings.similarity_set == "contributors":
        members = np.column_stack(
            [(labels[column] & proposed).any(axis=1) for column in nearest.T]
        )
    return set_similarity(
        distances,
        metric.within(points, nearest),
        members,
        settings.similarity_span,
        settings.similarity_average,
    )


def _accept(
    similarity: FloatArray, proposed: BoolArray, settings: PseudoLabelSettings
) -> BoolArray:
    threshold = settings.similarity_threshold
    if settings.acceptance == "at_least":
        similar = similarity >= threshold
    else:
        similar = similarity > threshold
    return np.asarray(similar & proposed.any(axis=1))


def _record(
    nearest: IntArray,
    distances: FloatArray,
    proposed: BoolArray,
    similarity: FloatArray,
    accepted: BoolArray,
) -> PassRecord:
    return PassRecord(
        neighbors=nearest.astype(np.int32),
        distances=distances.astype(np.float32),
        proposed_bits=np.packbits(proposed, axis=1),
        similarity=np.where(proposed.any(axis=1), similarity, 0.0),
        accepted=accepted,
        n_nodes=proposed.shape[1],
    )


def _check_enough(k: int, n_available: int, settings: PseudoLabelSettings) -> None:
    if k > n_available:
        first = settings.n_neighbors
        grown = "" if k == first else f" (grown from {first})"
        raise ValueError(
            f"Expected at least n_neighbors={k}{grown} labelled rows to choose "
            f"neighbours from, got {n_available}; label more rows or lower n_neighbors."
        )


def _stack(A: Any, B: Any) -> Any:
    return sp.vstack([A, B], format="csr") if sp.issparse(A) else np.concatenate([A, B])
