"""How good a model is: measures, the constant predictor beside them, figures."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from hilabel._progress import Report, say_nothing
from hilabel._typing import BoolArray, FilePath, FloatArray, LabelArray
from hilabel._writing import folder_aside
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
from hilabel.model_selection import LabeledKFold, out_of_fold_scores
from hilabel.persistence import TableModel
from hilabel.report import (
    CalibrationDisplay,
    Display,
    PrecisionRecallDisplay,
    has_matplotlib,
    save_figure,
)
from hilabel.tasks._build import (
    FitChoices,
    build_estimator,
    build_preparation,
    training_labels,
)
from hilabel.tasks._files import TableFiles
from hilabel.tasks._predict import as_table_model, write_table
from hilabel.tasks._roots import informative

_LOWER_IS_BETTER = ("Smin", "Hamming loss")
_TITLES = {
    "model": "the model",
    "without_unlabelled": "the model without unlabelled rows",
    "constant": "the constant predictor",
}


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Measures of a model on rows whose labels it has not seen.

    Attributes
    ----------
    title : str
        What was evaluated, and how.
    measures : DataFrame
        A row per measure: ``measure``, ``model``, ``constant`` and ``better`` (whether
        higher or lower is); for methods that learn from unlabelled rows also
        ``without_unlabelled``, the same method trained on the labelled rows alone.
        Label sets are taken at one threshold each, which ``sentences`` name.
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

    @property
    def no_better(self) -> bool:
        """Whether the model is no better than the constant predictor."""
        micro = self.measures.set_index("measure").loc["micro average precision"]
        return bool(micro["model"] <= micro["constant"])

    def save(self, folder: FilePath) -> list[Path]:
        """Write the tables as CSV, and the figures if matplotlib is installed."""
        with folder_aside(folder) as aside:
            written = self._write(aside)
        return [Path(folder) / path.name for path in written]

    def _write(self, folder: Path) -> list[Path]:
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
    """
    choices = FitChoices() if choices is None else choices
    choices.resolved()
    report("Reading the files", 0, 0)
    data = files.load()
    dataset = data.dataset
    report("Preparing the columns", 0, 0)
    estimator, sentences = build_estimator(choices, dataset)
    labels, about_unknown = training_labels(estimator, data)
    preparation, more = build_preparation(choices, estimator, data)
    X = preparation.transform(data.table)
    rows = dataset.labeled
    choices.check_folds(int(rows.sum()))
    prior = dataset.prior
    says = informative(data.ontology, prior)
    truth = _Truth(dataset.Y[rows], dataset.hierarchy, prior, says)
    report(f"Dividing {rows.sum()} labelled rows into {choices.folds} folds", 0, 0)
    divider = LabeledKFold(choices.folds, random_state=choices.seed)
    folds = list(divider.split(None, dataset.Y))
    labeled_folds = [(train[rows[train]], test) for train, test in folds]
    rivals = {"model": (estimator, folds)}
    if estimator.method_tags.semi_supervised and not rows.all():
        rivals["without_unlabelled"] = (estimator, labeled_folds)
    rivals["constant"] = (PriorClassifier(dataset.hierarchy), labeled_folds)
    measured, tables, about = {}, {}, []
    for name, (rival, its_folds) in rivals.items():
        # One at a time: scores are what takes most of the memory.
        told = say_nothing if name == "constant" else report
        Y = dataset.Y if name == "constant" else labels
        scores = out_of_fold_scores(rival, X, Y, folds=its_folds, report=told)
        scores = scores if rows.all() else scores[rows]
        report(f"Measuring {_TITLES[name]}", 0, 0)
        measured[name] = truth.measured(name, scores)
        if name == "model":
            tables, about = truth.tables(scores), truth.about_roots(scores)
    said = (
        f"thresholds: {_listed(measured)}, each where F is largest on these rows, as "
        "hilabel fit chooses it"
    )
    title = (
        f"{type(estimator).__name__}, cross-validated on {rows.sum()} labelled rows in "
        f"{choices.folds} folds"
    )
    sentences = [*about, *sentences, *about_unknown, *more, said]
    return _evaluation(measured, tables, title, data.report, *sentences)


def evaluate_model(
    model: TableModel | FilePath, files: TableFiles, report: Report = say_nothing
) -> Evaluation:
    """Evaluate a trained model on a test file.

    Parameters
    ----------
    model : TableModel or path-like
        The model, or the file that has it.
    files : TableFiles
        With a hierarchy, terms that the model does not know count for their
        ancestors; without it they are left out, but for identifiers that have been
        replaced and for paths of which the model knows the beginning.
    report : callable, optional
    """
    model = as_table_model(model)
    report("Reading the files", 0, 0)
    table = model.read(files.features, files.id_column, files.ids)
    hierarchy: Any = files.hierarchy
    strip_version = model.summary.get("strip_version", False)
    options = {**files.options(), "min_count": 1, "strip_version": strip_version}
    if hierarchy is None:
        hierarchy, options["unknown_terms"] = model.ontology, "drop"
    data = load_table(
        table, files.labels, hierarchy, preparation=model.preparation, **options
    )
    labels = data.labels_over(model.ontology)
    rows = np.asarray(labels.max(axis=1) >= 0)
    known = labels[rows]
    report("Predicting", 0, 0)
    scores = model.predict_proba(table)[rows]
    constant = np.broadcast_to(model.prior, scores.shape)
    says = informative(model.ontology, model.prior)
    truth = _Truth(known, model.hierarchy, model.prior, says)
    threshold = 0.5 if model.thresholds is None else model.thresholds.overall
    report("Measuring", 0, 0)
    measured = {
        "model": truth.measured("model", scores, threshold),
        "constant": truth.measured("constant", constant),
    }
    sentences = _seen_in_training(model, set(np.array(table.ids, dtype=object)[rows]))
    sentences.append(
        f"thresholds: {_listed(measured)}; the latter is the best on these rows"
    )
    title = f"{model.summary.get('method', 'model')} on {rows.sum()} labelled test rows"
    tables = truth.tables(scores)
    sentences = [*truth.about_roots(scores), *sentences]
    return _evaluation(measured, tables, title, data.report, *sentences)


