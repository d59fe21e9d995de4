"""PriorClassifier: the shares, consistent, whatever X is."""

import itertools

import numpy as np
from hypothesis import given
from strategies import hierarchies_with_labels

from hilabel import Hierarchy
from hilabel._label_matrix import LabelMatrix
from hilabel.classifiers import PriorClassifier, TrainingData
from hilabel.constraints import cap_by_parents


@given(hierarchies_with_labels())
def test_every_row_gets_the_shares_which_are_consistent(case):
    hierarchy, labels = case
    Y = hierarchy.close(labels)
    model = PriorClassifier(hierarchy).fit(np.zeros((len(Y), 1)), labels)
    scores = model.predict_proba([[1.0], [np.nan]])
    np.testing.assert_allclose(scores, np.tile(Y.mean(axis=0), (2, 1)))
    np.testing.assert_array_equal(cap_by_parents(scores, hierarchy), scores)


def test_unlabelled_rows_do_not_count():
    model = PriorClassifier().fit([[0], [0], [0]], [[1, 0], [1, 1], [-1, -1]])
    assert model.predict_proba([[5]]).tolist() == [[1, 0.5]]


def test_the_priors_without_each_part_are_those_of_the_other_rows():
    hierarchy = Hierarchy.from_edges([("a", "b"), ("a", "c"), ("b", "d")])
    rng = np.random.default_rng(0)
    labels = hierarchy.close(rng.random((50, 4)) < 0.4)
    part = rng.integers(0, 3, 50)
    some = labels | (rng.random((50, 4)) < 0.8)
    for known, weights in itertools.product((None, some), (None, rng.random(50) + 1)):
        data = TrainingData(
            X_labeled=np.zeros((50, 1)),
            Y=LabelMatrix.of(labels if known is None else np.where(known, labels, -1)),
            X_unlabeled=np.zeros((0, 1)),
            labeled_rows=np.arange(50),
            unlabeled_rows=np.arange(0),
            hierarchy=hierarchy,
            weights=weights,
        )
        expected = [data.without_rows(part == number).prior for number in range(3)]
        np.testing.assert_array_equal(data.priors_without(part, 3), expected)
