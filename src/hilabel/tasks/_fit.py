"""Train a model on a user's files; the result can be saved."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from hilabel._matrices import fingerprints
from hilabel._progress import Report, progress_of_step, say_nothing
from hilabel._typing import IntArray
from hilabel.calibration import ScoreCalibration
from hilabel.datasets import FeatureTable, MatchReport, TableFiles
from hilabel.judgement import (
    Decision,
    Judged,
    Judgement,
    details,
    judge,
    judge_hidden,
    skipped_sentence,
    verdict,
)
from hilabel.metrics import label_frequencies
from hilabel.model_selection import OutOfFold, draw_folds, score_out_of_fold
from hilabel.models import FitRecord, TableModel, plain_matching, plain_parameters
from hilabel.semi_supervised import members_sentence, summarize_pseudo_labels
from hilabel.tasks._build import preset_sentences_of
from hilabel.tasks._choices import FitChoices
from hilabel.tasks._prepared import Clock, Folds, Prepared, can_measure
from hilabel.tasks._tuning import Tuned, check_points, grid_points, tune, tuning_table
from hilabel.tasks._validation_rows import (
    check_tuning,
    read_apart,
    validation_rows,
)

# The scores of unlabelled rows are measured with this many times as many folds. With
# few folds, few labels remain, and scores are worse than those of the final model.
_MORE_FOLDS = 2


@dataclass(frozen=True)
class FitResult:
    """A trained model, and what was chosen and measured.

    Attributes
    ----------
    model : TableModel
    report : MatchReport
        How rows, annotations and terms were matched.
    verdict : tuple of str
        Quality, gain from unlabelled rows and, if it was measured, from links, and
        decision, a line each.
    details : tuple of str
        The choices and their reasons, and what else was measured.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from hilabel.datasets import TableFiles, write_example
    >>> from hilabel.tasks import FitChoices, fit_table
    >>> with TemporaryDirectory() as folder:
    ...     paths = write_example(folder, "shop")
    ...     files = TableFiles(paths["features"], paths["labels"], paths["hierarchy"])
    ...     result = fit_table(files, FitChoices(method="PriorClassifier"))
    >>> result.report.n_labeled, len(result.verdict)
    (120, 3)
    """

    model: TableModel
    report: MatchReport
    verdict: tuple[str, ...]
    details: tuple[str, ...]

    @property
    def judgement(self) -> Judgement | None:
        """The quality of the model, measured out of fold; None if not measured."""
        return self.model.judgement

    @property
    def tried(self) -> pd.DataFrame | None:
        """A table of the candidates of the method, best first, or None.

        The columns are ``candidate``, ``unlabelled`` (whether it learns from unlabelled
        rows), ``out_of_fold`` (micro average precision before calibration), ``share``
        (weight in the mean), ``seconds``, ``status`` ("kept", "tried", "skipped" or
        "failed"), and ``reason`` (why it was skipped or failed).
        """
        return candidate_table(self.model.estimator)

    @property
    def skipped(self) -> str:
        """Which candidates were not tried, and why, in a sentence; "" if all were."""
        candidates = getattr(self.model.estimator, "candidates_", ())
        return skipped_sentence(candidates)

    @property
    def tuning(self) -> pd.DataFrame | None:
        """A table of the grid points that were tried, or None.

        The columns are the parameters, ``micro_AP`` on the validation rows, and
        ``chosen``.
        """
        found = self.model.record.tuning
        return None if found is None else tuning_table(found)

    @property
    def no_better(self) -> bool:
        """Whether the model was found to be no better than the constant predictor."""
        return self.judgement is not None and self.judgement.is_no_better


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
    >>> from hilabel.datasets import TableFiles, write_example
    >>> from hilabel.tasks import FitChoices, fit_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     paths = write_example(folder, "shop")
    ...     files = TableFiles(paths["features"], paths["labels"], paths["hierarchy"])
    ...     result = fit_table(files, FitChoices(effort="fast", measure=False))
    >>> result.report.n_unlabeled
    120
    """
    choices = FitChoices() if choices is None else choices
    clock = Clock(choices)
    check_tuning(files, choices)
    files = choices.counting(files)
    report("Reading the files", 0, 0)
    tables, valid = read_apart(files, choices)
    folds = Folds.draw(tables, choices, report)
    prepared = Prepared.of(tables, choices, folds, report, clock)
    tuned = None
    if valid is not None:
        prepared, tuned = _tuned(prepared, files, valid, report)
    judged = unlabeled = rows = None
    estimator = None if tuned is None else tuned.estimator
    if can_measure(tables, choices):
        found = score_out_of_fold(prepared.estimator, prepared.data, report=report)
        judged, rows = judge_method(prepared, found, report), prepared.rows_of(found)
        estimator = found.model or estimator
        del found  # the scores may take most of the memory
        unlabeled = _judge_unlabeled(prepared, report)
    if estimator is None:
        estimator = _train(prepared, report)
    model = _table_model(prepared, files, estimator, judged, rows, unlabeled, tuned)
    told = _verdict(model, choices, prepared)
    return FitResult(model, tables.report, told, model.record.statements)


