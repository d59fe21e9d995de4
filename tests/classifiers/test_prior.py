"""PriorClassifier: the shares, consistent, whatever X is."""

import numpy as np
from hypothesis import given
from strategies import hierarchies_with_labels

from hilabel.classifiers import PriorClassifier
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
