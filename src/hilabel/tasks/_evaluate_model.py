"""Evaluate a trained model on labelled rows, whether it has seen them or not."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from hilabel._label_matrix import LabelMatrix
from hilabel._progress import Report, say_nothing
from hilabel._score_matrix import ScoreMatrix
from hilabel._typing import FilePath, IntArray
from hilabel.datasets import FeatureTable, TableFiles
from hilabel.exceptions import ParameterError
from hilabel.judgement import (
    OUT_OF_FOLD,
    Judgement,
    details,
    judge_predictions,
    verdict,
)
from hilabel.links import Links
from hilabel.models import TableModel
from hilabel.tasks._evaluation import Evaluation
from hilabel.tasks._predict import CELLS_AT_ONCE, as_table_model
from hilabel.tasks._rows_linked import RowsLinked


def evaluate_model(
    model: TableModel | FilePath, files: TableFiles, report: Report = say_nothing
) -> Evaluation:
    """Evaluate a trained model on labelled rows.

    Rows that were not labelled in training are judged by the probabilities of the
    model. Without any, the labelled rows of training are judged by the out-of-fold
    probabilities that the model stores of them: those of models that were trained
    without their labels. The two are never mixed in one measure.

    Parameters
    ----------
    model : TableModel or path-like
        The model, or its file.
    files : TableFiles
        With a hierarchy, terms that the model has not learned count for their
        ancestors. Without one, they are dropped, except for identifiers that have been
        replaced and for paths that start with a term of the model. If the model was
        trained with links, those of ``links`` lead from the rows to training rows.
    report : callable, optional

    Raises
    ------
    ParameterError
        If the model was trained on the labels of all rows, and has no out-of-fold
        probabilities of them, or the rows have other values now.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from hilabel.datasets import TableFiles, write_example
    >>> from hilabel.tasks import FitChoices, evaluate_model, fit_table
    >>> with TemporaryDirectory() as folder:
    ...     paths = write_example(folder, "shop")
    ...     files = TableFiles(paths["features"], paths["labels"], paths["hierarchy"])
    ...     choices = FitChoices(method="PredictiveClusteringTree")
    ...     found = evaluate_model(fit_table(files, choices).model, files)
    >>> found.judgement.measured_on  # the rows are those of training
    'out of fold'
    """
    inputs = files.paths()
    if not isinstance(model, TableModel):
        inputs = (*inputs, Path(model))
    model = as_table_model(model)
    report("Reading the files", 0, 0)
    table, labels, matched = model.read_labeled(files)
    linked = RowsLinked.of(model, table.ids, files.links)
    rows = _Rows.of(model, table, labels, linked.links)
    judgement = rows.judge(report)
    learns = model.estimator.learns_from_unlabeled
    return Evaluation(
        title=f"{model.record.method} on {judgement.n_rows:,} labelled rows",
        judgement=judgement,
        hierarchy=model.hierarchy,
        report=matched,
        verdict=(*verdict(judgement, learns), *rows.about_training(judgement, report)),
        details=(*details(judgement), *linked.told),
        inputs=inputs,
    )


@dataclass(frozen=True, eq=False)
class _Rows:
    """The labelled rows of a table, by what the model knows about them.

    Attributes
    ----------
    new : int array
        Rows that were not labelled in training.
    left_out : int array
        Rows whose out-of-fold probabilities are stored.
    place : int array of the same size
        Their numbers among the training rows.
    n_known : int
        Number of other rows whose labels the model has learned.
    links : Links or None
        Links from all rows of the table to training rows.
    """

    model: TableModel
    table: FeatureTable
    labels: LabelMatrix
    new: IntArray
    left_out: IntArray
    place: IntArray
    n_known: int
    links: Links | None = None

    @classmethod
    def of(
        cls,
        model: TableModel,
        table: FeatureTable,
        labels: LabelMatrix,
        links: Links | None,
    ) -> "_Rows":
        learned = _ids_of(model, labeled=True)
        was_labeled = np.array([row_id in learned for row_id in table.ids], dtype=bool)
        number = model.left_out_rows(model.matrix(table), table.ids)
        new = np.flatnonzero(labels.labeled & ~was_labeled)
        left_out = np.flatnonzero(labels.labeled & (number >= 0))
        n_known = int((labels.labeled & was_labeled & (number < 0)).sum())
        if not (new.size or left_out.size):
            raise _nothing_to_judge(model, n_known)
        place = number[left_out]
        return cls(model, table, labels, new, left_out, place, n_known, links)

    def judge(self, report: Report) -> Judgement:
        """Judge new rows or, without any, the labelled rows of training."""
        return self._judge_new(report) if self.new.size else self._judge_seen(report)

    def about_training(self, judgement: Judgement, report: Report) -> Iterator[str]:
        """Yield sentences about the rows that were used in training."""
        if not self.new.size:
            yield (
                "the model was trained on these rows, so they are judged by the scores "
                "of models that were trained without them; for a test, pass rows that "
                "are new to the model"
            )
        elif self.left_out.size:
            seen = self._judge_seen(report)
            yield (
                f"left out: {self.left_out.size:,} more rows whose labels trained the "
                "model; by models that were trained without them, their micro average "
                f"precision is {seen.quality.micro:.3f}, constant predictor "
                f"{seen.constant.micro:.3f}"
            )
        if self.n_known:
            yield (
                f"left out: {self.n_known:,} rows whose labels trained the model, and "
                "of which it has no scores by models trained without them"
            )
        trained = _ids_of(self.model, labeled=False)
        n_unlabeled = sum(self.table.ids[row] in trained for row in self.new)
        if n_unlabeled and self.model.estimator.learns_from_unlabeled:
            yield (
                f"{n_unlabeled:,} of the {self.new.size:,} test rows were used for "
                "training without their labels"
            )

    def _judge_new(self, report: Report) -> Judgement:
        report("Predicting", 0, 0)
        scores = ScoreMatrix((self.new.size, self.model.hierarchy.n_nodes))
        for part in scores.row_blocks(CELLS_AT_ONCE):
            rows = self.new[part]
            links = None if self.links is None else self.links[rows]
            found = self.model.predict_proba(self.table.rows(rows), links=links)
            scores.write(part, found)
        return self._judge_scores(self.new, scores, report)

    def _judge_seen(self, report: Report) -> Judgement:
        before = self.model.judgement
        assert before is not None  # there are no stored scores without it
        if self._is_as_in_training(before):
            return before
        stored: Any = self.model.left_out
        scores = ScoreMatrix((self.place.size, self.model.hierarchy.n_nodes))
        for part in scores.row_blocks():
            scores.write(part, stored[self.place[part]].toarray())
        return replace(
            self._judge_scores(self.left_out, scores, report),
            measured_on=OUT_OF_FOLD,
            is_own=before.is_own,
            n_folds=before.n_folds,
        )

    def _judge_scores(
        self, rows: IntArray, scores: ScoreMatrix, report: Report
    ) -> Judgement:
        return judge_predictions(
            self.labels[rows],
            scores,
            self.model.hierarchy,
            method=self.model.record.method,
            informative=self.model.informative,
            prior=self.model.prior,
            rule=self.model.decision,
            is_calibrated=self.model.calibration is not None,
            report=report,
        )

    def _is_as_in_training(self, before: Judgement) -> bool:
        """Return whether these are all rows that were judged, with their labels."""
        model = self.model
        if self.place.size != model.scored.sum():
            return False
        labels = self.labels[self.left_out]
        then = sp.csr_array(model.marks[self.place], dtype=bool)
        known = labels.without_nodes(~before.informative)
        return bool(
            (then != labels.positive).nnz == 0
            and np.array_equal(known.n_known, before.n_known)
        )


def _ids_of(model: TableModel, *, labeled: bool) -> frozenset[str]:
    """Return the ids of the training rows with labels, or of those without."""
    rows = np.flatnonzero(model.labeled == labeled)
    return frozenset(model.sample_ids[row] for row in rows)


def _nothing_to_judge(model: TableModel, n_known: int) -> ParameterError:
    if not n_known:
        return ParameterError(
            "Expected labelled rows, got none.", parameter=("labels", "features")
        )
    why = (
        "its quality was not measured then"
        if model.left_out is None
        else "they have other values now"
    )
    return ParameterError(
        f"The model was trained on the labels of all {n_known:,} labelled rows, and "
        f"{why}; pass rows that are new to it, or a model that was measured in "
        "training on the same rows.",
        parameter="features",
    )
