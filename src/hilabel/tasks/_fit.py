"""From files to a model that can be saved."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hilabel._progress import Report, progress_to, say_nothing
from hilabel._typing import BoolArray, FloatArray
from hilabel.classifiers import BaseHierarchicalClassifier, PriorClassifier
from hilabel.datasets import MatchReport, TableData
from hilabel.metrics import Thresholds, average_precision
from hilabel.model_selection import LabeledKFold, out_of_fold_scores
from hilabel.persistence import TableModel
from hilabel.tasks._build import (
    FitChoices,
    build_estimator,
    build_preparation,
    training_labels,
)
from hilabel.tasks._files import TableFiles
from hilabel.tasks._roots import informative, thresholds_of

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

    @property
    def no_better(self) -> bool:
        """Whether the model was measured, and no better than the constant predictor."""
        quality = self.model.summary["out_of_fold"]
        return quality is not None and (
            quality["average_precision"] <= quality["constant_average_precision"]
        )


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
    labels, about = training_labels(estimator, data)
    preparation, more = build_preparation(choices, estimator, data)
    X = preparation.transform(data.table)
    name = type(estimator).__name__
    report(f"Training {name}", 0, 0)
    with progress_to(lambda message: report(message, 0, 0)):
        estimator.fit(X, labels)
    prior = dataset.prior
    says = informative(data.ontology, prior)
    thresholds, estimate, said = _choose(choices, estimator, data, says, X, report)
    result_sentences = (*sentences, *about, *more, *said)
    summary = {
        "method": name,
        "parameters": _plain_parameters(estimator),
        "seed": choices.seed,
        "preset": choices.preset,
        "files": {
            name: Path(path).name
            for name in ("features", "labels", "hierarchy")
            if (path := getattr(files, name)) is not None
        },
        "id_column": str(data.table.frame.index.name or ""),
        "strip_version": files.strip_version,
        "merge_duplicates": files.merge_duplicates,
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
        prior=prior,
        ontology=data.ontology,
        labeled=dataset.labeled,
        marks=data.marks,
        thresholds=thresholds,
        summary=summary,
    )
    return FitResult(model, data.report, result_sentences)


def _choose(
    choices: FitChoices,
    estimator: BaseHierarchicalClassifier,
    data: TableData,
    says: BoolArray,
    X: FloatArray,
    report: Report,
) -> tuple[Thresholds | None, dict[str, Any] | None, list[str]]:
    """Choose thresholds on out-of-fold scores, which also estimate the quality.

    Roots that say nothing would flatter both, so that they are left out.
    """
    dataset = data.dataset
    n_labeled = int(dataset.labeled.sum())
    if choices.thresholds is None:
        return None, None, ["thresholds: 0.5 for all terms, since none were asked for"]
    if choices.folds != FitChoices.folds:  # what nobody asked for is never too much
        choices.check_folds(n_labeled)
    if n_labeled < 2 * choices.folds:
        sentence = (
            f"thresholds: 0.5 for all terms, since {n_labeled} labelled rows are too "
            f"few for {choices.folds} folds"
        )
        return None, None, [sentence]
    rows = dataset.labeled
    known = dataset.Y[rows]

    def quality(scores: FloatArray, nodes: Any) -> float:
        return float(average_precision(known[:, nodes], scores[:, nodes]))

    report(f"Dividing {n_labeled} labelled rows into {choices.folds} folds", 0, 0)
    divider = LabeledKFold(choices.folds, random_state=choices.seed)
    folds = list(divider.split(None, dataset.Y))
    prior = PriorClassifier(dataset.hierarchy)
    constant = out_of_fold_scores(prior, X, dataset.Y, folds=folds)[rows]
    of_constant, with_roots = quality(constant, says), quality(constant, slice(None))
    del constant  # scores are what takes most of the memory
    scores = _own_scores(estimator)
    estimate: dict[str, Any] = {}
    where = f"in folds of {type(estimator).__name__}"
    if scores is None:
        estimate["folds"] = choices.folds
        labels, _ = training_labels(estimator, data)
        scores = out_of_fold_scores(estimator, X, labels, folds=folds, report=report)
        scores = scores if rows.all() else scores[rows]
        where = f"in {choices.folds} folds"
    report("Choosing thresholds", 0, 0)
    chosen = thresholds_of(known, scores, data.ontology, says, choices.thresholds)
    estimate |= {
        "average_precision": quality(scores, says),
        "constant_average_precision": of_constant,
        chosen.objective: chosen.value,
    }
    left_out = ""
    if not says.all():
        estimate["average_precision_with_roots"] = quality(scores, slice(None))
        left_out = (
            f" ({(~says).sum()} root terms left out; with them "
            f"{estimate['average_precision_with_roots']:.3f} and "
            f"{with_roots:.3f})"
        )
    sentences = [
        f"thresholds: {chosen.overall:.3f} for all terms ({chosen.objective} "
        f"{chosen.value:.3f}), and one for each of the {chosen.n_chosen} terms that at "
        f"least 5 rows have, chosen on {n_labeled} labelled rows {where}",
        f"quality in these folds: micro average precision "
        f"{estimate['average_precision']:.3f}, constant predictor "
        f"{estimate['constant_average_precision']:.3f}{left_out}",
    ]
    return chosen, estimate, sentences


def _own_scores(estimator: BaseHierarchicalClassifier) -> FloatArray | None:
    """Return the out-of-fold scores that came of training itself, if any did."""
    scores = getattr(estimator, "oof_decision_", None)
    return None if scores is None or np.isnan(scores).any() else scores


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
