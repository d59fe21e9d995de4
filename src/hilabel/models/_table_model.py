"""A classifier together with what it takes to read, decide and judge a user's rows."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from typing import Annotated, Any, Final

import numpy as np
import scipy.sparse as sp

from hilabel._label_matrix import LabelMatrix
from hilabel._matrices import fingerprints, row_blocks
from hilabel._progress import Report, say_nothing
from hilabel._saved_types import Array, Sparse, saved_type
from hilabel._score_matrix import ScoreMatrix
from hilabel._table_options import TableOptions
from hilabel._typing import BoolArray, FilePath, FloatArray, IntArray
from hilabel.calibration import ScoreCalibration
from hilabel.classifiers import BaseHierarchicalClassifier
from hilabel.constraints import cap_in_place, labels_from_scores, most_probable_cells
from hilabel.datasets import (
    FeatureBlocks,
    FeatureTable,
    MatchReport,
    NewLinks,
    TableFiles,
    TablePreparation,
    link_new_rows,
    open_features,
    read_features,
    read_labels_over,
)
from hilabel.hierarchy import Hierarchy, Ontology, informative_nodes
from hilabel.judgement import Decision, Judgement, judge_predictions
from hilabel.links import LinkedRows, Links, columns_of
from hilabel.models._fit_record import FitRecord
from hilabel.models._summary import model_summary

# Not where they are defined: the help of a command reads the options, and must not wait
# for the arrays that other saved types contain.
saved_type(TableOptions)

# Bounds the memory of probabilities: 64 MB in single precision.
_CELLS_AT_ONCE: Final = 2**24


@saved_type
@dataclass(frozen=True, eq=False, kw_only=True)
class TableModel:
    """A model that predicts the probabilities of terms for tables whose rows have ids.

    It is written by ``hilabel fit`` and read by the other commands.

    Attributes
    ----------
    estimator : fitted hierarchical classifier
    preparation : TablePreparation
        Converts columns to numbers, imputes and scales them.
    reading : TableOptions
        How the files were read in training; other files are read the same way.
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
    decision : Decision
        The rule that decides which terms a row gets.
    calibration : ScoreCalibration or None
        Converts the scores of the estimator to probabilities; None leaves them
        unchanged.
    unlabeled_calibration : ScoreCalibration or None
        The same for the unlabelled rows of the training table; None means that they are
        treated like new rows.
    judgement : Judgement or None
        The quality of the model, measured out of fold; None if it was not measured.
    left_out : csr_array of shape (n_samples, n_nodes) or None
        Out-of-fold probabilities of labelled training rows: their most probable terms,
        and those of their labels. Rows that were not scored are empty.
    fingerprint : uint64 array of shape (n_samples,)
        Recognises the values of labelled training rows, whose scores in ``left_out``
        hold only as long as their values are the same; 0 for other rows.
    record : FitRecord
        How the model was made.
    links_both_ways : bool
        Whether a link in a file also leads from its target to its source.

    Examples
    --------
    >>> import tempfile
    >>> from hilabel.datasets import write_example
    >>> from hilabel.tasks import FitChoices, TableFiles, fit_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = write_example(folder, "shop")
    ...     fitted = fit_table(
    ...         TableFiles(files["features"], files["labels"], files["hierarchy"]),
    ...         FitChoices(effort="fast", measure=False),
    ...     )
    ...     model = fitted.model
    ...     scores = model.predict_proba(model.read(files["features"]))
    >>> scores.shape == (len(model.sample_ids), model.hierarchy.n_nodes)
    True
    """

    estimator: BaseHierarchicalClassifier
    preparation: TablePreparation
    reading: TableOptions
    sample_ids: tuple[str, ...]
    prior: Annotated[FloatArray, Array("f8", ("n_nodes",), 0, 1)]
    ontology: Ontology
    labeled: Annotated[BoolArray, Array("b1", ("n_samples",))]
    marks: Annotated[sp.csr_array, Sparse("i1", ("n_samples", "n_nodes"), 0, 2)]
    decision: Decision
    calibration: ScoreCalibration | None = None
    unlabeled_calibration: ScoreCalibration | None = None
    judgement: Judgement | None = None
    left_out: (
        Annotated[sp.csr_array, Sparse("f4", ("n_samples", "n_nodes"), 0, 1.001)] | None
    ) = None
    fingerprint: Annotated[IntArray, Array("u8", ("n_samples",))]
    record: FitRecord
    links_both_ways: bool = True

    def is_sound(self) -> bool:
        """Return whether all parts agree on the rows, columns and nodes."""
        n_nodes, judged = self.hierarchy.n_nodes, self.judgement
        return (
            self.prior.size == n_nodes
            and self.ontology.hierarchy == self.hierarchy
            and len(self.sample_ids) == self.labeled.size == self.fingerprint.size
            and self.preparation.order_.size == self.estimator.n_features_in_
            and self.decision.threshold.size == n_nodes
            and all(
                one is None or one.hierarchy == self.hierarchy
                for one in (self.calibration, self.unlabeled_calibration)
            )
            and (judged is None or judged.informative.size == n_nodes)
            and (
                not self.uses_links
                or getattr(self.estimator, "n_linked_rows", 0) == len(self.sample_ids)
            )
        )

    @property
    def hierarchy(self) -> Hierarchy:
        """The hierarchy of the model's terms."""
        return self.estimator.hierarchy_

    @property
    def link_kinds(self) -> tuple[str, ...]:
        """The kinds of links between rows that it was trained with, if any."""
        kinds: tuple[str, ...] = getattr(self.estimator, "link_kinds", ())
        return kinds

    @property
    def uses_links(self) -> bool:
        """Whether it was trained with links, so that new rows should have some."""
        return bool(self.link_kinds)

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the classifier's input columns."""
        return tuple(self.preparation.get_feature_names_out())

    @cached_property
    def informative(self) -> BoolArray:
        """Mask of the terms that predictions and measures are about."""
        if self.judgement is not None:
            return self.judgement.informative
        shares: Any = self.prior  # the number of positive rows, for one known row
        return informative_nodes(self.hierarchy, shares, np.ones_like(shares))

    @property
    def n_positive(self) -> Any:
        """Number of training rows with each term."""
        return np.bincount(self.marks.indices, minlength=self.hierarchy.n_nodes)

    @property
    def summary(self) -> dict[str, Any]:
        """What is known about the model, as plain values for people and programs."""
        return model_summary(self)

    # Reading ------------------------------------------------------------------------

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
            "usual_id_column": self.reading.id_column,
            "categorical": self.preparation.categories_,
            "text": self.preparation.text_,
            "columns": self.preparation.feature_names_in_,
            "strip_version": self.reading.strip_version,
            "merge_duplicates": self.reading.merge_duplicates,
            "most_unpacked": self.reading.most_unpacked,
            "ids_alone": self.preparation.has_no_columns,
        }

    def link(self, ids: Sequence[str], links: Any) -> NewLinks:
        """Find the links of rows to training rows; see :func:`link_new_rows`.

        Links from a row to itself, if it is a training row, are dropped.

        Parameters
        ----------
        ids : sequence of str
            The ids of the rows.
        links : LinkTable, path-like, mapping of str to path-like, or (kind, path) pairs
            Links between ids, or files with them.

        Raises
        ------
        LinkError
            If there is no link of a kind that training had.
        """
        return link_new_rows(
            links,
            ids,
            self.sample_ids,
            kinds=self.link_kinds or None,
            both_ways=self.links_both_ways,
            strip_version=self.reading.strip_version,
        )

    def marks_of(self, table: FeatureTable) -> sp.csr_array:
        """Return the ``marks`` for the rows of a table; new rows have none."""
        known, of_new = self._place, len(self.sample_ids)
        rows = [known.get(row_id, of_new) for row_id in table.ids]
        return sp.csr_array(self._marks_and_none[rows])

    @cached_property
    def _place(self) -> dict[str, int]:
        return {row_id: row for row, row_id in enumerate(self.sample_ids)}

    @cached_property
    def _marks_and_none(self) -> sp.csr_array:
        """The marks of training rows, and an empty row for all others."""
        nothing = sp.csr_array((1, self.marks.shape[1]), dtype=self.marks.dtype)
        return sp.csr_array(sp.vstack([self.marks, nothing], format="csr"))

    def matrix(self, table: FeatureTable, links: Any = None) -> Any:
        """Return the rows of a table in the form that the classifier expects.

        Parameters
        ----------
        table : FeatureTable
        links : Links, or in any form that :meth:`link` accepts, optional
            Links to training rows, in the order of ``sample_ids``. They are ignored
            if the model was trained without links.

        Returns
        -------
        array, csr_array or LinkedRows
        """
        X = self.preparation.transform(table)
        if links is None or not self.uses_links:
            return X
        if not isinstance(links, Links):
            links = self.link(table.ids, links).to_training
        return LinkedRows(X, links)

    def predict_proba(
        self, table: FeatureTable, *, links: Any = None, out_of_fold: bool = True
    ) -> FloatArray:
        """Return the probability of every node for the rows of a table.

        Parameters
        ----------
        table : FeatureTable
        links : Links, or in any form that :meth:`link` accepts, optional
            Links to training rows. Rows without links are predicted from their columns,
            if the model uses columns.
        out_of_fold : bool, default=True
            The estimator has learned the labels of its training rows, so its
            probabilities for them say little. If they were measured, those of models
            that were trained without these labels are returned instead, except for
            probabilities below 0.01, which are 0.
        """
        X = self.matrix(table, links)
        return self.probabilities_of(X, table.ids, out_of_fold=out_of_fold)

    def predict_top(
        self,
        table: FeatureTable,
        top: int = 10,
        *,
        least: float = 0.01,
        roots: bool = False,
        links: Any = None,
        out_of_fold: bool = True,
    ) -> sp.csr_array:
        """Return the probabilities of the most probable nodes of each row.

        Rows are predicted in blocks, so that the memory for many rows and nodes is
        bounded.

        Parameters
        ----------
        table : FeatureTable
        top : int, default=10
            At most this many nodes per row; parents come first among ties, so the nodes
            are closed over ancestors if roots are included.
        least : float, default=0.01
            Only nodes with at least this probability.
        roots : bool, default=False
            Whether to include roots that nearly all rows have.
        links, out_of_fold
            As in :meth:`predict_proba`.

        Returns
        -------
        csr_array of shape (n_rows, n_nodes)
            Nodes that were not selected, and those of probability 0, are not stored.

        Examples
        --------
        >>> import tempfile
        >>> from hilabel.datasets import write_example
        >>> from hilabel.tasks import FitChoices, TableFiles, fit_table
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     paths = write_example(folder, "shop")
        ...     files = [paths[name] for name in ("features", "labels", "hierarchy")]
        ...     choices = FitChoices(method="PriorClassifier", measure=False)
        ...     model = fit_table(TableFiles(*files), choices).model
        ...     table = model.read(paths["features"])
        >>> best = model.predict_top(table, 3)
        >>> best.shape == (240, model.hierarchy.n_nodes), best.nnz
        (True, 720)
        """
        X, wanted = self.matrix(table, links), self.informative | roots
        parts = [sp.csr_array((0, self.hierarchy.n_nodes), dtype=np.float32)]
        for rows in row_blocks((len(table), self.hierarchy.n_nodes), _CELLS_AT_ONCE):
            found = self.probabilities_of(
                X[rows], table.ids[rows], out_of_fold=out_of_fold
            )
            parts.append(
                most_probable_cells(
                    found, self.hierarchy, top, least=least, wanted=wanted
                )
            )
        return sp.csr_array(sp.vstack(parts, format="csr"))

    def probabilities_of(
        self, X: Any, ids: Sequence[str], *, out_of_fold: bool = True
    ) -> FloatArray:
        """Return the probability of every node for prepared rows.

        Parameters
        ----------
        X : array, csr_array or LinkedRows of shape (n_rows, n_features)
            As returned by :meth:`matrix`.
        ids : sequence of str
            The ids of the rows, to recognise those of the training table.
        out_of_fold : bool, default=True
            As in :meth:`predict_proba`.
        """
        if not out_of_fold:
            return self.calibrated(self.scores_of(X), ids)
        numbers = self.left_out_rows(X, ids)
        others = np.flatnonzero(numbers < 0)
        if others.size == len(ids):
            return self.calibrated(self.scores_of(X), ids)
        found = np.zeros((len(ids), self.hierarchy.n_nodes), dtype=np.float32)
        if others.size:
            scores = self.scores_of(X[others])
            found[others] = self.calibrated(scores, [ids[int(row)] for row in others])
        if self.left_out is not None:
            seen = np.flatnonzero(numbers >= 0)
            # A model from a file may contain anything.
            stored = self.left_out[numbers[seen]].toarray()
            found[seen] = cap_in_place(stored, self.hierarchy)
        return found

    def scores_of(self, X: Any) -> FloatArray:
        """Return the scores of the estimator for prepared rows, not calibrated.

        Parameters
        ----------
        X : array, csr_array or LinkedRows of shape (n_rows, n_features)
        """
        if not isinstance(X, LinkedRows):
            return np.asarray(self.estimator.predict_proba(X))
        estimator: Any = self.estimator
        return np.asarray(estimator.predict_proba(X.columns, links=X.links))

    @property
    def scored(self) -> BoolArray:
        """Mask of the training rows that have out-of-fold probabilities."""
        if self.left_out is None:
            return np.zeros_like(self.labeled)
        return np.asarray(np.diff(self.left_out.indptr) > 0)

    def left_out_rows(self, X: Any, ids: Sequence[str]) -> IntArray:
        """Return the number of the training row that each row is, or -1.

        Only labelled training rows count, if they were scored out of fold and have the
        same values as in training.
        """
        numbers = np.full(len(ids), -1)
        if self.left_out is None:
            return numbers
        known = [self._labeled_place.get(row_id, -1) for row_id in ids]
        rows = np.flatnonzero(np.array(known) >= 0)
        place = np.array(known)[rows]
        is_same = fingerprints(columns_of(X)[rows]) == self.fingerprint[place]
        numbers[rows[is_same]] = place[is_same]
        return numbers

    @cached_property
    def _labeled_place(self) -> dict[str, int]:
        rows = np.flatnonzero(self.scored)
        return {self.sample_ids[row]: int(row) for row in rows}

    def read_labeled(
        self, files: TableFiles
    ) -> tuple[FeatureTable, LabelMatrix, MatchReport]:
        """Read rows and their labels, with one label column per term of the model."""
        table = self.read(files.features, files.id_column, files.ids)
        files = replace(files, strip_version=self.reading.strip_version)
        return table, *read_labels_over(table, files, self.ontology)

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

    def judge(
        self,
        labels: LabelMatrix,
        probabilities: ScoreMatrix,
        report: Report = say_nothing,
    ) -> Judgement:
        """Measure the model on labelled rows that it was not trained on.

        Parameters
        ----------
        labels : LabelMatrix of shape (n_rows, n_nodes)
        probabilities : ScoreMatrix of the same shape
            As returned by :meth:`predict_proba`.
        report : callable, optional
        """
        found = judge_predictions(
            labels,
            probabilities,
            self.hierarchy,
            method=self.record.method,
            informative=self.informative,
            prior=self.prior,
            rule=self.decision,
            is_calibrated=self.calibration is not None,
            report=report,
        )
        if self.judgement is None:
            return found
        measured = self.judgement
        return replace(
            found,
            gain=measured.gain,
            link_gain=measured.link_gain,
            candidates=measured.candidates,
        )

    def labels(
        self, probabilities: FloatArray, threshold: float | None = None
    ) -> BoolArray:
        """Return which rows get which terms, as a mask closed over ancestors.

        Parameters
        ----------
        probabilities : ndarray of shape (n_rows, n_nodes)
        threshold : float, optional
            By default, the model's own rule decides.
        """
        if threshold is None:
            return self.decision.labels(probabilities, self.hierarchy)
        return labels_from_scores(
            probabilities, self.hierarchy, threshold, on_conflict="close"
        )
