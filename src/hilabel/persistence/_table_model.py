"""A classifier together with the information needed to read a user's table."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress
from typing import Annotated, Any, Final, Literal

import numpy as np
import scipy.sparse as sp

from hilabel._saved_types import Array, Sparse, fits, saved_type
from hilabel._typing import BoolArray, FilePath, FloatArray
from hilabel.calibration import HeldOutRecord, PredictionWorth, ScoreCalibration
from hilabel.classifiers import BaseHierarchicalClassifier
from hilabel.constraints import labels_from_scores
from hilabel.datasets import (
    FeatureBlocks,
    FeatureTable,
    TablePreparation,
    open_features,
    read_features,
)
from hilabel.hierarchy import Hierarchy, Ontology
from hilabel.metrics import Thresholds
from hilabel.semi_supervised import PseudoLabelingSummary

# The entries of a summary that commands read; all others are only shown.
_SUMMARY: Final[dict[str, Any]] = {
    "id_column": str | None,
    "strip_version": bool | None,
    "label_columns": Sequence[str] | None,
    "merge_duplicates": Literal["mean", "first"] | None,
    "parameters": dict[str, Any] | None,
    "out_of_fold": dict[str, Any] | None,
    "matching": dict[str, Any] | None,
    "pseudo_labeling": dict[str, Any] | None,
    "statements": Sequence[str] | None,
}
_MATCHING: Final = frozenset({"n_rows", "n_labeled", "n_nodes_kept"})


@saved_type
@dataclass(frozen=True, eq=False)
class TableModel:
    """A model that predicts the probabilities of terms for tables whose rows have ids.

    It is written by ``hilabel fit`` and read by the other commands.

    Attributes
    ----------
    estimator : fitted hierarchical classifier
    preparation : TablePreparation
        Converts columns to numbers, imputes and scales them.
    sample_ids : tuple of str
        The ids of the training rows.
    prior : ndarray of shape (n_nodes,)
        Share of the labelled rows with each label, which the constant predictor
        predicts.
    ontology : Ontology
        The terms of the model, their obsolete identifiers and aspects.
    labeled : ndarray of bool of shape (n_samples,)
        Which of the training rows had labels.
    marks : csr_array of shape (n_samples, n_nodes)
        2 where a training row is annotated with the term, 1 where an annotation
        implies it.
    thresholds : Thresholds or None
        The probabilities from which terms are predicted; None means 0.5.
    calibration : ScoreCalibration or None
        Converts the scores of the estimator to probabilities; None leaves them
        unchanged.
    unlabeled_calibration : ScoreCalibration or None
        The same for the unlabelled rows of the training table; None means that they are
        treated like new rows.
    worth : PredictionWorth or None
        The reliability of predictions, measured out of fold.
    held_out : HeldOutRecord or None
        Curves of out-of-fold predictions, and the most probable terms of each labelled
        row.
    summary : dict
        The choices and results of the training, as plain values.

    Examples
    --------
    >>> import tempfile
    >>> from hilabel.datasets import write_example
    >>> from hilabel.tasks import FitChoices, TableFiles, fit_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = write_example(folder, "shop")
    ...     fitted = fit_table(
    ...         TableFiles(files["features"], files["labels"], files["hierarchy"]),
    ...         FitChoices(fast=True, thresholds=None),
    ...     )
    ...     model = fitted.model
    ...     scores = model.predict_proba(model.read(files["features"]))
    >>> scores.shape == (len(model.sample_ids), model.hierarchy.n_nodes)
    True
    """

    estimator: BaseHierarchicalClassifier
    preparation: TablePreparation
    sample_ids: tuple[str, ...]
    prior: Annotated[FloatArray, Array("f8", ("n_nodes",), 0, 1)]
    ontology: Ontology
    labeled: Annotated[BoolArray, Array("b1", ("n_samples",))]
    marks: Annotated[sp.csr_array, Sparse("i1", ("n_samples", "n_nodes"), 0, 2)]
    thresholds: Thresholds | None = None
    calibration: ScoreCalibration | None = None
    unlabeled_calibration: ScoreCalibration | None = None
    worth: PredictionWorth | None = None
    held_out: HeldOutRecord | None = None
    summary: dict[str, Any] = field(default_factory=dict)

    def is_sound(self) -> bool:
        """Return whether all parts agree on the rows, columns and nodes."""
        n_nodes, chosen = self.hierarchy.n_nodes, self.thresholds
        return (
            self.prior.size == n_nodes
            and self.ontology.hierarchy == self.hierarchy
            and len(self.sample_ids) == self.labeled.size
            and self.preparation.order_.size == self.estimator.n_features_in_
            and (chosen is None or chosen.per_node.size == n_nodes)
            and all(
                one is None or one.hierarchy == self.hierarchy
                for one in (self.calibration, self.unlabeled_calibration)
            )
            and (self.worth is None or self.worth.quality.size == n_nodes)
            and (
                self.held_out is None or self.held_out.scores.shape == self.marks.shape
            )
            and _is_plain(self.summary)
            and is_summary(self.summary)
        )

    @property
    def pseudo_labeling(self) -> PseudoLabelingSummary | None:
        """What the method did with the unlabelled rows, if it pseudo-labels rows."""
        values = self.summary.get("pseudo_labeling")
        return None if values is None else PseudoLabelingSummary.from_plain(values)

    @property
    def hierarchy(self) -> Hierarchy:
        """The hierarchy of the model's terms."""
        return self.estimator.hierarchy_

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the classifier's input columns."""
        return tuple(self.preparation.get_feature_names_out())

    def read(
        self, path: Any, id_column: str | None = None, ids: FilePath | None = None
    ) -> FeatureTable:
        """Read from a file the columns that the model needs; see ``read_features``.

        By default, rows are identified by the id column that was used in training or,
        if the table has no such column, by its first column.
        """
        return read_features(path, ids=ids, **self._reading(id_column))

    def open(
        self,
        path: Any,
        rows_at_once: int,
        id_column: str | None = None,
        ids: FilePath | None = None,
    ) -> FeatureBlocks:
        """Open a file for reading in blocks of rows; see ``open_features``."""
        return open_features(path, rows_at_once, ids=ids, **self._reading(id_column))

    def _reading(self, id_column: str | None) -> dict[str, Any]:
        return {
            "id_column": id_column,
            "usual_id_column": self.summary.get("id_column"),
            "categorical": self.preparation.categories_,
            "text": self.preparation.text_,
            "columns": self.preparation.feature_names_in_,
            "strip_version": self.summary.get("strip_version", False),
            "merge_duplicates": self.summary.get("merge_duplicates"),
        }

    def marks_of(self, table: FeatureTable) -> sp.csr_array:
        """Return the ``marks`` for the rows of a table; new rows have none."""
        place = {row_id: row for row, row_id in enumerate(self.sample_ids)}
        rows = [place.get(row_id, len(place)) for row_id in table.ids]
        nothing = sp.csr_array((1, self.marks.shape[1]), dtype=self.marks.dtype)
        return sp.csr_array(sp.vstack([self.marks, nothing], format="csr")[rows])

    def matrix(self, table: FeatureTable) -> FloatArray:
        """Return the rows of a table in the form that the classifier expects."""
        return self.preparation.transform(table)

    def predict_proba(self, table: FeatureTable) -> FloatArray:
        """Return the probability of every node for the rows of a table."""
        scores = self.estimator.predict_proba(self.matrix(table))
        return self.calibrated(scores, table.ids)

    def calibrated(self, scores: Any, ids: Iterable[str]) -> FloatArray:
        """Convert scores of the estimator to calibrated probabilities.

        Parameters
        ----------
        scores : array-like of shape (n_rows, n_nodes)
        ids : iterable of str
            The ids of the rows, to recognise unlabelled rows of the training table.
        """
        if self.calibration is None:
            return np.asarray(scores)
        found = self.calibration.transform(scores)
        if self.unlabeled_calibration is not None:
            unlabeled = self._unlabeled_ids
            rows = np.fromiter((row_id in unlabeled for row_id in ids), dtype=bool)
            if rows.any():
                own = np.asarray(scores)[rows]
                found[rows] = self.unlabeled_calibration.transform(own)
        return found

    @cached_property
    def _unlabeled_ids(self) -> frozenset[str]:
        return frozenset(compress(self.sample_ids, ~self.labeled))

    def labels(
        self, scores: FloatArray, threshold: float | FloatArray | None = None
    ) -> BoolArray:
        """Convert probabilities to consistent label sets.

        Parameters
        ----------
        scores : ndarray of shape (n_rows, n_nodes)
        threshold : float or ndarray of shape (n_nodes,), optional
            By default, the overall threshold chosen in training, or 0.5. With one
            threshold per node, the ancestors of a label are added.
        """
        if threshold is None:
            threshold = 0.5 if self.thresholds is None else self.thresholds.overall
        return labels_from_scores(
            scores, self.hierarchy, threshold, on_conflict="close"
        )


def is_summary(summary: Mapping[str, Any]) -> bool:
    """Return whether a summary contains all entries that the commands read."""
    return (
        all(fits(summary.get(name), kind, {}) for name, kind in _SUMMARY.items())
        and (summary.get("matching") or dict.fromkeys(_MATCHING)).keys() >= _MATCHING
        and _is_pseudo_labeling(summary.get("pseudo_labeling"))
    )


def _is_pseudo_labeling(values: dict[str, Any] | None) -> bool:
    if values is not None:
        try:
            PseudoLabelingSummary.from_plain(values)
        except ValueError:
            return False
    return True


def _is_plain(value: Any) -> bool:
    """Return whether a value consists only of JSON types."""
    if isinstance(value, dict):
        return all(isinstance(key, str) for key in value) and _is_plain(
            [*value.values()]
        )
    if isinstance(value, list | tuple):
        return all(_is_plain(item) for item in value)
    return value is None or isinstance(value, str | bool | int | float)