def _tuned(
    prepared: Prepared, files: TableFiles, valid: FeatureTable, report: Report
) -> tuple[Prepared, Tuned]:
    """Choose the parameters that are best on the validation rows."""
    choices = prepared.choices
    points = grid_points(choices.resolved().tune)
    check_points(prepared.estimator, points)
    rows = validation_rows(valid, files, prepared.tables, prepared.preparation)
    tuned = tune(prepared.estimator, points, prepared.data, rows, report)
    chosen = choices.with_best(tuned.best)
    return replace(prepared, estimator=tuned.estimator, choices=chosen), tuned


def judge_method(prepared: Prepared, found: OutOfFold, report: Report) -> Judged:
    """Judge a method by the scores of rows that its models have not seen."""
    return judge(
        replace(found, labels=prepared.truth_of(found)),
        prepared.tables.hierarchy,
        method=prepared.method,
        calibrate=prepared.choices.calibrates,
        candidates=getattr(found.model, "candidates_", ()),
        gain=getattr(found.model, "unlabeled_gain_", None),
        link_gain=getattr(found.model, "link_gain_", None),
        report=report,
    )


def candidate_table(estimator: Any) -> pd.DataFrame | None:
    """Return the candidates that a method tried or skipped, best first, or None."""
    tried = getattr(estimator, "candidates_", ())
    if not tried:
        return None
    rows = [
        {
            "candidate": one.name,
            "unlabelled": "yes" if one.uses_unlabeled else "",
            "out_of_fold": one.score,
            "share": one.share,
            "seconds": round(one.seconds, 1),
            "status": one.status,
            "reason": one.reason,
        }
        for one in tried
    ]
    table = pd.DataFrame(rows).sort_values("out_of_fold", ascending=False)
    return table.reset_index(drop=True)


def _train(prepared: Prepared, report: Report) -> Any:
    with progress_of_step(report, f"Training {prepared.method}"):
        return prepared.estimator.fit_checked(prepared.data)


def _judge_unlabeled(
    prepared: Prepared, report: Report
) -> tuple[ScoreCalibration | None, float] | None:
    """Calibrate and measure the scores of unlabelled training rows on their own.

    A method that guesses the labels of unlabelled rows also learns from wrong guesses,
    so its scores of these rows are less accurate and more extreme than those of new
    rows. Labels of labelled rows are hidden to measure this.
    """
    estimator, data = prepared.estimator, prepared.data
    learns = estimator.learns_from_unlabeled and data.unlabeled_rows.size > 0
    if not (learns and prepared.choices.calibrates) or estimator.scores_itself(data):
        return None
    n_folds = _MORE_FOLDS * prepared.n_folds
    if data.n_labeled < n_folds:
        return None
    fold = draw_folds(data.Y, n_folds, prepared.choices.seed)
    hidden = replace(data, fold=fold)
    found = score_out_of_fold(estimator, hidden, hide=True, report=report)
    found = replace(found, labels=prepared.truth_of(found))
    return judge_hidden(found, prepared.tables.hierarchy)


