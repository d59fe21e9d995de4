"""Evaluate a model and compare it with the constant predictor."""

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from hilabel._progress import Report, say_nothing
from hilabel._typing import BoolArray, FilePath, FloatArray, IntArray, LabelArray
from hilabel._writing import folder_aside, inputs_kept
from hilabel.calibration import calibrate_by_folds, reliable_nodes
from hilabel.classifiers import PriorClassifier
from hilabel.constraints import labels_from_scores
from hilabel.datasets import MatchReport
from hilabel.hierarchy import Hierarchy, Ontology
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
    preset_told,
    training_labels,
)
from hilabel.tasks._cost import warn_of_time
from hilabel.tasks._files import TableFiles
from hilabel.tasks._held_out import (
    held_out_scores,
    held_out_words,
    n_trainings,
)
from hilabel.tasks._labeled_rows import labeled_rows
from hilabel.tasks._predict import as_table_model
from hilabel.tasks._roots import informative, telling
from hilabel.tasks._worth import (
    can_calibrate,
    fold_numbers,
    is_no_better,
    threshold_table,
    thresholds_by_fold,
)
from hilabel.tasks._write_table import write_table

_LOWER_IS_BETTER = ("Smin", "Hamming loss")
_ONE: Final = "one for all terms"
_PER_TERM: Final = "one for each term"
_TITLES = {
    "model": "the model",
    "without_unlabelled": "the model without unlabelled rows",
    "constant": "the constant predictor",
}


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Measures of a model on rows whose labels were not used for training.

    Attributes
    ----------
    title : str
        What was evaluated, and how.
    measures : DataFrame
        One row per measure: ``measure``, ``model``, ``constant`` and ``better``
        ("higher" or "lower"). Methods that learn from unlabelled rows also have
        ``without_unlabelled``, the same method trained on the labelled rows alone,
        unless no candidate of Blend uses unlabelled rows. Each column uses one
        threshold for its label sets, which ``sentences`` name.
    thresholds : DataFrame
        Label sets of the model with one threshold, and with one threshold per term:
        ``thresholds``, ``precision``, ``recall``, ``f1`` over all cells, and
        ``f1_of_terms``, the mean over terms.
    per_depth, per_node : DataFrame
        See :func:`~hilabel.metrics.per_depth_table` and
        :func:`~hilabel.metrics.per_node_table`.
    curves : PrecisionRecallDisplay
    calibration : CalibrationDisplay
    report : MatchReport
    sentences : tuple of str
        The choices and their reasons, to be shown.
    reliable_terms : int
        Number of terms that the model predicts better than by chance.
    inputs : tuple of Path
        The files that were read; ``save`` does not overwrite them.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from hilabel.datasets import write_example
    >>> from hilabel.tasks import FitChoices, TableFiles, evaluate_table
    >>> with TemporaryDirectory() as folder:
    ...     paths = write_example(folder, "shop")
    ...     files = TableFiles(paths["features"], paths["labels"], paths["hierarchy"])
    ...     found = evaluate_table(files, FitChoices(method="PredictiveClusteringTree"))
    >>> found.measures.columns.tolist()
    ['measure', 'model', 'constant', 'better']
    """

    title: str
    measures: pd.DataFrame
    thresholds: pd.DataFrame
    per_depth: pd.DataFrame
    per_node: pd.DataFrame
    curves: PrecisionRecallDisplay
    calibration: CalibrationDisplay
    report: MatchReport
    sentences: tuple[str, ...]
    reliable_terms: int
    inputs: tuple[Path, ...] = ()

    @property
    def no_better(self) -> bool:
        """Whether the model is no better than the constant predictor."""
        micro = self.measures.set_index("measure").loc["micro average precision"]
        return is_no_better(micro["model"], micro["constant"], self.reliable_terms)

    def save(self, folder: FilePath) -> list[Path]:
        """Write the tables as CSV, and the figures if matplotlib is installed."""
        with inputs_kept(self.inputs), folder_aside(folder) as aside:
            written = self._write(aside)
        return [Path(folder) / path.name for path in written]

    def _write(self, folder: Path) -> list[Path]:
        tables = {
            "measures": self.measures,
            "thresholds": self.thresholds,
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

    Unlabelled rows are used for training in every fold. A forest with bootstrapping is
    trained only once: each row is scored by the trees that were trained without it.
    Networks and Blend also score rows during training. The preprocessing uses the
    features of all rows, but no labels. The calibration and the thresholds for a fold
    are determined on the other folds.

    Parameters
    ----------
    files : TableFiles
    choices : FitChoices, optional
        ``choices.folds`` is the number of folds.
    report : callable, optional

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from hilabel.datasets import write_example
    >>> from hilabel.tasks import FitChoices, TableFiles, evaluate_table
    >>> with TemporaryDirectory() as folder:
    ...     paths = write_example(folder, "shop")
    ...     files = TableFiles(paths["features"], paths["labels"], paths["hierarchy"])
    ...     found = evaluate_table(files, FitChoices(method="PredictiveClusteringTree"))
    >>> scores = found.measures.set_index("measure")
    >>> bool(scores["model"].iloc[0] > scores["constant"].iloc[0])
    True
    """
    choices = FitChoices() if choices is None else choices
    choices.refuse_tuning()
    choices.resolved()
    files = choices.counting(files)
    report("Reading the files", 0, 0)
    data = files.load()
    dataset = data.dataset
    report("Preparing the columns", 0, 0)
    estimator, sentences = build_estimator(choices, dataset)
    sentences += preset_told(choices, files)
    labels, about_unknown = training_labels(estimator, data)
    preparation, more = build_preparation(choices, estimator, data)
    X = preparation.transform(data.table)
    rows = dataset.labeled
    choices.check_folds(int(rows.sum()))
    prior = dataset.prior
    says = informative(data.ontology, prior)
    truth = _Truth(dataset.Y[rows], data.ontology, prior, says)
    report(f"Dividing {rows.sum()} labelled rows into {choices.folds} folds", 0, 0)
    divider = LabeledKFold(choices.folds, random_state=choices.seed)
    folds = list(divider.split(None, dataset.Y))
    labeled_folds = [(train[rows[train]], test) for train, test in folds]
    fold = fold_numbers(folds, len(rows))[rows]
    rivals = {"model": (estimator, folds)}
    if estimator.learns_from_unlabeled and not rows.all():
        rivals["without_unlabelled"] = (estimator, labeled_folds)
    each = n_trainings(estimator, choices.folds)
    warn_of_time(estimator, dataset, each * len(rivals))
    calibrates = choices.calibrates and can_calibrate(truth.known)
    how = choices.thresholds or "fmax"
    measured, tables, about = {}, {}, []
    for name, (rival, its_folds) in rivals.items():
        # One at a time, since scores use most of the memory.
        found = held_out_scores(rival, X, labels, rows, its_folds, report)
        scores = found.scores
        if name == "model":
            how_measured = held_out_words(found.is_own, choices.folds)
            # Calibrations, and so the rankings within a node, differ slightly between
            # folds.
            per_node = per_node_table(truth.known, scores, dataset.hierarchy)
        if calibrates:
            report(f"Calibrating {_TITLES[name]}", 0, 0)
            _, scores = calibrate_by_folds(
                dataset.hierarchy, truth.known, scores, fold, copy=False
            )
        report(f"Measuring {_TITLES[name]}", 0, 0)
        kinds = (_ONE, _PER_TERM) if name == "model" else (_ONE,)
        chosen = truth.held_out_labels(scores, fold, how, kinds)
        measured[name] = truth.measured(name, scores, chosen[_ONE])
        if name == "model":
            tables = truth.tables(scores, chosen, per_node)
            about = truth.about_roots(scores)
        is_same_without = not found.tried_unlabeled
        del found, scores, chosen
        if is_same_without:
            break
    report(f"Measuring {_TITLES['constant']}", 0, 0)
    place = np.cumsum(rows) - 1
    scores = out_of_fold_scores(
        PriorClassifier(dataset.hierarchy),
        X[rows],
        truth.known,
        folds=[(place[train], place[test]) for train, test in labeled_folds],
    )
    chosen = truth.held_out_labels(scores, fold, how, (_ONE,))
    measured["constant"] = truth.measured("constant", scores, chosen[_ONE])
    said = (
        f"probabilities are {'calibrated' if calibrates else 'not calibrated'}; the "
        "calibration and the thresholds of each fold come from the other folds"
    )
    title = f"{type(estimator).__name__} on {rows.sum()} labelled rows, {how_measured}"
    sentences = [*about, *sentences, *about_unknown, *more, said]
    evaluation = _evaluation(measured, tables, title, data.report, *sentences)
    return replace(evaluation, inputs=files.paths())


