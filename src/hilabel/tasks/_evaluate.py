"""How good a model is: measures, the constant predictor beside them, figures."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from hilabel._progress import Report, say_nothing
from hilabel._typing import BoolArray, FilePath, FloatArray, LabelArray
from hilabel.classifiers import PriorClassifier
from hilabel.constraints import labels_from_scores
from hilabel.datasets import MatchReport, load_table
from hilabel.exceptions import ParameterError
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

    def save(self, folder: FilePath) -> list[Path]:
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
    """
    choices = FitChoices() if choices is None else choices
    choices.resolved()
    report("Reading the files", 0, 0)
    data = files.load()
    dataset = data.dataset
    estimator, sentences = build_estimator(choices, dataset)
    preparation, more = build_preparation(choices, estimator, data)
    X = preparation.transform(data.table)
    rows = dataset.labeled
    if choices.folds > rows.sum():
        raise ParameterError(
            f"Expected at least one labelled row for each of {choices.folds} folds, "
            f"got {rows.sum()}; ask for fewer.",
            parameter="folds",
        )
    known = dataset.Y[rows]
    common: dict[str, Any] = {"n_splits": choices.folds, "random_state": choices.seed}
    scores = out_of_fold_scores(estimator, X, dataset.Y, report=report, **common)
    rivals = {"model": scores[rows]}
    if estimator.method_tags.semi_supervised and not rows.all():
        # The folds are those of before: they divide the labelled rows alone.
        rivals["without_unlabelled"] = out_of_fold_scores(
            estimator, X[rows], known, report=report, **common
        )
    prior = PriorClassifier(dataset.hierarchy)
    rivals["constant"] = out_of_fold_scores(prior, X[rows], known, **common)
    prior_of = known.mean(axis=0)
    says = informative(data.ontology, prior_of)
    thresholds = {
        name: _best_threshold(known, rival, says) for name, rival in rivals.items()
    }
    said = (
        f"thresholds: {_listed(thresholds)}, each where F is largest on these rows, as "
        "hilabel fit chooses it"
    )
    title = (
        f"{type(estimator).__name__}, cross-validated on {rows.sum()} labelled rows in "
        f"{choices.folds} folds"
    )
    scored = _Scored(known, rivals, thresholds, dataset.hierarchy, prior_of, says)
    return scored.evaluation(title, data.report, (*sentences, *more, said))


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
        replaced.
    report : callable, optional
    """
    model = as_table_model(model)
    report("Reading the files", 0, 0)
    table = model.read(files.features, files.id_column)
    hierarchy: Any = files.hierarchy
    strip_version = model.summary.get("strip_version", False)
    options = {**files.options(), "min_count": 1, "strip_version": strip_version}
    if hierarchy is None:
        hierarchy, options["unknown_terms"] = model.ontology, "drop"
    data = load_table(
        table, files.labels, hierarchy, preparation=model.preparation, **options
    )
    known = _columns_of(data.dataset.Y, data.dataset.hierarchy, model.hierarchy)
    rows = data.dataset.labeled
    report("Predicting", 0, 0)
    known = known[rows]
    says = informative(model.ontology, model.prior)
    scores = model.predict_proba(table)[rows]
    constant = np.broadcast_to(model.prior, scores.shape)
    thresholds = {
        "model": 0.5 if model.thresholds is None else model.thresholds.overall,
        "constant": _best_threshold(known, constant, says),
    }
    sentences = _seen_in_training(model, set(np.array(table.ids, dtype=object)[rows]))
    sentences.append(
        f"thresholds: {_listed(thresholds)}; the latter is the best on these rows"
    )
    title = f"{model.summary.get('method', 'model')} on {rows.sum()} labelled test rows"
    rivals = {"model": scores, "constant": constant}
    scored = _Scored(known, rivals, thresholds, model.hierarchy, model.prior, says)
    return scored.evaluation(title, data.report, tuple(sentences))


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


def _columns_of(Y: LabelArray, have: Hierarchy, want: Hierarchy) -> LabelArray:
    """Return the columns of the wanted nodes; 0 where no row has the label."""
    columns = np.zeros((len(Y), want.n_nodes), dtype=np.int8)
    for node, name in enumerate(want.names):
        if name in have:
            columns[:, node] = Y[:, have.node(name)]
    return columns


def _best_threshold(known: LabelArray, scores: FloatArray, says: BoolArray) -> float:
    return fmax(known[:, says], scores[:, says], thresholds="all").threshold


def _listed(thresholds: dict[str, float]) -> str:
    return ", ".join(
        f"{value:.3f} for {_TITLES[name]}" for name, value in thresholds.items()
    )


@dataclass(frozen=True, eq=False)
class _Scored:
    """Labelled rows with the scores of a model and of those beside it.

    ``rivals`` and ``thresholds`` have the keys ``"model"``, ``"constant"`` and perhaps
    ``"without_unlabelled"``. Measures are of the terms that say something, ``says``.
    """

    known: LabelArray
    rivals: dict[str, FloatArray]
    thresholds: dict[str, float]
    hierarchy: Hierarchy
    prior: FloatArray
    says: BoolArray

    def evaluation(
        self, title: str, report: MatchReport, sentences: tuple[str, ...]
    ) -> Evaluation:
        known, scores = self.known, self.rivals["model"]
        curves = {
            _TITLES[name].removeprefix("the "): rival[:, self.says]
            for name, rival in self.rivals.items()
        }
        return Evaluation(
            title=title,
            measures=self._all_measured(),
            per_depth=per_depth_table(known, scores, self.hierarchy, self.prior),
            per_node=per_node_table(known, scores, self.hierarchy),
            curves=PrecisionRecallDisplay.from_scores(known[:, self.says], curves),
            calibration=CalibrationDisplay.from_scores(
                known[:, self.says], scores[:, self.says]
            ),
            report=report,
            sentences=(*self._about_roots(), *sentences),
        )

    def _about_roots(self) -> list[str]:
        if self.says.all():
            return []
        names = np.array(self.hierarchy.names, dtype=object)[~self.says]
        with_them = average_precision(self.known, self.rivals["model"])
        return [
            f"measures leave out {len(names)} root terms, which say nothing, such as "
            f"{names[0]}; with them the micro average precision is {with_them:.3f}"
        ]

    def _all_measured(self) -> pd.DataFrame:
        table = pd.DataFrame({name: self._measures(name) for name in self.rivals})
        table["better"] = [
            "lower" if name in _LOWER_IS_BETTER else "higher" for name in table.index
        ]
        return table.rename_axis("measure").reset_index()

    def _measures(self, rival: str) -> dict[str, float]:
        hierarchy, scores, says = self.hierarchy, self.rivals[rival], self.says
        labels = labels_from_scores(
            scores, hierarchy, self.thresholds[rival], on_conflict="close"
        )
        information = information_accretion(self.known, hierarchy)
        if not says.all():
            hierarchy, information = hierarchy.restrict(says), information[says]
        known, scores, labels = self.known[:, says], scores[:, says], labels[:, says]
        return {
            "micro average precision": float(average_precision(known, scores)),
            "macro average precision": float(average_precision(known, scores, "macro")),
            "Fmax": fmax(known, scores, thresholds="all").value,
            "Smin": smin(known, scores, information, thresholds="all").value,
            "hierarchical F1": float(hierarchical_f1(known, labels, hierarchy)),
            "exact match": float(exact_match(known, labels)),
            "Hamming loss": float(hamming_loss(known, labels)),
        }
