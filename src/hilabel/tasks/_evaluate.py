"""Evaluate a method by cross-validation."""

from collections.abc import Iterator
from dataclasses import replace

from hilabel._progress import Report, say_nothing
from hilabel.datasets import TableFiles
from hilabel.judgement import Judgement, details, verdict
from hilabel.model_selection import score_out_of_fold
from hilabel.tasks._build import preset_sentences_of
from hilabel.tasks._choices import FitChoices
from hilabel.tasks._evaluation import Evaluation
from hilabel.tasks._fit import judge_method
from hilabel.tasks._prepared import Clock, Folds, Prepared, refuse_too_few


def evaluate_table(
    files: TableFiles,
    choices: FitChoices | None = None,
    report: Report = say_nothing,
) -> Evaluation:
    """Evaluate a method by cross-validation on the labelled rows.

    Unlabelled rows are used for training in every fold. Networks, Blend and, if folds
    would take long, forests are trained once: they score each row by parts that were
    trained without it. The preprocessing uses the features of all rows, but no labels.
    The calibration and the thresholds for a fold are determined on the other folds.

    If strong links group the rows (``files.groups``), the rows of a group are in one
    fold. The method is then evaluated once more in folds without groups, since rows
    that are nearly the same as rows of other folds make scores higher.

    Parameters
    ----------
    files : TableFiles
    choices : FitChoices, optional
    report : callable, optional

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from hilabel.datasets import TableFiles, write_example
    >>> from hilabel.tasks import FitChoices, evaluate_table
    >>> with TemporaryDirectory() as folder:
    ...     paths = write_example(folder, "shop")
    ...     files = TableFiles(paths["features"], paths["labels"], paths["hierarchy"])
    ...     found = evaluate_table(files, FitChoices(method="PredictiveClusteringTree"))
    >>> scores = found.measures.set_index("measure")
    >>> bool(scores["model"].iloc[0] > scores["constant"].iloc[0])
    True
    """
    choices = FitChoices() if choices is None else choices
    clock = Clock(choices)
    choices.refuse_tuning()
    choices.resolved()
    files = choices.counting(files)
    report("Reading the files", 0, 0)
    tables = files.read()
    refuse_too_few(tables)
    folds = Folds.draw(tables, choices, report)
    prepared = Prepared.of(tables, choices, folds, report, clock)
    found = score_out_of_fold(prepared.estimator, prepared.data, report=report)
    judgement = judge_method(prepared, found, report).judgement
    del found  # the scores may take most of the memory
    without = _without_unlabeled(prepared, judgement, report)
    apart = _without_groups(prepared, report)
    learns = prepared.estimator.learns_from_unlabeled
    return Evaluation(
        title=f"{prepared.method} on {judgement.n_rows:,} labelled rows",
        judgement=judgement,
        hierarchy=tables.hierarchy,
        report=tables.report,
        verdict=(
            *verdict(judgement, learns, without),
            *_about_groups(judgement, apart),
        ),
        details=(
            *prepared.sentences,
            *preset_sentences_of(choices, files),
            *details(judgement),
            "preprocessing uses the features of all rows, but no labels; the "
            "calibration and the thresholds of each fold come from the other folds",
        ),
        without_unlabeled=without,
        without_groups=apart,
        inputs=files.paths(),
    )


def _without_unlabeled(
    prepared: Prepared, judgement: Judgement, report: Report
) -> Judgement | None:
    """Judge the same method, trained on the labelled rows alone.

    Blend measures what unlabelled rows give while it is trained.
    """
    estimator, data = prepared.estimator, prepared.data
    learns = estimator.learns_from_unlabeled and data.unlabeled_rows.size > 0
    if not learns or judgement.gain is not None or judgement.candidates:
        return None
    found = score_out_of_fold(estimator, data.without_unlabeled(), report=report)
    return judge_method(prepared, found, report).judgement


def _without_groups(prepared: Prepared, report: Report) -> Judgement | None:
    """Judge the same method in folds that do not keep groups of rows together."""
    tables = prepared.tables
    if tables.groups is None:
        return None
    tables = replace(tables, groups=None)
    folds = Folds.draw(tables, prepared.choices, report)
    fold = folds.of_rows[prepared.data.labeled_rows]
    apart = replace(prepared, tables=tables, data=replace(prepared.data, fold=fold))
    found = score_out_of_fold(apart.estimator, apart.data, report=report)
    return judge_method(apart, found, report).judgement


def _about_groups(judgement: Judgement, apart: Judgement | None) -> Iterator[str]:
    """Say how much higher the score is if linked rows may be in different folds."""
    if apart is None:
        return
    ours, other = judgement.quality.micro, apart.quality.micro
    yield (
        f"groups: {ours:.3f} with strongly linked rows in one fold, {other:.3f} in "
        f"folds without groups, difference {other - ours:+.3f}"
    )