def evaluate_model(
    model: TableModel | FilePath, files: TableFiles, report: Report = say_nothing
) -> Evaluation:
    """Evaluate a trained model on a test file.

    Parameters
    ----------
    model : TableModel or path-like
        The model, or its file.
    files : TableFiles
        With a hierarchy, terms that the model has not learned count for their
        ancestors. Without one, they are dropped, except for identifiers that have been
        replaced and for paths that start with a term of the model.
    report : callable, optional

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from hilabel.datasets import write_example
    >>> from hilabel.tasks import FitChoices, TableFiles, evaluate_model, fit_table
    >>> with TemporaryDirectory() as folder:
    ...     paths = write_example(folder, "shop")
    ...     files = TableFiles(paths["features"], paths["labels"], paths["hierarchy"])
    ...     choices = FitChoices(method="PredictiveClusteringTree", thresholds=None)
    ...     found = evaluate_model(fit_table(files, choices).model, files)
    >>> found.report.n_labeled  # in practice, use rows not used in training
    120
    """
    inputs = files.paths()
    if not isinstance(model, TableModel):
        inputs = (*inputs, Path(model))
    model = as_table_model(model)
    report("Reading the files", 0, 0)
    table, labels, matched = labeled_rows(model, files)
    rows = np.asarray(labels.max(axis=1) >= 0)
    known = labels[rows]
    report("Predicting", 0, 0)
    scores = model.predict_proba(table)[rows]
    constant = np.broadcast_to(model.prior, scores.shape)
    says = informative(model.ontology, model.prior)
    truth = _Truth(known, model.ontology, model.prior, says)
    chosen = {_ONE: model.labels(scores)}
    one = "0.5"
    if model.thresholds is not None:
        one = f"{model.thresholds.overall:.3f}"
        chosen[_PER_TERM] = model.labels(scores, model.thresholds.per_node)
    report("Measuring", 0, 0)
    best = truth.best_threshold(constant)
    of_constant = labels_from_scores(constant, model.hierarchy, best)
    measured = {
        "model": truth.measured("model", scores, chosen[_ONE]),
        "constant": truth.measured("constant", constant, of_constant),
    }
    sentences = _seen_in_training(model, set(np.array(table.ids, dtype=object)[rows]))
    sentences.append(
        f"thresholds: {one} for the model, {best:.3f} for the constant predictor; the "
        "latter is the best on these rows"
    )
    title = f"{model.summary.get('method', 'model')} on {rows.sum()} labelled test rows"
    per_node = per_node_table(known, scores, model.hierarchy)
    tables = truth.tables(scores, chosen, per_node)
    sentences = [*truth.about_roots(scores), *sentences]
    found = _evaluation(measured, tables, title, matched, *sentences)
    return replace(found, inputs=inputs)


