"""One threshold, or one for each node; ``python -m benchmarks.thresholds``.

The benchmark measures label sets of calibrated out-of-fold scores, with thresholds
chosen on the other folds: one for all nodes, or one for each, with several values of
``shrinkage``. The table is written to ``benchmarks/results/thresholds.md``.
"""

import sys
import warnings
from typing import Any

import numpy as np

from benchmarks._data import go_rows, missing_data_reason
from benchmarks._results import write_table
from hilabel.calibration import calibrate_by_folds
from hilabel.classifiers import PredictiveClusteringForest
from hilabel.constraints import labels_from_scores
from hilabel.metrics import choose_thresholds, hierarchical_precision_recall_f1
from hilabel.model_selection import draw_folds, out_of_fold_scores
from hilabel.semi_supervised import SSHMCBLI

HEADINGS = ("rows", "method", "thresholds", "precision", "recall", "F1", "F1 of nodes")
SHRINKAGES = (0, 5, 20, 50, 100)


def _held_out_labels(
    Y: Any, scores: Any, hierarchy: Any, fold: Any, shrinkage: float | None
) -> Any:
    """Return label sets; without shrinkage, with one threshold for all nodes."""
    labels = np.zeros(Y.shape, dtype=bool)
    for number in range(fold.max() + 1):
        train, test = fold != number, fold == number
        chosen = choose_thresholds(
            Y[train], scores[train], hierarchy, shrinkage=shrinkage or 0
        )
        threshold = chosen.overall if shrinkage is None else chosen.per_node
        labels[test] = labels_from_scores(
            scores[test], hierarchy, threshold, on_conflict="close"
        )
    return labels


def _measures(Y: Any, labels: Any, hierarchy: Any) -> tuple[str, ...]:
    found = hierarchical_precision_recall_f1(Y, labels, hierarchy)
    n_right, n_claimed = (Y & labels).sum(axis=0), Y.sum(axis=0) + labels.sum(axis=0)
    of_nodes = (2 * n_right / n_claimed)[Y.any(axis=0)].mean()
    return tuple(f"{value:.3f}" for value in (*found, of_nodes))


def main() -> None:
    reason = missing_data_reason()
    if reason:
        print(f"thresholds: {reason}")
        return
    warnings.simplefilter("ignore")  # nodes without a labelled row in a fold
    rows = []
    for name, fraction in (("cellcycle", 1.0), ("cellcycle", 0.1), ("gasch1", 1.0)):
        X, Y, _, _, hierarchy = go_rows(name, fraction)
        Y = Y == 1
        fold = draw_folds(Y, 3)
        for method in (
            PredictiveClusteringForest(hierarchy, random_state=0, n_jobs=2),
            SSHMCBLI(hierarchy, variant="v2", random_state=0, n_jobs=2),
        ):
            scores = out_of_fold_scores(method, X, Y, fold=fold)
            _, scores = calibrate_by_folds(Y, scores, fold, hierarchy)
            told = f"{name}_GO, {fraction:.0%} labelled", type(method).__name__
            for shrinkage in (None, *SHRINKAGES):
                labels = _held_out_labels(Y, scores, hierarchy, fold, shrinkage)
                kind = f"each node, shrinkage {shrinkage}"
                kind = "one for all" if shrinkage is None else kind
                rows.append((*told, kind, *_measures(Y, labels, hierarchy)))
                print(*rows[-1], flush=True)
    print(write_table("thresholds", HEADINGS, rows))


if __name__ == "__main__":
    sys.exit(main())
