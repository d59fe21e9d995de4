"""Which nodes a row gets: one rule, chosen once and used everywhere."""

from dataclasses import dataclass
from typing import Annotated, Any, Final, NamedTuple, Self

import numpy as np

from hilabel._label_matrix import LabelMatrix
from hilabel._matrices import row_blocks
from hilabel._saved_types import Array, Number, saved_type
from hilabel._score_matrix import ScoreMatrix
from hilabel._typing import BoolArray, FloatArray, IntArray
from hilabel.constraints import labels_from_scores
from hilabel.hierarchy import Hierarchy
from hilabel.metrics import Thresholds, choose_thresholds

MIN_POSITIVES: Final = 5
"""A node that fewer rows have gets the threshold of all nodes."""

# A node's threshold is chosen on its own positives and on this many positives of all
# nodes. With fewer, precision is far below that of a single threshold; see
# docs/evaluation.md.
_SHRINKAGE: Final = 50
_UNMEASURED: Final = 0.5

_SHARES: Final = Array("f8", ("n_nodes",), 0, 1.001, gaps=True)


@saved_type
@dataclass(frozen=True, eq=False)
class Decision:
    """The rule that decides which nodes a row gets.

    A row gets a node if its probability reaches the threshold of the node, and all
    ancestors of the nodes that it gets. Thresholds maximise the F1 of all cells of
    informative nodes, including rows without any such node.

    Attributes
    ----------
    threshold : ndarray of shape (n_nodes,)
        The lowest probability with which a row gets each node.
    overall : float
        The threshold of all nodes, or of nodes without their own.
    n_own : int
        Number of nodes with a threshold of their own; there are none if these do not
        decide better, out of fold.
    precision, recall, f1, wrong, exact : float
        Out of fold, with the thresholds for a fold chosen on the other folds: over all
        cells, the share of cells that are wrong, and the share of rows in which none
        is. NaN if not measured.
    node_precision, node_recall : ndarray of shape (n_nodes,)
        The same for each node; NaN where no row is predicted, or has the node.

    Examples
    --------
    >>> from hilabel import Hierarchy
    >>> from hilabel.judgement import Decision
    >>> rule = Decision.unmeasured(2)
    >>> rule.labels([[0.7, 0.6], [0.9, 0.2]], Hierarchy.from_edges([("a", "b")]))
    array([[ True,  True],
           [ True, False]])
    """

    threshold: Annotated[FloatArray, Array("f8", ("n_nodes",), 0, 1)]
    overall: Annotated[float, Number(0, 1)]
    n_own: int
    precision: float
    recall: float
    f1: float
    wrong: float
    exact: float
    node_precision: Annotated[FloatArray, _SHARES]
    node_recall: Annotated[FloatArray, _SHARES]

    @classmethod
    def unmeasured(cls, n_nodes: int) -> Self:
        """Return the rule without any measurement: 0.5 for all nodes."""
        nothing, unknown = float("nan"), np.full(n_nodes, np.nan)
        threshold = np.full(n_nodes, _UNMEASURED)
        numbers = (nothing,) * 5
        return cls(threshold, _UNMEASURED, 0, *numbers, unknown, unknown)

    @property
    def is_measured(self) -> bool:
        """Whether the rule was chosen on rows with known labels."""
        return not np.isnan(self.f1)

    def labels(self, probabilities: FloatArray, hierarchy: Hierarchy) -> BoolArray:
        """Return which rows get which nodes, as a mask."""
        return labels_from_scores(
            probabilities, hierarchy, self.threshold, on_conflict="close"
        )


def choose_decision(
    labels: LabelMatrix,
    scores: ScoreMatrix,
    fold: IntArray,
    hierarchy: Hierarchy,
    *,
    per_node: bool = True,
) -> Decision:
    """Choose the rule on all rows, and measure it out of fold.

    Nodes get thresholds of their own only if that increases F1 out of fold.

    Parameters
    ----------
    labels : LabelMatrix of shape (n_rows, n_nodes)
        Cells of uninformative nodes are unknown.
    scores : ScoreMatrix of the same shape
        Probabilities, out of fold.
    fold : int array of shape (n_rows,)
        With a single fold, the rule is measured on the rows on which it is chosen.
    hierarchy : Hierarchy
    per_node : bool, default=True
        Whether nodes may get thresholds of their own.
    """
    kinds = (False, True) if per_node else (False,)
    counts = {own: _Counts.none(labels.shape[1]) for own in kinds}
    n_folds = int(fold.max(initial=-1)) + 1
    for number in range(n_folds):
        rows = fold == number
        others = labels.without_rows(rows) if n_folds > 1 else labels
        chosen = _choose(others, scores, hierarchy, per_node)
        for own in counts:
            threshold = chosen.per_node if own else np.float64(chosen.overall)
            found = count_decided(
                labels, scores, np.flatnonzero(rows), threshold, hierarchy
            )
            counts[own] = counts[own].plus(found)
    own = per_node and counts[True].f1 > counts[False].f1
    chosen = _choose(labels, scores, hierarchy, own)
    n_nodes = labels.shape[1]
    return _decision(
        chosen.per_node if own else np.full(n_nodes, chosen.overall),
        chosen.overall,
        chosen.n_chosen if own else 0,
        counts[own],
    )