def _seen_in_training(model: TableModel, tested: set[str]) -> list[str]:
    """Return sentences stating how many test rows were used for training.

    Unlabelled training rows are only reported if the model learned from them.
    """
    trained = np.array(model.sample_ids, dtype=object)
    both = tested & set(trained[model.labeled])
    without_labels = tested & set(trained[~model.labeled])
    sentences = []
    if both:
        sentences.append(
            f"caution: {len(both)} of the {len(tested)} test rows, such as "
            f"{min(both)!r}, were used for training, so the scores may be too high"
        )
    if without_labels and model.estimator.learns_from_unlabeled:
        sentences.append(
            f"{len(without_labels)} of the {len(tested)} test rows were used for "
            "training without their labels"
        )
    return sentences


@dataclass(frozen=True, eq=False)
class _Measured:
    """The measures computed from one set of scores."""

    measures: dict[str, float]
    curve: PrecisionRecallDisplay


@dataclass(frozen=True, eq=False)
class _Truth:
    """The true labels of the evaluated rows.

    Measures use only the informative terms, which are marked in ``says``.
    """

    known: LabelArray
    ontology: Ontology
    prior: FloatArray
    says: BoolArray

    @property
    def hierarchy(self) -> Hierarchy:
        return self.ontology.hierarchy

    @cached_property
    def _telling(self) -> tuple[LabelArray, FloatArray]:
        """Labels of the informative terms, and information accretion of all terms."""
        information = information_accretion(self.known, self.hierarchy)
        return telling(self.known, self.says), information

    def best_threshold(self, scores: FloatArray) -> float:
        """Return the threshold that maximises the F-measure on these rows."""
        known, _ = self._telling
        return fmax(known, scores, thresholds="all").threshold

    def held_out_labels(
        self, scores: FloatArray, fold: IntArray, how: Any, kinds: tuple[str, ...]
    ) -> dict[str, BoolArray]:
        """Return the label sets predicted with each kind of threshold.

        The thresholds for a fold are chosen on the other folds.
        """
        labels = {kind: np.zeros(scores.shape, dtype=bool) for kind in kinds}
        known, _ = self._telling
        for rows, chosen in thresholds_by_fold(
            known,
            scores,
            self.ontology,
            self.says,
            fold,
            how,
            per_node=_PER_TERM in kinds,
        ):
            for kind in kinds:
                threshold = chosen.overall if kind == _ONE else chosen.per_node
                labels[kind][rows] = labels_from_scores(
                    scores[rows], self.hierarchy, threshold, on_conflict="close"
                )
        return labels

    def measured(self, name: str, scores: FloatArray, labels: BoolArray) -> _Measured:
        """Return the measures computed from scores and label sets."""
        known, information = self._telling
        best = fmax(known, scores, thresholds="all")
        title = _TITLES[name].removeprefix("the ")
        curve = PrecisionRecallDisplay.from_scores(known, {title: scores})
        least = smin(known, scores, information, thresholds="all")
        macro = average_precision(known, scores, "macro")
        measures = {
            "micro average precision": curve.average_precision[title],
            "macro average precision": float(macro),
            "Fmax": best.value,
            "Smin": least.value,
            "hierarchical F1": float(hierarchical_f1(known, labels, self.hierarchy)),
            "exact match": float(exact_match(known, labels)),
            "Hamming loss": float(hamming_loss(known, labels)),
        }
        return _Measured(measures, curve)

    def tables(
        self, scores: FloatArray, labels: dict[str, BoolArray], per_node: pd.DataFrame
    ) -> dict[str, Any]:
        """Return measures by threshold, depth and node, and the calibration curve."""
        hierarchy = self.hierarchy
        known, _ = self._telling
        return {
            "thresholds": threshold_table(known, labels, hierarchy),
            "per_depth": per_depth_table(self.known, scores, hierarchy, self.prior),
            "per_node": per_node,
            "reliable_terms": int(reliable_nodes(per_node)[self.says].sum()),
            "calibration": CalibrationDisplay.from_scores(known, scores),
        }

    def about_roots(self, scores: FloatArray) -> list[str]:
        """Return a note on omitted roots and the average precision including them."""
        if self.says.all():
            return []
        names = np.array(self.hierarchy.names, dtype=object)[~self.says]
        with_them = average_precision(self.known, scores)
        return [
            f"measures omit {len(names)} uninformative root terms, such as {names[0]}; "
            f"with them, the micro average precision is {with_them:.3f}"
        ]


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
