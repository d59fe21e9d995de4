"""How good a model is: measures, the constant predictor beside them, figures."""

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from hilabel._typing import FloatArray, LabelArray
from hilabel.classifiers import PriorClassifier
from hilabel.constraints import labels_from_scores
from hilabel.datasets import MatchReport, load_table
from hilabel.hierarchy import Hierarchy
from hilabel.metrics import (
    average_precision,
    exact_match,
    fmax,
    hamming_loss,
    hierarchical_f1,
    information_accretion,
    per_depth_table,
    per_node_table,
    smin,
)
from hilabel.model_selection import out_of_fold_scores
from hilabel.persistence import TableModel
from hilabel.report import (
    CalibrationDisplay,
    Display,
    PrecisionRecallDisplay,
    has_matplotlib,
    save_figure,
)
from hilabel.tasks._build import FitChoices, build_estimator, build_preparation
from hilabel.tasks._files import TableFiles
from hilabel.tasks._predict import write_table
from hilabel.tasks._progress import Report, say_nothing

__all__ = ["Evaluation", "evaluate_model", "evaluate_table"]

_LOWER_IS_BETTER = ("Smin", "Hamming loss")


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Measures of a model on rows whose labels it has not seen.

    Attributes
    ----------
    title : str
        What was evaluated, and how.
    measures : DataFrame
        A row per measure: ``measure``, ``model``, ``constant`` and ``better`` (whether
        higher or lower is).
    per_depth, per_node : DataFrame
        See :func:`~hilabel.metrics.per_depth_table` and
        :func:`~hilabel.metrics.per_node_table`.
    curves : PrecisionRecallDisplay
    calibration : CalibrationDisplay
    report : MatchReport
    sentences : tuple of str
        What was chosen and why, to be shown.
    """

    title: str
    measures: pd.DataFrame
    per_depth: pd.DataFrame
    per_node: pd.DataFrame
    curves: PrecisionRecallDisplay
    calibration: CalibrationDisplay
    report: MatchReport
    sentences: tuple[str, ...]

    def save(self, folder: str | PathLike[str]) -> list[Path]:
        """Write the tables as CSV, and the figures if matplotlib is installed."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        tables = {
            "measures": self.measures,
            "per_depth": self.per_depth,
            "per_node": self.per_node,
            "calibration": self.calibration.frame(),
            "precision_recall": self.curves.frame(),
        }
        paths = [
            write_table(table, folder / f"{name}.csv") for name, table in tables.items()
        ]
        if has_matplotlib():
            displays: dict[str, Display] = {
                "calibration": self.calibration,
                "precision_recall": self.curves,
            }
            paths += [
                save_figure(display.plot(), folder / f"{name}.png")
                for name, display in displays.items()
            ]
        return paths


def evaluate_table(
    files: TableFiles,
    choices: FitChoices | None = None,
    report: Report = say_nothing,
) -> Evaluation:
    """Evaluate a method by cross-validation on the labelled rows.

    The unlabelled rows train in every fold. The preprocessing looks at the features of
    all rows, and at no labels.

    Parameters
    ----------
    files : TableFiles
    choices : FitChoices, optional
        Its ``folds`` are the folds.
    report : callable, optional

    Returns
    -------
    Evaluation
    """
    choices = FitChoices() if choices is None else choices
    choices.resolved()
    report("Reading the files", 0, 0)
    data = files.load()
    dataset = data.dataset
    estimator, sentences = build_estimator(choices, dataset)
    preparation, more = build_preparation(choices, estimator, dataset, data.encoder)
    X = preparation.transform(dataset.X)
    common: dict[str, Any] = {"n_splits": choices.folds, "random_state": choices.seed}
    scores = out_of_fold_scores(estimator, X, dataset.Y, report=report, **common)
    constant = out_of_fold_scores(
        PriorClassifier(dataset.hierarchy), X, dataset.Y, **common
    )
    rows = dataset.labeled
    known = dataset.Y[rows]
    title = (
        f"{type(estimator).__name__}, cross-validated on {rows.sum()} labelled rows in "
        f"{choices.folds} folds"
    )
    scored = _Scored(
        known, scores[rows], constant[rows], dataset.hierarchy, known.mean(axis=0), 0.5
    )
    return scored.evaluation(title, data.report, (*sentences, *more))