def _table_model(
    prepared: Prepared,
    files: TableFiles,
    estimator: Any,
    judged: Judged | None,
    rows: IntArray | None,
    unlabeled: tuple[ScoreCalibration | None, float] | None,
    tuned: Tuned | None,
) -> TableModel:
    """Put together what predictions, explanations and reports need."""
    tables = prepared.tables
    calibration, quality = unlabeled or (None, None)
    judgement = None
    if judged is not None:
        judgement = replace(judged.judgement, unlabeled=quality)
    return TableModel(
        estimator=estimator,
        preparation=prepared.preparation,
        reading=tables.reading,
        sample_ids=tables.table.ids,
        prior=label_frequencies(
            tables.labels.n_positive, tables.labels.n_known, tables.hierarchy
        ),
        ontology=tables.ontology,
        labeled=tables.labels.labeled,
        marks=tables.marks,
        decision=Decision.unmeasured(tables.hierarchy.n_nodes)
        if judgement is None
        else judgement.decision,
        calibration=None if judged is None else judged.calibration,
        unlabeled_calibration=calibration,
        judgement=judgement,
        left_out=None
        if judged is None or rows is None
        else judged.best_of(rows, len(tables.table)),
        fingerprint=_fingerprints(prepared),
        record=_record(prepared, files, estimator, judgement, tuned),
        links_both_ways=files.links_both_ways,
    )


def _fingerprints(prepared: Prepared) -> Any:
    """Return what recognises the values of the labelled rows; 0 for other rows."""
    found = np.zeros(len(prepared.tables.table), dtype=np.uint64)
    found[prepared.data.labeled_rows] = fingerprints(prepared.data.X_labeled)
    return found


def _record(
    prepared: Prepared,
    files: TableFiles,
    estimator: Any,
    judgement: Judgement | None,
    tuned: Tuned | None,
) -> FitRecord:
    choices, learned = prepared.choices, summarize_pseudo_labels(estimator)
    tables = prepared.tables
    resolved = choices.resolved(tables.is_sparse, tables.links is not None)
    best = {} if tuned is None else tuned.best
    statements = [*prepared.sentences, *preset_sentences_of(choices, files, best)]
    if candidates := getattr(estimator, "candidates_", ()):
        statements.append(f"members: {members_sentence(candidates)}")
    if tuned is not None:
        statements.append(str(tuned))
    if learned is not None:
        statements.append(f"pseudo-labels: {learned}")
    if judgement is not None:
        statements += details(judgement)
    return FitRecord(
        method=prepared.method,
        settings={name: _plain(value) for name, value in resolved.parameters.items()},
        parameters=plain_parameters(estimator),
        seed=choices.seed,
        preset=choices.preset,
        files={
            name: Path(path).name
            for name in ("features", "labels", "hierarchy", "valid", "valid_labels")
            if (path := getattr(files, name)) is not None
        }
        | _link_files(files),
        problem_type=str(prepared.tables.problem_type),
        matching=plain_matching(prepared.tables.report),
        tuning=None if tuned is None else tuned.summary,
        pseudo_labeling=None if learned is None else learned.plain(),
        statements=tuple(statements),
    )


def _link_files(files: TableFiles) -> dict[str, str]:
    """Return the names of the files of links, by their kinds."""
    return {
        "links" if kind is None else f"links, {kind}": Path(path).name
        for kind, path in files.links
    }


def _plain(value: Any) -> Any:
    simple = (str, int, float, bool, type(None))
    return value if isinstance(value, simple) else repr(value)


def _verdict(
    model: TableModel, choices: FitChoices, prepared: Prepared
) -> tuple[str, ...]:
    """Return quality, what unlabelled rows and links gave, and the decision."""
    if model.judgement is not None:
        return tuple(verdict(model.judgement, prepared.estimator.learns_from_unlabeled))
    n_labeled = prepared.data.n_labeled
    why = (
        "it was disabled"
        if not choices.measure
        else f"{n_labeled} labelled rows are too few"
    )
    return (
        f"quality: not measured, since {why}",
        "unlabelled rows: what they give was not measured",
        "decision: a row gets a term from probability 0.50 on",
    )