def _seen_in_training(model: TableModel, tested: set[str]) -> list[str]:
    """Say which rows the model learned from; a supervised one only from labels."""
    trained = np.array(model.sample_ids, dtype=object)
    both = tested & set(trained[model.labeled])
    without_labels = tested & set(trained[~model.labeled])
    sentences = []
    if both:
        sentences.append(
            f"beware: {len(both)} of the {len(tested)} test rows, such as "
            f"{min(both)!r}, were there in training, so the measures may flatter"
        )
    if without_labels and model.estimator.method_tags.semi_supervised:
        sentences.append(
            f"{len(without_labels)} of the {len(tested)} test rows were there in "
            "training without their labels"
        )
    return sentences


@dataclass(frozen=True, eq=False)
class _Measured:
    """What is kept of the scores of a model, or of one beside it."""

    threshold: float
    measures: dict[str, float]
    curve: PrecisionRecallDisplay


@dataclass(frozen=True, eq=False)
class _Truth:
    """The labels of the rows, against which scores are measured.

    Measures are of the terms that say something, ``says``.
    """

    known: LabelArray
    hierarchy: Hierarchy
    prior: FloatArray
    says: BoolArray

    @cached_property
    def _telling(self) -> tuple[LabelArray, Hierarchy, FloatArray]:
        """Labels, hierarchy and information of the terms that say something."""
        information = information_accretion(self.known, self.hierarchy)
        if self.says.all():
            return self.known, self.hierarchy, information
        hierarchy = self.hierarchy.restrict(self.says)
        return self.known[:, self.says], hierarchy, information[self.says]

    def _of(self, cells: Any) -> Any:
        return cells if self.says.all() else cells[:, self.says]

    def measured(
        self, name: str, scores: FloatArray, threshold: float | None = None
    ) -> _Measured:
        """Measure scores; label sets at the threshold, or where F is largest."""
        known, hierarchy, information = self._telling
        of_terms = self._of(scores)
        best = fmax(known, of_terms, thresholds="all")
        threshold = best.threshold if threshold is None else threshold
        labels = self._of(
            labels_from_scores(scores, self.hierarchy, threshold, on_conflict="close")
        )
        title = _TITLES[name].removeprefix("the ")
        curve = PrecisionRecallDisplay.from_scores(known, {title: of_terms})
        least = smin(known, of_terms, information, thresholds="all")
        macro = average_precision(known, of_terms, "macro")
        measures = {
            "micro average precision": curve.average_precision[title],
            "macro average precision": float(macro),
            "Fmax": best.value,
            "Smin": least.value,
            "hierarchical F1": float(hierarchical_f1(known, labels, hierarchy)),
            "exact match": float(exact_match(known, labels)),
            "Hamming loss": float(hamming_loss(known, labels)),
        }
        return _Measured(threshold, measures, curve)

    def tables(self, scores: FloatArray) -> dict[str, Any]:
        """Measure scores by depth, by node and by how much they claim."""
        known, hierarchy = self.known, self.hierarchy
        return {
            "per_depth": per_depth_table(known, scores, hierarchy, self.prior),
            "per_node": per_node_table(known, scores, hierarchy),
            "calibration": CalibrationDisplay.from_scores(
                self._of(known), self._of(scores)
            ),
        }

    def about_roots(self, scores: FloatArray) -> list[str]:
        """Say which roots are left out, and what they would have made of it."""
        if self.says.all():
            return []
        names = np.array(self.hierarchy.names, dtype=object)[~self.says]
        with_them = average_precision(self.known, scores)
        return [
            f"measures leave out {len(names)} root terms, which say nothing, such as "
            f"{names[0]}; with them the micro average precision is {with_them:.3f}"
        ]


def _listed(measured: dict[str, _Measured]) -> str:
    return ", ".join(
        f"{one.threshold:.3f} for {_TITLES[name]}" for name, one in measured.items()
    )


def _evaluation(
    measured: dict[str, _Measured],
    tables: dict[str, Any],
    title: str,
    report: MatchReport,
    *sentences: str,
) -> Evaluation:
    table = pd.DataFrame({name: one.measures for name, one in measured.items()})
    table["better"] = [
        "lower" if name in _LOWER_IS_BETTER else "higher" for name in table.index
    ]
    curves: dict[str, Any] = {}
    areas: dict[str, float] = {}
    for one in measured.values():
        curves |= one.curve.curves
        areas |= one.curve.average_precision
    return Evaluation(
        title=title,
        measures=table.rename_axis("measure").reset_index(),
        curves=PrecisionRecallDisplay(curves, areas),
        report=report,
        sentences=sentences,
        **tables,
    )