def evaluate_model(
    model: TableModel, files: TableFiles, report: Report = say_nothing
) -> Evaluation:
    """Evaluate a trained model on a test file.

    Parameters
    ----------
    model : TableModel
    files : TableFiles
        With a hierarchy, terms that the model does not know count for their
        ancestors; without it they are left out.
    report : callable, optional

    Returns
    -------
    Evaluation
    """
    report("Reading the files", 0, 0)
    table = model.read(files.features, files.id_column)
    has_hierarchy = files.hierarchy is not None
    data = load_table(
        table,
        files.labels,
        files.hierarchy if has_hierarchy else model.hierarchy,
        relations=files.relations,
        evidence=files.evidence or None,
        exclude_evidence=files.exclude_evidence or None,
        unknown_terms=files.unknown_terms if has_hierarchy else "drop",
        encoder=model.encoder,
    )
    known = _columns_of(data.dataset.Y, data.dataset.hierarchy, model.hierarchy)
    rows = data.dataset.labeled
    report("Predicting", 0, 0)
    scores = model.predict_proba(table)[rows]
    constant = np.broadcast_to(model.prior, scores.shape)
    threshold = 0.5 if model.thresholds is None else model.thresholds.overall
    both = set(model.sample_ids) & {
        row_id for row_id, is_labeled in zip(table.ids, rows) if is_labeled
    }
    sentences = []
    if both:
        sentences.append(
            f"beware: {len(both)} of the {rows.sum()} test rows, such as "
            f"{min(both)!r}, were there in training, so the measures may flatter"
        )
    title = f"{model.summary.get('method', 'model')} on {rows.sum()} labelled test rows"
    scored = _Scored(
        known[rows], scores, constant, model.hierarchy, model.prior, threshold
    )
    return scored.evaluation(title, data.report, tuple(sentences))


def _columns_of(Y: LabelArray, have: Hierarchy, want: Hierarchy) -> LabelArray:
    """Return the columns of the wanted nodes; 0 where no row has the label."""
    columns = np.zeros((len(Y), want.n_nodes), dtype=np.int8)
    for node, name in enumerate(want.names):
        if name in have:
            columns[:, node] = Y[:, have.node(name)]
    return columns


@dataclass(frozen=True, eq=False)
class _Scored:
    """Labelled rows with the scores of a model and of the constant predictor."""

    known: LabelArray
    scores: FloatArray
    constant: FloatArray
    hierarchy: Hierarchy
    prior: FloatArray
    threshold: float

    def evaluation(
        self, title: str, report: MatchReport, sentences: tuple[str, ...]
    ) -> Evaluation:
        known, scores = self.known, self.scores
        both = {"model": scores, "constant predictor": self.constant}
        return Evaluation(
            title=title,
            measures=self._both_measured(),
            per_depth=per_depth_table(known, scores, self.hierarchy, self.prior),
            per_node=per_node_table(known, scores, self.hierarchy),
            curves=PrecisionRecallDisplay.from_scores(known, both),
            calibration=CalibrationDisplay.from_scores(known, scores),
            report=report,
            sentences=sentences,
        )

    def _both_measured(self) -> pd.DataFrame:
        ours, baseline = self._measures(self.scores), self._measures(self.constant)
        return pd.DataFrame(
            {
                "measure": list(ours),
                "model": list(ours.values()),
                "constant": list(baseline.values()),
                "better": [
                    "lower" if name.startswith(_LOWER_IS_BETTER) else "higher"
                    for name in ours
                ],
            }
        )

    def _measures(self, scores: FloatArray) -> dict[str, float]:
        known, hierarchy = self.known, self.hierarchy
        labels = labels_from_scores(scores, hierarchy, self.threshold)
        information = information_accretion(known, hierarchy)
        at = f"at {self.threshold:.3g}"
        return {
            "micro average precision": float(average_precision(known, scores)),
            "macro average precision": float(average_precision(known, scores, "macro")),
            "Fmax": fmax(known, scores).value,
            "Smin": smin(known, scores, information).value,
            f"hierarchical F1 {at}": float(hierarchical_f1(known, labels, hierarchy)),
            f"exact match {at}": float(exact_match(known, labels)),
            f"Hamming loss {at}": float(hamming_loss(known, labels)),
        }