def measure_decision(
    rule: Decision, labels: LabelMatrix, scores: ScoreMatrix, hierarchy: Hierarchy
) -> Decision:
    """Return the same rule, measured on other rows."""
    rows = np.arange(len(labels))
    found = count_decided(labels, scores, rows, rule.threshold, hierarchy)
    return _decision(rule.threshold, rule.overall, rule.n_own, found)


def _choose(
    labels: LabelMatrix, scores: ScoreMatrix, hierarchy: Hierarchy, per_node: bool
) -> Thresholds:
    return choose_thresholds(
        labels,
        scores,
        hierarchy,
        objective="f1",
        # With too few positives for all nodes, none gets its own.
        min_positives=MIN_POSITIVES if per_node else len(labels) + 1,
        shrinkage=_SHRINKAGE if per_node else 0,
    )


def _decision(
    threshold: FloatArray, overall: float, n_own: int, counts: "_Counts"
) -> Decision:
    return Decision(
        _at_most(threshold),
        float(_at_most(np.float64(overall))),
        n_own,
        precision=counts.precision,
        recall=counts.recall,
        f1=counts.f1,
        wrong=counts.wrong,
        exact=counts.exact,
        node_precision=_ratio(counts.n_right, counts.n_decided),
        node_recall=_ratio(counts.n_right, counts.n_positive),
    )


def _at_most(threshold: Any) -> Any:
    """Round thresholds down to single precision, from 0 to 1.

    A score that reaches a threshold then still does so if it is stored in single
    precision.
    """
    values = np.clip(threshold, 0, 1)
    single = values.astype(np.float32)
    below = np.nextafter(single, np.float32(0))
    return np.where(single > values, below, single).astype(np.float64)


# Counting -----------------------------------------------------------------------------


class _Counts(NamedTuple):
    """Decisions that are right, all decisions, and positives, by node; and rows."""

    n_right: IntArray
    n_decided: IntArray
    n_positive: IntArray
    n_known: int
    n_exact: int
    n_rows: int

    @classmethod
    def none(cls, n_nodes: int) -> "_Counts":
        nothing = np.zeros(n_nodes, dtype=np.int64)
        return cls(nothing, nothing, nothing, 0, 0, 0)

    def plus(self, other: "_Counts") -> "_Counts":
        return _Counts(
            self.n_right + other.n_right,
            self.n_decided + other.n_decided,
            self.n_positive + other.n_positive,
            self.n_known + other.n_known,
            self.n_exact + other.n_exact,
            self.n_rows + other.n_rows,
        )

    @property
    def precision(self) -> float:
        return _share(self.n_right.sum(), self.n_decided.sum())

    @property
    def recall(self) -> float:
        return _share(self.n_right.sum(), self.n_positive.sum())

    @property
    def f1(self) -> float:
        both = self.n_decided.sum() + self.n_positive.sum()
        return _share(2 * self.n_right.sum(), both)

    @property
    def wrong(self) -> float:
        both = self.n_decided.sum() + self.n_positive.sum()
        return _share(both - 2 * self.n_right.sum(), self.n_known)

    @property
    def exact(self) -> float:
        return _share(self.n_exact, self.n_rows)


def count_decided(
    labels: LabelMatrix,
    scores: ScoreMatrix,
    rows: IntArray,
    threshold: FloatArray | np.float64,
    hierarchy: Hierarchy,
) -> _Counts:
    """Count decisions in the known cells of some rows, in blocks."""
    total = _Counts.none(labels.shape[1])
    some = labels[rows]
    for part in row_blocks((rows.size, labels.shape[1])):
        decided = labels_from_scores(
            scores.read(rows[part]), hierarchy, threshold, on_conflict="close"
        )
        known, present = some.known(part), some.present(part)
        decided &= known
        right = decided & present
        has_known = known.any(axis=1)
        is_exact = (decided == present).all(axis=1) & has_known
        total = total.plus(
            _Counts(
                right.sum(axis=0),
                decided.sum(axis=0),
                present.sum(axis=0),
                int(known.sum()),
                int(is_exact.sum()),
                int(has_known.sum()),
            )
        )
    return total


def _share(part: float, whole: float) -> float:
    return float(part / whole) if whole else float("nan")


def _ratio(part: IntArray, whole: IntArray) -> FloatArray:
    unknown = np.full(part.shape, np.nan)
    return np.divide(part, whole, out=unknown, where=whole > 0)
