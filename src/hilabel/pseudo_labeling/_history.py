"""Summarise the passes: what each of them changed, and whether labels alternate."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from hilabel._saved_types import Count, saved_type
from hilabel.pseudo_labeling._packing import count_labels
from hilabel.pseudo_labeling._records import PassRecord


@saved_type
@dataclass(frozen=True)
class PassSummary:
    """One entry of ``history_``: the result of a pass over the unlabelled rows.

    Attributes
    ----------
    iteration : int
        The first pass is 1.
    n_neighbors : int
    n_proposed : int
        Rows with at least one label that enough neighbours vote for.
    n_accepted, n_newly_accepted, n_dropped : int
        Accepted rows; those not accepted in the pass before; those no longer accepted.
    n_labels : int
        Labels of the accepted rows, including ancestors.
    mean_similarity : float
        Of the rows with a proposal.
    n_changed_rows, n_changed_labels : int
        Rows and labels that differ from the pass before; rows that are not accepted
        have no labels.
    repeats : int or None
        The latest earlier pass with the same neighbourhood size and the same labels.

    Examples
    --------
    >>> from hilabel.datasets import make_artificial
    >>> from hilabel.semi_supervised import SSHMCBLI
    >>> data = make_artificial()
    >>> model = SSHMCBLI(data.hierarchy, variant="v1", random_state=0)
    >>> _ = model.fit(data.X_labeled, data.Y_labeled, X_unlabeled=data.X_unlabeled)
    >>> [(done.n_changed_labels, done.repeats) for done in model.history_[-2:]]
    [(6, None), (0, 4)]
    """

    iteration: int
    n_neighbors: int
    n_proposed: int
    n_accepted: int
    n_newly_accepted: int
    n_dropped: int
    n_labels: int
    mean_similarity: float
    n_changed_rows: int
    n_changed_labels: int
    repeats: int | None


@saved_type
@dataclass(frozen=True)
class Cycle:
    """How the pseudo-labels alternate in the last passes, without ever settling.

    Attributes
    ----------
    length : int
        The number of passes after which the same labels return; at least 2.
    n_rows, n_labels : int
        Rows and labels that are not the same in all of these passes.

    Examples
    --------
    >>> from hilabel.pseudo_labeling import Cycle
    >>> print(Cycle(length=2, n_rows=12, n_labels=30))
    12 rows alternate between 2 sets of labels (30 labels differ)
    """

    length: Annotated[int, Count(2)]
    n_rows: Annotated[int, Count(1)]
    n_labels: Annotated[int, Count(1)]

    def __str__(self) -> str:
        """Return the cycle as a sentence, without a full stop."""
        one = self.n_rows == 1
        return (
            f"{self.n_rows:,} row{' alternates' if one else 's alternate'} between "
            f"{self.length} sets of labels ({self.n_labels:,} "
            f"label{' differs' if self.n_labels == 1 else 's differ'})"
        )


def summarize_passes(passes: Sequence[PassRecord]) -> list[PassSummary]:
    """Return a summary of every pass.

    Examples
    --------
    >>> from hilabel.pseudo_labeling import summarize_passes
    >>> summarize_passes([])
    []
    """
    summaries = []
    seen: dict[tuple[int, bytes], int] = {}
    was_accepted: Any = False
    words_before: Any = np.uint64(0)
    for iteration, (record, words) in enumerate(_kept(passes), start=1):
        accepted = record.accepted
        has_proposal = record.words.any(axis=1)
        similarity = record.similarity[has_proposal]
        changed = words ^ words_before
        state = record.n_neighbors, _digest(record, words)
        summaries.append(
            PassSummary(
                iteration=iteration,
                n_neighbors=record.n_neighbors,
                n_proposed=int(has_proposal.sum()),
                n_accepted=int(accepted.sum()),
                n_newly_accepted=int((accepted & ~np.asarray(was_accepted)).sum()),
                n_dropped=int((was_accepted & ~accepted).sum()),
                n_labels=count_labels(words),
                mean_similarity=float(similarity.mean()) if similarity.size else 0.0,
                n_changed_rows=int(changed.any(axis=1).sum()),
                n_changed_labels=count_labels(changed),
                repeats=seen.get(state),
            )
        )
        seen[state] = iteration
        was_accepted, words_before = accepted, words
    return summaries


def find_cycle(
    passes: Sequence[PassRecord], history: Sequence[PassSummary]
) -> Cycle | None:
    """Return the cycle in which the passes ended, or None if labels settled.

    Examples
    --------
    >>> from hilabel.pseudo_labeling import find_cycle
    >>> find_cycle([], []) is None
    True
    """
    if len(history) > 1 and history[-1].n_neighbors != history[-2].n_neighbors:
        # The last pass, whose decisions are not used, was the first with this number.
        passes, history = passes[:-1], history[:-1]
    if not history or history[-1].repeats is None:
        return None
    length = len(history) - history[-1].repeats
    states = [words for _, words in _kept(passes[-length:])]
    # A label differs if it is in some of the states but not in all of them.
    changed = np.bitwise_or.reduce(states) ^ np.bitwise_and.reduce(states)
    n_labels = count_labels(changed)
    if n_labels == 0:
        return None
    return Cycle(length, int(changed.any(axis=1).sum()), n_labels)


def _digest(record: PassRecord, words: Any) -> bytes:
    """Return a hash of the labels of the accepted rows, and of what is known."""
    known = np.where(record.accepted[:, None], record.known_words, np.uint64(0))
    return hashlib.blake2b(words.tobytes() + known.tobytes()).digest()


def _kept(passes: Sequence[PassRecord]) -> Iterator[tuple[PassRecord, Any]]:
    """Yield every pass with the packed labels of its accepted rows."""
    for record in passes:
        yield record, np.where(record.accepted[:, None], record.words, np.uint64(0))
