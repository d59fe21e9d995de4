"""Train a model on a user's files; the result can be saved."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from hilabel._progress import Report, progress_to, say_nothing
from hilabel._typing import UNLABELED, BoolArray, FloatArray, IntArray, LabelArray
from hilabel.calibration import (
    HeldOutRecord,
    PredictionWorth,
    ScoreCalibration,
    depth_groups,
)
from hilabel.classifiers import BaseHierarchicalClassifier
from hilabel.datasets import HMCDataset, MatchReport, TableData
from hilabel.hierarchy import Ontology
from hilabel.metrics import Thresholds, average_precision
from hilabel.model_selection import LabeledKFold, out_of_fold_scores
from hilabel.persistence import TableModel
from hilabel.semi_supervised import summarize_pseudo_labels
from hilabel.tasks._build import (
    FitChoices,
    build_estimator,
    build_preparation,
    preset_told,
    training_labels,
)
from hilabel.tasks._constant import constant_average_precision
from hilabel.tasks._cost import warn_of_time
from hilabel.tasks._files import TableFiles
from hilabel.tasks._held_out import ask_for_own_scores, take_own_scores
from hilabel.tasks._roots import MIN_POSITIVES, informative, thresholds_of
from hilabel.tasks._tuning import check_points, grid_points, tune, tuning_table
from hilabel.tasks._unlabeled_rows import UnlabeledRows, measure_unlabeled_rows
from hilabel.tasks._validation_rows import (
    check_tuning,
    load_apart,
    validation_rows,
)
from hilabel.tasks._worth import (
    PREDICTED_FROM,
    Judged,
    can_calibrate,
    fold_numbers,
    is_no_better,
    judge,
)

# Number of unmatched identifiers stored in the model; a whole proteome is too many.
_NAMES_KEPT = 20
# The scores of unlabelled rows are measured with this many times as many folds. With
# few folds, few labels remain, and scores are worse than those of the final model.
_MORE_FOLDS = 2


@dataclass(frozen=True)
class FitResult:
    """A trained model, the choices made, and the results measured during training.

    Attributes
    ----------
    model : TableModel
    report : MatchReport
        How rows, annotations and terms were matched.
    sentences : tuple of str
        The choices and their reasons, to be shown.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from hilabel.datasets import write_example
    >>> from hilabel.tasks import FitChoices, TableFiles, fit_table
    >>> with TemporaryDirectory() as folder:
    ...     paths = write_example(folder, "shop")
    ...     files = TableFiles(paths["features"], paths["labels"], paths["hierarchy"])
    ...     result = fit_table(files, FitChoices(method="PriorClassifier"))
    >>> result.report.n_labeled, len(result.sentences) > 0
    (120, True)
    """

    model: TableModel
    report: MatchReport
    sentences: tuple[str, ...]

    @property
    def tried(self) -> pd.DataFrame | None:
        """A table of the candidates that the method tried, best first, or None.

        The columns are ``candidate``, ``unlabelled`` (whether the candidate learns from
        unlabelled rows), ``out_of_fold`` (micro average precision), ``share`` (weight
        in the mean), and ``seconds``.
        """
        tried = self.model.summary["tried"]
        if not tried:
            return None
        rows = [
            {
                "candidate": one["name"],
                "unlabelled": "yes" if one["uses_unlabeled"] else "",
                "out_of_fold": one["score"],
                "share": one["share"],
                "seconds": round(one["seconds"], 1),
            }
            for one in tried
        ]
        return pd.DataFrame(rows).sort_values("out_of_fold", ascending=False)

    @property
    def tuning(self) -> pd.DataFrame | None:
        """A table of the grid points that were tried, or None.

        The columns are the parameters, ``micro_AP`` on the validation rows, and
        ``chosen``.
        """
        found = self.model.summary["tuning"]
        return None if found is None else tuning_table(found)

    @property
    def no_better(self) -> bool:
        """Whether the model was found to be no better than the constant predictor."""
        quality = self.model.summary["out_of_fold"]
        return quality is not None and is_no_better(
            quality["average_precision"],
            quality["constant_average_precision"],
            quality["reliable_terms"],
        )


def fit_table(
    files: TableFiles, choices: FitChoices | None = None, report: Report = say_nothing
) -> FitResult:
    """Train a model on a user's files; rows without annotations are unlabelled.

    Parameters
    ----------
    files : TableFiles
    choices : FitChoices, optional
    report : callable, optional
        Called with the progress.

    Returns
    -------
    FitResult

    Raises
    ------
    ValueError
        If a file or a choice is wrong; the message names it.

    Examples
    --------
    >>> import tempfile
    >>> from hilabel.datasets import write_example
    >>> from hilabel.tasks import FitChoices, TableFiles, fit_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     paths = write_example(folder, "shop")
    ...     files = TableFiles(paths["features"], paths["labels"], paths["hierarchy"])
    ...     result = fit_table(files, FitChoices(fast=True, thresholds=None))
    >>> result.report.n_unlabeled
    120
    """
    choices = FitChoices() if choices is None else choices
    grid = choices.resolved().tune
    check_tuning(files, choices)
    files = choices.counting(files)
    report("Reading the files", 0, 0)
    data, valid_table = load_apart(files, choices)
    dataset = data.dataset
    report("Preparing the columns", 0, 0)
    estimator, sentences = build_estimator(choices, dataset)
    labels, about = training_labels(estimator, data)
    preparation, more = build_preparation(choices, estimator, data)
    X = preparation.transform(data.table)
    name = type(estimator).__name__
    is_measured = choices.thresholds is not None
    has_own = is_measured and ask_for_own_scores(estimator)
    points = grid_points(grid)
    check_points(estimator, points)
    n_trainings = len(points)
    if is_measured and not has_own:
        n_trainings += choices.folds
        if _hides_labels(choices, estimator, dataset):
            n_trainings += _MORE_FOLDS * choices.folds
    warn_of_time(estimator, dataset, n_trainings)
    # Done before training, whose scores use most of the memory.
    folds = _divided(choices, dataset, report)
    report(f"Training {name}", 0, 0)
    prior, ontology, labeled = dataset.prior, data.ontology, dataset.labeled
    says = informative(ontology, prior)
    tuned = None
    with progress_to(lambda message: report(message, 0, 0)):
        if valid_table is None:
            estimator.fit(X, labels)
        else:
            valid = validation_rows(valid_table, files, data, preparation)
            tuned = tune(estimator, grid, X, labels, valid, says, report)
            estimator = tuned.estimator
            sentences.append(str(tuned))
            del valid, valid_table
    left_out = _scored_left_out(choices, estimator, data, says, X, folds, report)
    of_data = {
        "id_column": str(data.table.frame.index.name or ""),
        "problem_type": str(dataset.problem_type),
        "matching": _counts(data.report),
    }
    ids, marks, match_report = dataset.sample_ids, data.marks, data.report
    del data, dataset, labels, X  # frees memory for the next steps
    if left_out is None:
        found = _Found([_about_nothing(choices, int(labeled.sum()))])
    else:
        found = _choose(choices, left_out, ontology, says, report)
    tried = _tried(estimator)
    gain = getattr(estimator, "unlabeled_gain_", None)
    if gain is not None:
        sentences.append(str(gain))
    learned = summarize_pseudo_labels(estimator)
    if learned is not None:
        sentences.append(f"pseudo-labels: {learned}")
    told = preset_told(choices, files, tuned.best if tuned else {})
    result_sentences = (*sentences, *told, *about, *more, *found.sentences)
    summary = {
        "method": name,
        "parameters": _plain_parameters(estimator),
        "seed": choices.seed,
        "preset": choices.preset,
        "files": {
            name: Path(path).name
            for name in ("features", "labels", "hierarchy", "valid", "valid_labels")
            if (path := getattr(files, name)) is not None
        },
        **of_data,
        "strip_version": files.strip_version,
        "label_columns": list(files.label_columns),
        "merge_duplicates": files.merge_duplicates,
        "min_count": files.min_count,
        "tried": tried,
        "tuning": None if tuned is None else tuned.summary,
        "pseudo_labeling": None if learned is None else learned.plain(),
        "out_of_fold": found.estimate,
        "statements": list(result_sentences),
    }
    model = TableModel(
        estimator=estimator,
        preparation=preparation,
        sample_ids=tuple(ids or ()),
        prior=prior,
        ontology=ontology,
        labeled=labeled,
        marks=marks,
        thresholds=found.thresholds,
        calibration=found.calibration,
        unlabeled_calibration=found.unlabeled_calibration,
        worth=found.worth,
        held_out=found.held_out,
        summary=summary,
    )
    return FitResult(model, match_report, result_sentences)


def _divided(
    choices: FitChoices, dataset: HMCDataset, report: Report
) -> list[tuple[IntArray, IntArray]]:
    """Divide the labelled rows into folds; return [] if quality is not measured."""
    n_labeled = int(dataset.labeled.sum())
    if choices.thresholds is None:
        return []
    if choices.folds != FitChoices.folds:  # a default that is too large is no error
        choices.check_folds(n_labeled)
    if n_labeled < 2 * choices.folds:
        return []
    report(f"Dividing {n_labeled} labelled rows into {choices.folds} folds", 0, 0)
    divider = LabeledKFold(choices.folds, random_state=choices.seed)
    return list(divider.split(None, dataset.Y))


@dataclass(frozen=True, eq=False)
class _LeftOut:
    """Labelled rows, and their scores from models that were trained without them."""

    known: LabelArray
    scores: FloatArray
    fold: IntArray
    in_folds: bool  # otherwise, training itself computed the scores
    unlabeled: UnlabeledRows | None
    rows: BoolArray  # mask over the rows of the table
    of_constant_with_roots: float
    of_constant: tuple[float, ...]  # by group of terms; all terms first


def _scored_left_out(
    choices: FitChoices,
    estimator: BaseHierarchicalClassifier,
    data: TableData,
    says: BoolArray,
    X: FloatArray,
    folds: list[tuple[IntArray, IntArray]],
    report: Report,
) -> _LeftOut | None:
    """Return out-of-fold scores, computed during training or by one model per fold."""
    dataset = data.dataset
    rows = dataset.labeled
    scores = take_own_scores(estimator, rows)
    if not folds:
        return None
    _, masks = depth_groups(dataset.hierarchy, says)
    with_roots, *of_groups = constant_average_precision(
        dataset.Y, (np.ones_like(says), *masks), dataset.hierarchy, folds
    )
    in_folds = scores is None
    known = dataset.Y if rows.all() else dataset.Y[rows]
    unlabeled = None
    if scores is None:
        labels, _ = training_labels(estimator, data)
        if _hides_labels(choices, estimator, dataset) and can_calibrate(known):
            unlabeled = measure_unlabeled_rows(
                estimator,
                X,
                labels,
                dataset,
                says,
                _MORE_FOLDS * choices.folds,
                choices.seed,
                report,
            )
        scores = out_of_fold_scores(estimator, X, labels, folds=folds, report=report)
        scores = scores if rows.all() else scores[rows]
    fold = fold_numbers(folds, len(rows))[rows]
    return _LeftOut(
        known, scores, fold, in_folds, unlabeled, rows, with_roots, tuple(of_groups)
    )


def _hides_labels(
    choices: FitChoices, estimator: BaseHierarchicalClassifier, dataset: HMCDataset
) -> bool:
    """Return whether the unlabelled rows may need a separate calibration."""
    return (
        choices.calibrates
        and estimator.learns_from_unlabeled
        and not bool(dataset.labeled.all())
    )


@dataclass(frozen=True, eq=False)
class _Found:
    """The choices and measures that are based on out-of-fold scores."""

    sentences: list[str]
    thresholds: Thresholds | None = None
    calibration: ScoreCalibration | None = None
    unlabeled_calibration: ScoreCalibration | None = None
    worth: PredictionWorth | None = None
    held_out: HeldOutRecord | None = None
    estimate: dict[str, Any] | None = None


def _about_nothing(choices: FitChoices, n_labeled: int) -> str:
    if choices.thresholds is None:
        return "thresholds: 0.5 for all terms, since thresholds were disabled"
    return (
        f"thresholds: 0.5 for all terms, without calibration, since {n_labeled} "
        f"labelled rows are too few for {choices.folds} folds"
    )


def _choose(
    choices: FitChoices,
    left_out: _LeftOut,
    ontology: Ontology,
    says: BoolArray,
    report: Report,
) -> _Found:
    """Calibrate out-of-fold scores, choose thresholds and estimate the quality.

    Uninformative roots would inflate the measured quality, so they are left out. Scores
    and labels are overwritten, because either array may use most of the memory.
    """

    def quality(scores: FloatArray, labels: LabelArray) -> float:
        return float(average_precision(labels, scores))

    known, n_labeled = left_out.known, len(left_out.known)
    estimate: dict[str, Any] = {}
    where = "scored by models trained without them"
    if left_out.in_folds:
        estimate["folds"] = choices.folds
        where = f"in {choices.folds} folds"
    report("Calibrating" if choices.calibrates else "Measuring", 0, 0)
    judged = judge(
        known,
        left_out.scores,
        ontology.hierarchy,
        says,
        left_out.fold,
        calibrate=choices.calibrates and can_calibrate(known),
        copy=False,
    )
    scores = judged.scores
    report("Choosing thresholds", 0, 0)
    if not says.all():
        estimate["average_precision_with_roots"] = quality(scores, known)
        known[:, ~says] = UNLABELED
    chosen = thresholds_of(known, scores, ontology, says, choices.thresholds)
    report("Drawing curves", 0, 0)
    record = HeldOutRecord.measure(
        known,
        scores,
        ontology.hierarchy,
        *depth_groups(ontology.hierarchy, says),
        left_out.of_constant,
    )
    estimate |= {
        "average_precision": quality(scores, known),
        "constant_average_precision": left_out.of_constant[0],
        # JSON has no NaN, which is the error if no probability is large enough.
        "calibration_error": None if np.isnan(judged.error) else judged.error,
        "reliable_terms": int(judged.worth.reliable[says].sum()),
        chosen.objective: chosen.value,
    }
    about_roots = ""
    if not says.all():
        about_roots = (
            f" ({(~says).sum()} root terms left out; with them "
            f"{estimate['average_precision_with_roots']:.3f} and "
            f"{left_out.of_constant_with_roots:.3f})"
        )
    sentences = [
        _about_calibration(choices, judged),
        f"thresholds: {chosen.overall:.3f} for all terms ({chosen.objective} "
        f"{chosen.value:.3f}), and one for each of the {chosen.n_chosen} terms that at "
        f"least {MIN_POSITIVES} rows have, chosen on {n_labeled:,} labelled rows "
        f"{where}",
        f"terms predicted better than by chance: {estimate['reliable_terms']:,} of "
        f"{says.sum():,}",
        f"quality on these rows: micro average precision "
        f"{estimate['average_precision']:.3f}, constant predictor "
        f"{estimate['constant_average_precision']:.3f}{about_roots}",
    ]
    unlabeled = left_out.unlabeled
    if unlabeled is not None:
        sentences.append(str(unlabeled))
        estimate["unlabeled_average_precision"] = unlabeled.quality
    return _Found(
        sentences,
        chosen,
        judged.calibration,
        None if unlabeled is None else unlabeled.calibration,
        judged.worth,
        record.spread_over(left_out.rows),
        estimate,
    )


def _about_calibration(choices: FitChoices, judged: Judged) -> str:
    if judged.calibration is not None and np.isnan(judged.error):
        return (
            f"calibration: no probability reaches {PREDICTED_FROM:g} in "
            "cross-validation, so the error is unknown"
        )
    if judged.calibration is not None:
        return (
            f"calibration: mean error {judged.error:.3f} in cross-validation "
            f"({judged.error_before:.3f} before calibration), for probabilities of at "
            f"least {PREDICTED_FROM:g}"
        )
    if choices.calibrates:
        return "calibration: none, since there are too few labels"
    return "calibration: none, since it was disabled"


def _tried(estimator: BaseHierarchicalClassifier) -> list[dict[str, Any]]:
    """Return, as plain Python values, the candidates that a method tried."""
    return [
        # JSON has no NaN, which is the score of candidates that were not tried.
        {**asdict(one), "score": None if np.isnan(one.score) else one.score}
        for one in getattr(estimator, "candidates_", ())
    ]


def _counts(report: MatchReport) -> dict[str, Any]:
    """Return a report as plain values; a list becomes a count and its first entries."""
    return {
        name: {"count": len(value), "first": list(value[:_NAMES_KEPT])}
        if isinstance(value, tuple)
        else value
        for name, value in asdict(report).items()
    }


def _plain_parameters(estimator: BaseHierarchicalClassifier) -> dict[str, Any]:
    parameters = estimator.get_params(deep=False)
    parameters.pop("hierarchy")
    simple = (str, int, float, bool, type(None))
    return {
        name: value if isinstance(value, simple) else repr(value)
        for name, value in parameters.items()
        if not isinstance(value, np.ndarray)
    }
