"""The quality of predictions on rows whose labels no model has seen."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks._real_sets import SETS
from hilabel._label_matrix import LabelMatrix
from hilabel._typing import BoolArray, FloatArray
from hilabel.calibration import PREDICTED_FROM
from hilabel.hierarchy import Hierarchy, informative_nodes
from hilabel.metrics import ScoreCounts, average_precision, fmax, label_frequencies


@dataclass(frozen=True, eq=False)
class Truth:
    """The labels of a set, on the nodes that are measured.

    Attributes
    ----------
    hierarchy : Hierarchy
        The nodes that enough rows outside the test have, without roots that nearly all
        rows have.
    train_ids, test_ids : tuple of str
        The labelled rows, and those of the test.
    trained, tested : LabelMatrix
        Their labels.
    learned : bool array of shape (n_nodes,)
        Whether enough labelled rows have a node, so that models learn it.
    counted : bool array of shape (n_nodes,)
        Whether a node counts in comparisons; roots may not.
    """

    hierarchy: Hierarchy
    train_ids: tuple[str, ...]
    test_ids: tuple[str, ...]
    trained: LabelMatrix
    tested: LabelMatrix
    learned: BoolArray
    counted: BoolArray

    @property
    def prior(self) -> FloatArray:
        """The constant predictor: how many of the labelled rows have each node."""
        trained = self.trained
        return label_frequencies(trained.n_positive, trained.n_known, self.hierarchy)


@dataclass(frozen=True)
class TestQuality:
    """Measures on the rows of the test.

    Attributes
    ----------
    micro, macro, fmax : float
        Of the nodes that count.
    learned_micro, calibration_error : float
        Micro average precision, and mean error of the probabilities of at least 0.1, of
        the nodes that models learn, which is what they can estimate themselves.
    """

    micro: float
    macro: float
    fmax: float
    learned_micro: float
    calibration_error: float


@cache
def truth_of(name: str) -> Truth:
    """Return the labels of a set."""
    one = SETS[name]()
    if one.test_features is None:
        raise ValueError(f"Expected a set with rows for a test, got {name!r}.")
    tables = one.files(one.all_labels).read()
    labels, ids = tables.labels, np.array(tables.table.ids, dtype=object)
    is_test = np.isin(ids, np.array([*one.test_ids], dtype=object))
    seen = labels[~is_test & labels.labeled]
    is_frequent = seen.n_positive >= one.min_count
    says_something = informative_nodes(tables.hierarchy, seen.n_positive, seen.n_known)
    nodes = np.flatnonzero(is_frequent & says_something)
    hierarchy = tables.hierarchy.restrict(nodes)
    is_given = one.files(one.labels).read().labels.labeled
    trained = labels[is_given].of_nodes(nodes)
    # A row without a label in an aspect is unknown there.
    is_known = is_test & labels.labeled
    return Truth(
        hierarchy=hierarchy,
        train_ids=tuple(ids[is_given]),
        test_ids=tuple(ids[is_known]),
        trained=trained,
        tested=labels[is_known].of_nodes(nodes),
        learned=trained.n_positive >= one.learned_from,
        counted=~(one.leaves_roots_out & np.isin(nodes, tables.hierarchy.roots)),
    )


def quality_of(truth: Truth, scores: FloatArray) -> TestQuality:
    """Measure scores of shape (n_test_rows, n_nodes)."""
    labels, rows = _part(truth.tested, scores, truth.counted)
    by_node = average_precision(labels, rows, None)
    known, expected = _part(truth.tested, scores, truth.learned)
    return TestQuality(
        micro=float(average_precision(labels, rows)),
        macro=float(by_node[~np.isnan(by_node)].mean()),
        fmax=float(fmax(labels, rows).value),
        learned_micro=float(average_precision(known, expected)),
        calibration_error=ScoreCounts.of(known, expected).error(floor=PREDICTED_FROM),
    )


def _part(
    labels: LabelMatrix, scores: FloatArray, nodes: BoolArray
) -> tuple[LabelMatrix, FloatArray]:
    """Return labels and scores of some nodes, without a copy if it is all of them."""
    if nodes.all():
        return labels, scores
    return labels.of_nodes(np.flatnonzero(nodes)), scores[:, nodes]


def constant_quality(truth: Truth) -> TestQuality:
    """Measure the constant predictor."""
    rows = np.repeat(truth.prior[np.newaxis].astype(np.float32), len(truth.tested), 0)
    return quality_of(truth, rows)


def scores_in(path: Path, truth: Truth) -> FloatArray:
    """Return the scores that ``hilabel predict`` wrote; 0 for all others."""
    frame = pd.read_parquet(path, columns=["id", "term", "probability"])
    rows = pd.Index(truth.test_ids).get_indexer(frame["id"])
    nodes = pd.Index(truth.hierarchy.names).get_indexer(frame["term"])
    is_measured = (rows >= 0) & (nodes >= 0)
    scores: Any = np.zeros(truth.tested.shape, dtype=np.float32)
    values = frame["probability"].to_numpy()
    scores[rows[is_measured], nodes[is_measured]] = values[is_measured]
    return scores
