"""The calibration of probabilities; ``python -m benchmarks.calibration``.

The benchmark evaluates the default forest and SSHMC-BLI on Gene Ontology and synthetic
sets, with and without calibration. It measures the micro average precision and the mean
calibration error in ten bins of equal count, for all cells and for those with a
probability of at least 0.1. Out of fold, each fold is calibrated on the others; hidden
rows are the test rows. The unlabelled rows are those of training, whose labels SSHMC-
BLI guessed: "before" is the calibration for new rows, "after" the one that ``hilabel
fit`` learns for them. How far nodes may differ was chosen out of fold on cellcycle_GO
and seed 1, without the other sets. The table is written to
``benchmarks/results/calibration.md``.
"""

import sys
import warnings
from collections.abc import Iterator
from typing import Any

from benchmarks._data import missing_data_reason
from benchmarks._results import write_table
from hilabel.calibration import ScoreCalibration, calibrate_by_folds
from hilabel.classifiers import PredictiveClusteringForest
from hilabel.datasets import impute, load_go, make_hierarchical_classification
from hilabel.metrics import ScoreCounts, average_precision
from hilabel.model_selection import draw_folds, mask_labels, out_of_fold_scores
from hilabel.semi_supervised import SSHMCBLI

HEADINGS = (
    "rows",
    "method",
    "where",
    "error before",
    "after",
    "error from .1 on before",
    "after",
    "average precision before",
    "after",
)
N_FOLDS = 3
GO_SETS = (
    ("cellcycle", 50, 1.0),
    ("cellcycle", 50, 0.1),
    ("cellcycle", 5, 1.0),
    ("gasch1", 50, 1.0),
    ("eisen", 50, 0.1),
)


def _problems() -> Iterator[tuple[str, Any, Any, Any, Any, Any, Any]]:
    for dataset, min_count, fraction in GO_SETS:
        go = impute(load_go(dataset, min_count=min_count))
        Y = go.train.Y
        if fraction < 1:
            Y = mask_labels(Y, fraction, random_state=0)
        name = f"{dataset}_GO, {go.hierarchy.n_nodes} nodes, {fraction:.0%} labelled"
        truth = go.train.Y
        yield name, go.train.X, Y, truth, go.test.X, go.test.Y, go.hierarchy
    for seed in (1, 2):
        data = make_hierarchical_classification(
            3000, 20, n_nodes=80, structure="dag", labels_per_row=3, random_state=seed
        )
        seen, hidden = slice(0, 2000), slice(2000, None)
        Y = mask_labels(data.Y[seen], 0.3, random_state=0)
        name = f"made in code, seed {seed}, 600 of 2,000 rows labelled"
        hidden_rows = data.X[hidden], data.Y[hidden]
        yield name, data.X[seen], Y, data.Y[seen], *hidden_rows, data.hierarchy


def _errors(Y: Any, before: Any, after: Any) -> tuple[str, ...]:
    found = [
        ScoreCounts.of(Y, scores).error(floor=floor)
        for floor in (0.0, 0.1)
        for scores in (before, after)
    ]
    found += [average_precision(Y, scores) for scores in (before, after)]
    return tuple(f"{value:.3f}" for value in found)


def _unlabeled_calibration(method: Any, X: Any, Y: Any, labeled: Any) -> Any:
    """Learn a calibration from labelled rows whose labels are hidden in training."""
    fold = draw_folds(Y, 2 * N_FOLDS)
    scores = out_of_fold_scores(method, X, Y, fold=fold, as_unlabeled=True)
    return ScoreCalibration(method.hierarchy).fit(Y[labeled], scores[labeled])


def main() -> None:
    reason = missing_data_reason()
    if reason:
        print(f"calibration: {reason}")
        return
    warnings.simplefilter("ignore")  # nodes without a labelled row in a fold
    rows = []
    for name, X, Y, truth, X_hidden, Y_hidden, hierarchy in _problems():
        labeled = ~(Y < 0).all(axis=1)
        fold = draw_folds(Y, N_FOLDS)
        common: dict[str, Any] = {"random_state": 0, "n_jobs": 2}
        for method in (
            PredictiveClusteringForest(hierarchy, **common),
            SSHMCBLI(hierarchy, variant="v2", **common),
        ):
            known = Y[labeled]
            scores = out_of_fold_scores(method, X, Y, fold=fold)[labeled]
            calibration, nested = calibrate_by_folds(
                known, scores, fold[labeled], hierarchy
            )
            raw = method.fit(X, Y).predict_proba(X_hidden)
            told = name, type(method).__name__
            rows.append((*told, "out of fold", *_errors(known, scores, nested)))
            new = calibration.transform(raw)
            rows.append((*told, "hidden rows", *_errors(Y_hidden, raw, new)))
            print(*rows[-2:], sep="\n", flush=True)
            if method.learns_from_unlabeled and not labeled.all():
                raw = method.predict_proba(X[~labeled])
                own = _unlabeled_calibration(method, X, Y, labeled)
                pair = calibration.transform(raw), own.transform(raw)
                figures = _errors(truth[~labeled], *pair)
                rows.append((*told, "unlabelled rows", *figures))
                print(rows[-1], flush=True)
    print(write_table("calibration", HEADINGS, rows))


if __name__ == "__main__":
    sys.exit(main())
