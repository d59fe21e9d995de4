"""The batch-adding loop: which rows are drawn when, and what is fitted to what."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn.tree import DecisionTreeClassifier

from hilabel import Hierarchy
from hilabel._label_matrix import LabelMatrix
from hilabel._progress import Progress
from hilabel.classifiers import LocalClassifierPerNode, TopDownClassifier, TrainingData
from hilabel.semi_supervised._batches import add_in_batches, batch_rows

SILENT = Progress(0)
TWO_NODES = Hierarchy(["even", "odd"])


def numbered_rows(n_unlabeled, n_labeled=2):
    """Return rows that hold their own number, labelled by whether it is odd."""
    labeled, unlabeled = np.arange(n_labeled), np.arange(n_unlabeled) + n_labeled
    return TrainingData(
        X_labeled=labeled[:, None].astype(float),
        Y=LabelMatrix.of(np.column_stack([labeled % 2 == 0, labeled % 2 == 1])),
        X_unlabeled=unlabeled[:, None].astype(float),
        labeled_rows=labeled,
        unlabeled_rows=unlabeled,
        hierarchy=TWO_NODES,
    )


class Recorder:
    """A model of the loop's making: it remembers every fit and every batch."""

    def __init__(self, knows=lambda numbers, training: numbers >= 0):
        self.knows = knows
        self.fits, self.batches = [], []

    def fit(self, training):
        self.fits.append(training)
        return training

    def label(self, training, X):
        numbers = X[:, 0].astype(int)
        self.batches.append(numbers)
        labels = np.column_stack([numbers % 2 == 0, numbers % 2 == 1])
        return labels & self.knows(numbers, training)[:, None]

    def run(self, data, pool, n_rows):
        return add_in_batches(data, pool, n_rows, self.fit, self.label, SILENT)


@pytest.mark.parametrize(
    ("batch_size", "drawn", "n_fits"),
    [
        (0.25, [3, 3, 3, 1], 5),
        (1.0, [10], 2),
        (0.1, [1] * 10, 11),
        (0.01, [1] * 10, 11),
    ],
)
def test_ten_rows_are_drawn_in_batches_with_a_fit_before_each_and_at_the_end(
    batch_size, drawn, n_fits
):
    recorder = Recorder()
    outcome = recorder.run(numbered_rows(10), np.arange(10), batch_rows(batch_size, 10))
    assert [batch.size for batch in recorder.batches] == drawn
    assert [batch.n_added for batch in outcome.batches] == drawn
    assert len(recorder.fits) == n_fits


def test_shares_that_are_whole_rows_but_for_rounding_are_not_rounded_up():
    assert 0.07 * 100 > 7
    assert batch_rows(0.07, 100) == 7
    assert batch_rows(0.1, 101) == 11
    assert batch_rows(0.1, 0) == 0


def test_without_unlabelled_rows_there_is_one_fit_of_the_data_as_they_came():
    data = numbered_rows(0)
    recorder = Recorder()
    outcome = recorder.run(data, np.arange(0), 0)
    assert len(recorder.fits) == 1
    assert recorder.fits[0] is data
    assert outcome.batches == ()


def test_every_fit_sees_all_rows_added_so_far_with_the_labels_predicted():
    recorder = Recorder()
    pool = np.array([4, 0, 3, 1, 2])
    outcome = recorder.run(numbered_rows(5), pool, 2)
    assert [batch.tolist() for batch in recorder.batches] == [[6, 2], [5, 3], [4]]
    seen = [set(training.labeled_rows.tolist()) for training in recorder.fits]
    assert seen == [{0, 1}, {0, 1, 6, 2}, {0, 1, 6, 2, 5, 3}, set(range(7))]
    last = recorder.fits[-1]
    np.testing.assert_array_equal(last.X_labeled[:, 0], last.labeled_rows)
    np.testing.assert_array_equal(last.Y_labeled[:, 1], last.labeled_rows % 2 == 1)
    np.testing.assert_array_equal(outcome.added_in, [1, 2, 3, 2, 1])
    assert outcome.model is outcome.training is last


