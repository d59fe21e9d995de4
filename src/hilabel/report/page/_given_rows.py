"""Rows to show or to explain, and what a model knows about them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from typing import Any, Final, Self

import numpy as np
import scipy.sparse as sp

from hilabel._label_matrix import LabelMatrix
from hilabel._typing import BoolArray, FloatArray, IntArray
from hilabel.judgement import OUT_OF_FOLD
from hilabel.links import columns_of
from hilabel.models import TableModel

BY_MODEL: Final = "by the model"
BY_MODEL_TRAINED_ON_IT: Final = "by the model, which was trained on its labels"
"""How a row is scored, if not out of fold."""


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """Labelled training rows whose features are available.

    Attributes
    ----------
    numbers : int array of shape (n_some,)
        Their numbers among the training rows of the model.
    X : array or sparse matrix of shape (n_some, n_features)
    """

    numbers: IntArray
    X: Any


@dataclass(frozen=True, eq=False)
class GivenRows:
    """Rows of a table, and what a model knows about them.

    Rows are recognised as training rows by their ids.

    Attributes
    ----------
    model : TableModel
    ids : sequence of str
    X : array, sparse matrix or LinkedRows of shape (n_rows, n_features), or None
        The rows in the form that the classifier expects, with their links to training
        rows, if there are any. None if only their out-of-fold probabilities are known.
    labels : LabelMatrix of shape (n_rows, n_nodes) or None
        Labels that were given with the rows.
    training : TrainingRows or None
        Labelled training rows, to find neighbours among them. By default, those of the
        rows themselves.
    """

    model: TableModel
    ids: Sequence[str]
    X: Any = None
    labels: LabelMatrix | None = None
    training: TrainingRows | None = None

    @classmethod
    def scored_in_training(cls, model: TableModel) -> Self | None:
        """Return the training rows that were scored out of fold, if there are any."""
        if model.left_out is None:
            return None
        stored, scored = stored_rows(model), model.scored
        ids = [*compress(model.sample_ids, scored)]
        return cls(model, ids, None if stored is None else stored[scored])

    def first(self, n_rows: int) -> Self:
        """Return the first rows; all labelled training rows stay available."""
        if len(self.ids) <= n_rows:
            return self
        some = slice(0, n_rows)
        return replace(
            self,
            ids=self.ids[some],
            X=None if self.X is None else self.X[some],
            labels=None if self.labels is None else self.labels[some],
            training=self.training_rows,
        )

    def __len__(self) -> int:
        return len(self.ids)

    # Their role in training ---------------------------------------------------------

    @cached_property
    def numbers(self) -> IntArray:
        """The number of each row among the training rows, or -1."""
        place = {name: row for row, name in enumerate(self.model.sample_ids)}
        found = (place.get(name, -1) for name in self.ids)
        return np.fromiter(found, dtype=np.int64, count=len(self.ids))

    @cached_property
    def was_labeled(self) -> BoolArray:
        """Mask of the rows that had labels in training."""
        return (self.numbers >= 0) & np.append(self.model.labeled, False)[self.numbers]

    @cached_property
    def is_left_out(self) -> BoolArray:
        """Mask of the rows that are scored by models trained without them."""
        if self.X is None:
            return (self.numbers >= 0) & np.append(self.model.scored, False)[
                self.numbers
            ]
        return self.model.left_out_rows(self.X, self.ids) >= 0

    @property
    def is_seen(self) -> BoolArray:
        """Mask of the rows that are scored by a model trained on their labels."""
        return self.was_labeled & ~self.is_left_out

    def state(self, row: int) -> str:
        """Return the role of a row in training: labelled, unlabelled or new."""
        if self.numbers[row] < 0:
            return "new"
        return "labelled" if self.was_labeled[row] else "unlabelled"

    def scored(self, row: int) -> str:
        """Return how a row is scored."""
        if self.is_left_out[row]:
            return OUT_OF_FOLD
        return BY_MODEL_TRAINED_ON_IT if self.was_labeled[row] else BY_MODEL

    @cached_property
    def training_rows(self) -> TrainingRows | None:
        """Labelled training rows whose features are available, if there are any."""
        if self.training is not None:
            return self.training
        rows = np.flatnonzero(self.was_labeled)
        if self.X is None or not rows.size:
            return None
        return TrainingRows(self.numbers[rows], columns_of(self.X)[rows])

    @property
    def all_training_rows(self) -> Any:
        """The features of all training rows, or None unless all of them are given."""
        place = np.full(len(self.model.sample_ids), -1)
        given = np.flatnonzero(self.numbers >= 0)
        place[self.numbers[given]] = given
        if self.X is None or not (place >= 0).all():
            return None
        return columns_of(self.X)[place]

    # Their labels and probabilities -------------------------------------------------

    @cached_property
    def known(self) -> sp.csr_array:
        """Mask of the known labels, from training and from those that were given."""
        n_nodes = self.model.hierarchy.n_nodes
        nothing = sp.csr_array((1, n_nodes), dtype=bool)
        marked = sp.csr_array(self.model.marks > 0)
        known = sp.csr_array(sp.vstack([marked, nothing], format="csr")[self.numbers])
        if self.labels is not None:
            known = sp.csr_array(known + self.labels.positive)
        return known

    @cached_property
    def has_labels(self) -> BoolArray:
        """Mask of the rows that were given with labels."""
        if self.labels is None:
            return np.zeros(len(self.ids), dtype=bool)
        return self.labels.labeled

    @property
    def is_labeled(self) -> BoolArray:
        """Mask of the rows that are labelled, perhaps as having no term at all."""
        return self.was_labeled | self.has_labels

    @property
    def unseen(self) -> IntArray:
        """Numbers of the given labelled rows that were not labelled in training."""
        return np.flatnonzero(self.has_labels & ~self.was_labeled)

    def probabilities(self, rows: IntArray) -> FloatArray:
        """Return the probabilities for some rows, out of fold where possible."""
        if self.X is None:
            assert self.model.left_out is not None  # the only source of such rows
            return self.model.left_out[self.numbers[rows]].toarray()
        ids = [self.ids[row] for row in rows]
        return self.model.probabilities_of(self.X[rows], ids)

    def decide(self, probabilities: FloatArray) -> BoolArray:
        """Return which rows get which terms, as ``hilabel predict`` decides."""
        return self.model.labels(probabilities) & self.model.informative


def stored_rows(model: TableModel) -> Any:
    """Return the features of all training rows, if the method stores them, or None."""
    data = getattr(model.estimator, "training_data_", None)
    return None if data is None else data.X
