import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from iterstrat.ml_stratifiers import IterativeStratification

from hilabel.datasets import make_hierarchical_classification
from hilabel.model_selection._stratification import _stratify, assign_parts

MATRICES = hnp.arrays(bool, st.tuples(st.integers(1, 30), st.integers(1, 6)))


def rate_error(Y, chosen):
    return np.abs(Y[chosen].mean(axis=0) - Y.mean(axis=0)).mean()


@given(MATRICES, st.data(), st.booleans(), st.booleans())
def test_parts_have_exactly_the_sizes_asked(matrix, data, stratified, shuffle):
    cuts = data.draw(st.lists(st.integers(0, len(matrix)), min_size=1, max_size=4))
    sizes = np.diff([0, *sorted(cuts), len(matrix)])
    parts = assign_parts(
        matrix,
        sizes,
        np.random.RandomState(0),
        stratified=stratified,
        shuffle=shuffle,
    )
    np.testing.assert_array_equal(np.bincount(parts, minlength=sizes.size), sizes)


@given(MATRICES, st.lists(st.integers(0, 9), min_size=1, max_size=5), st.integers(0, 9))
def test_the_parts_and_the_draws_are_those_of_the_slow_package(matrix, weights, seed):
    shares = (np.array(weights) + 0.1) / (np.array(weights) + 0.1).sum()
    ours, theirs = np.random.RandomState(seed), np.random.RandomState(seed)
    np.testing.assert_array_equal(
        _stratify(sp.csr_array(matrix), shares, ours),
        IterativeStratification(matrix, shares, theirs),
    )
    assert ours.randint(2**31 - 1) == theirs.randint(2**31 - 1)


def test_a_sparse_matrix_gives_the_parts_of_a_dense_one():
    matrix = np.random.RandomState(0).random_sample((300, 40)) < 0.1
    dense, sparse = (
        assign_parts(labels, [250, 50], np.random.RandomState(0))
        for labels in (matrix, sp.csr_array(matrix))
    )
    np.testing.assert_array_equal(dense, sparse)


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5])
def test_stratified_parts_keep_label_rates_closer_than_random_ones(share):
    data = make_hierarchical_classification(
        800, n_nodes=80, structure="dag", random_state=0
    )
    Y = data.Y.astype(bool)
    sizes = [round(share * 800), 800 - round(share * 800)]
    error = {
        stratified: np.mean(
            [
                rate_error(
                    Y,
                    assign_parts(
                        Y, sizes, np.random.RandomState(seed), stratified=stratified
                    )
                    == 0,
                )
                for seed in range(10)
            ]
        )
        for stratified in (True, False)
    }
    assert error[True] < error[False] / 2


def test_very_many_rows_and_labels_are_divided_evenly():
    random = np.random.default_rng(0)
    rows, labels = np.repeat(np.arange(12_000), 5), random.integers(900, size=60_000)
    ones = np.ones(60_000, dtype=bool)
    matrix = sp.coo_array((ones, (rows, labels)), (12_000, 900)).tocsr()
    spread = {}
    for stratified in (True, False):
        parts = assign_parts(
            matrix, [4_000] * 3, np.random.RandomState(0), stratified=stratified
        )
        assert np.bincount(parts).tolist() == [4_000] * 3
        counts = [matrix[parts == part].sum(axis=0) for part in range(3)]
        spread[stratified] = np.ptp(counts, axis=0).mean()
    assert spread[True] < spread[False] / 2


def test_one_label_is_divided_in_proportion():
    matrix = np.arange(100)[:, None] < 20
    parts = assign_parts(matrix, [10, 90], np.random.RandomState(0))
    assert matrix[parts == 0].sum() == 2


def test_rows_in_order_give_consecutive_parts():
    parts = assign_parts(
        np.ones((5, 1), dtype=bool),
        [2, 3],
        np.random.RandomState(0),
        stratified=False,
        shuffle=False,
    )
    assert parts.tolist() == [0, 0, 1, 1, 1]