def test_rows_without_labels_go_back_and_are_tried_again_once_the_model_changed():
    # Row 2 is understood only after row 4 was learned from.
    def knows(numbers, training):
        return (numbers != 2) | (4 in training.labeled_rows)

    recorder = Recorder(knows)
    outcome = recorder.run(numbered_rows(3), np.arange(3), 1)
    assert [batch.tolist() for batch in recorder.batches] == [[2], [3], [4], [2]]
    assert [batch.n_added for batch in outcome.batches] == [0, 1, 1, 1]
    assert [batch.n_remaining for batch in outcome.batches] == [3, 2, 1, 0]
    # Nothing was added by the first batch, so there was nothing new to fit.
    assert len(recorder.fits) == 4


def test_a_full_sweep_that_adds_nothing_ends_the_loop():
    recorder = Recorder(lambda numbers, training: numbers == 4)
    outcome = recorder.run(numbered_rows(5), np.arange(5), 2)
    # Rows 2 and 3, then 4 and 5 of which 4 is added, then each of the rest once more.
    assert [batch.tolist() for batch in recorder.batches] == [
        [2, 3],
        [4, 5],
        [6, 2],
        [3, 5],
    ]
    np.testing.assert_array_equal(outcome.added_in, [-1, -1, 2, -1, -1])
    np.testing.assert_array_equal(outcome.training.unlabeled_rows, [2, 3, 5, 6])


@given(
    n_unlabeled=st.integers(0, 12),
    n_rows=st.integers(1, 5),
    needs=st.lists(st.integers(0, 14), min_size=14, max_size=14),
    data=st.data(),
)
def test_loop_ends_with_every_row_added_that_could_be(n_unlabeled, n_rows, needs, data):
    # A row is understood once the training set is large enough for it.
    def knows(numbers, training):
        return np.array(needs)[numbers] <= training.labeled_rows.size

    pool = np.array(data.draw(st.permutations(range(n_unlabeled))), dtype=np.int64)
    recorder = Recorder(knows)
    outcome = recorder.run(numbered_rows(n_unlabeled), pool, n_rows)
    left = outcome.training.unlabeled_rows
    assert not knows(left, outcome.training).any()
    np.testing.assert_array_equal(np.flatnonzero(outcome.added_in < 0) + 2, left)
    grew = sum(batch.n_added > 0 for batch in outcome.batches)
    assert len(recorder.fits) == 1 + grew
    assert sum(batch.n_added for batch in outcome.batches) == n_unlabeled - left.size


@pytest.mark.parametrize("method", [LocalClassifierPerNode, TopDownClassifier])
def test_any_supervised_method_can_be_the_base(method):
    hierarchy = Hierarchy.from_dict({"low": ["lowest", "lower"], "high": []})
    numbers = np.arange(24) % 12
    names = np.array([{"lowest"}, {"lower"}, {"high"}])[numbers // 4]
    closed = hierarchy.close(
        np.array([[name in labels for name in hierarchy.names] for labels in names])
    )
    X, is_labeled = numbers[:, None].astype(float), np.arange(24) < 12
    data = TrainingData(
        X_labeled=X[is_labeled],
        Y=LabelMatrix.of(closed[is_labeled]),
        X_unlabeled=X[~is_labeled],
        labeled_rows=np.flatnonzero(is_labeled),
        unlabeled_rows=np.flatnonzero(~is_labeled),
        hierarchy=hierarchy,
    )
    base = method(
        hierarchy, estimator=DecisionTreeClassifier(random_state=0), policy="siblings"
    )
    outcome = add_in_batches(
        data,
        np.arange(12),
        5,
        base.fit_checked,
        lambda model, rows: model._predict_labels(rows),
        SILENT,
    )
    assert [batch.n_added for batch in outcome.batches] == [5, 5, 2]
    np.testing.assert_array_equal(outcome.training.Y_labeled, closed)
