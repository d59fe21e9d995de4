"""Label powersets: coding, decoding, marginals."""

import numpy as np
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from hilabel.classifiers._label_powerset import combine_labels, label_marginals

labels = hnp.arrays(bool, st.tuples(st.integers(0, 9), st.integers(0, 4)))


@given(labels)
def test_codes_lead_back_to_the_labels_and_each_combination_occurs_once(Y):
    combinations, codes = combine_labels(Y)
    np.testing.assert_array_equal(combinations[codes], Y)
    assert set(codes.tolist()) == set(range(len(combinations)))
    assert len({tuple(row) for row in combinations.tolist()}) == len(combinations)


def test_lower_labels_come_first_and_the_empty_combination_last():
    Y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=bool)
    expected = [[True, True], [True, False], [False, True], [False, False]]
    assert combine_labels(Y).combinations.tolist() == expected


@given(labels.filter(lambda Y: Y.shape[0] > 0))
def test_the_marginals_of_the_shares_are_the_shares_of_the_labels(Y):
    combinations, codes = combine_labels(Y)
    shares = np.bincount(codes, minlength=len(combinations)) / len(Y)
    marginals = label_marginals(shares[None, :], combinations)
    np.testing.assert_allclose(marginals[0], Y.mean(axis=0), atol=1e-15)
    assert (marginals <= 1).all()
