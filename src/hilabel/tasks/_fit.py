"""From files to a model that can be saved."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hilabel._progress import Report, say_nothing
from hilabel._typing import FloatArray
from hilabel.classifiers import BaseHierarchicalClassifier, PriorClassifier
from hilabel.datasets import HMCDataset, MatchReport
from hilabel.metrics import Thresholds, average_precision, choose_thresholds
from hilabel.model_selection import LabeledKFold, out_of_fold_scores
from hilabel.persistence import TableModel
from hilabel.tasks._build import FitChoices, build_estimator, build_preparation
from hilabel.tasks._files import TableFiles

# Identifiers that did not match, kept in the model; a whole proteome would be too many.
_NAMES_KEPT = 20


@dataclass(frozen=True)
class FitResult:
    """A trained model, and what was chosen and found on the way.

    Attributes
    ----------
    model : TableModel
    report : MatchReport
        How rows, annotations and terms were matched.
    sentences : tuple of str
        What was chosen and why, to be shown.
    """

    model: TableModel
    report: MatchReport
    sentences: tuple[str, ...]


def fit_table(
    files: TableFiles, choices: FitChoices | None = None, report: Report = say_nothing
) -> FitResult:
    """Train a model on a user's files; rows without annotation are unlabelled.

    Parameters
    ----------
    files : TableFiles
    choices : FitChoices, optional
    report : callable, optional
        Told what comes next.

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
    ...     result = fit_table(files, FitChoices(thresholds=None))
    >>> result.report.n_unlabeled
    120
    """
    choices = FitChoices() if choices is None else choices
    choices.resolved()
    report("Reading the files", 0, 0)
    data = files.load()
    dataset = data.dataset
    report("Preparing the columns", 0, 0)
    estimator, sentences = build_estimator(choices, dataset)
    preparation, more = build_preparation(choices, estimator, data)
    X = preparation.transform(data.table)
    thresholds, estimate, said = _choose(choices, estimator, dataset, X, report)
    report(f"Training {type(estimator).__name__}", 0, 0)
    estimator.fit(X, dataset.Y)
    known = dataset.Y[dataset.labeled]
    result_sentences = (*sentences, *more, *said)
    summary = {
        "method": type(estimator).__name__,
        "parameters": _plain_parameters(estimator),
        "seed": choices.seed,
        "preset": choices.preset,
        "files": {
            name: Path(path).name
            for name in ("features", "labels", "hierarchy")
            if (path := getattr(files, name)) is not None
        },
        "id_column": str(data.table.frame.index.name or ""),
        "min_count": files.min_count,
        "problem_type": str(dataset.problem_type),
        "matching": _counts(data.report),
        "out_of_fold": estimate,
        "statements": list(result_sentences),
    }
    model = TableModel(
        estimator=estimator,
        preparation=preparation,
        sample_ids=tuple(dataset.sample_ids or ()),
        prior=known.mean(axis=0),
        thresholds=thresholds,
        summary=summary,
    )
    return FitResult(model, data.report, result_sentences)


def _choose(
    choices: FitChoices,
    estimator: BaseHierarchicalClassifier,
    dataset: HMCDataset,
    X: FloatArray,
    report: Report,
) -> tuple[Thresholds | None, dict[str, Any] | None, list[str]]:
    """Choose thresholds on out-of-fold scores, which also estimate the quality."""
    n_labeled = int(dataset.labeled.sum())
    if choices.thresholds is None:
        return None, None, ["thresholds: 0.5 for all terms, since none were asked for"]
    if n_labeled < 2 * choices.folds:
        sentence = (
            f"thresholds: 0.5 for all terms, since {n_labeled} labelled rows are too "
            f"few for {choices.folds} folds"
        )
        return None, None, [sentence]
    report(f"Dividing {n_labeled} labelled rows into {choices.folds} folds", 0, 0)
    divider = LabeledKFold(choices.folds, random_state=choices.seed)
    folds = list(divider.split(None, dataset.Y))
    rows = dataset.labeled
    known = dataset.Y[rows]
    prior = PriorClassifier(dataset.hierarchy)
    constant = out_of_fold_scores(prior, X, dataset.Y, folds=folds)[rows]
    constant_average_precision = float(average_precision(known, constant))
    del constant  # scores are what takes most of the memory
    scores = out_of_fold_scores(estimator, X, dataset.Y, folds=folds, report=report)
    scores = scores if rows.all() else scores[rows]
    report("Choosing thresholds", 0, 0)
    chosen = choose_thresholds(
        known, scores, dataset.hierarchy, objective=choices.thresholds
    )
    estimate = {
        "folds": choices.folds,
        "average_precision": float(average_precision(known, scores)),
        "constant_average_precision": constant_average_precision,
        chosen.objective: chosen.value,
    }
    sentences = [
        f"thresholds: {chosen.overall:.3f} for all terms ({chosen.objective} "
        f"{chosen.value:.3f}), and one for each of the {chosen.n_chosen} terms that at "
        f"least 5 rows have, chosen on {n_labeled} labelled rows in {choices.folds} "
        "folds",
        f"quality in these folds: micro average precision "
        f"{estimate['average_precision']:.3f}, constant predictor "
        f"{estimate['constant_average_precision']:.3f}",
    ]
    return chosen, estimate, sentences


def _counts(report: MatchReport) -> dict[str, Any]:
    """Return the report in plain values; of long lists, how long and how they begin."""
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
