import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from hilabel import UNLABELED
from hilabel.datasets import make_hierarchical_classification
from hilabel.exceptions import LabelError
from hilabel.model_selection import mask_labels, mask_labels_nested

FRACTIONS = st.floats(0.01, 1)


@st.composite
def partly_labeled(draw):
    """Draw labels with at least one labelled row; all-zero rows are common."""
    shape = (draw(st.integers(1, 25)), draw(st.integers(1, 5)))
    Y = draw(hnp.arrays(np.int8, shape, elements=st.integers(0, 1)))
    unlabeled = draw(hnp.arrays(bool, shape[0]))
    unlabeled[draw(st.integers(0, shape[0] - 1))] = False
    Y[unlabeled] = UNLABELED
    return Y


def labeled_rows(Y):
    return set(np.flatnonzero((Y >= 0).all(axis=1)))


@given(partly_labeled(), FRACTIONS, st.booleans())
def test_rows_are_kept_whole_or_hidden_whole(Y, fraction, stratified):
    before = Y.copy()
    masked = mask_labels(Y, fraction, stratified=stratified, random_state=0)
    kept = sorted(labeled_rows(masked))
    hidden = np.setdiff1d(np.arange(len(Y)), kept)
    np.testing.assert_array_equal(Y, before)
    np.testing.assert_array_equal(masked[kept], Y[kept])
    assert (masked[hidden] == UNLABELED).all()
    assert masked.dtype == np.int8
    assert set(kept) <= labeled_rows(Y)


@given(partly_labeled(), FRACTIONS, st.booleans())
def test_the_number_of_rows_kept_is_exact(Y, fraction, stratified):
    masked = mask_labels(Y, fraction, stratified=stratified, random_state=0)
    assert len(labeled_rows(masked)) == max(1, round(fraction * len(labeled_rows(Y))))


@given(partly_labeled(), st.lists(FRACTIONS, min_size=1, max_size=4), st.booleans())
def test_smaller_fractions_lie_inside_larger_ones(Y, fractions, stratified):
    masked = mask_labels_nested(Y, fractions, stratified=stratified, random_state=0)
    assert list(masked) == list(dict.fromkeys(fractions))
    for fraction, labels in masked.items():
        wanted = max(1, round(fraction * len(labeled_rows(Y))))
        assert len(labeled_rows(labels)) == wanted
        for other, more in masked.items():
            if fraction <= other:
                assert labeled_rows(labels) <= labeled_rows(more)


def test_all_zero_rows_are_labeled_rows():
    masked = mask_labels(np.zeros((10, 3)), 0.4, random_state=0)
    assert len(labeled_rows(masked)) == 4


def test_fraction_one_keeps_all():
    Y = np.array([[1, 0], [-1, -1], [0, 0]])
    np.testing.assert_array_equal(mask_labels(Y, 1.0), Y)
    np.testing.assert_array_equal(mask_labels(Y, 1), Y)


@pytest.mark.parametrize("stratified", [True, False])
def test_the_choice_depends_on_the_seed_alone(stratified):
    Y = make_hierarchical_classification(200, random_state=0).Y
    first, second, other = (
        mask_labels(Y, 0.3, stratified=stratified, random_state=seed)
        for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, second)
    assert labeled_rows(first) != labeled_rows(other)


def test_every_form_of_labels_gives_the_same_choice():
    Y = make_hierarchical_classification(60, n_nodes=6, random_state=0).Y
    Y[::7] = UNLABELED
    expected = mask_labels(Y, 0.3, random_state=0)
    with_nan = np.where(Y == UNLABELED, np.nan, Y)
    for form in (sp.csr_array(Y), pd.DataFrame(Y, columns=list("abcdef")), with_nan):
        np.testing.assert_array_equal(mask_labels(form, 0.3, random_state=0), expected)


def test_stratified_choice_keeps_label_rates_closer_than_a_random_one():
    Y = make_hierarchical_classification(800, n_nodes=80, random_state=0).Y

    def mean_error(stratified):
        errors = []
        for seed in range(10):
            masked = mask_labels(Y, 0.1, stratified=stratified, random_state=seed)
            kept = Y[sorted(labeled_rows(masked))]
            errors.append(np.abs(kept.mean(axis=0) - Y.mean(axis=0)).mean())
        return np.mean(errors)

    assert mean_error(True) < mean_error(False) / 2


@pytest.mark.parametrize("fraction", [0, -0.1, 1.1, np.nan, True, "half"])
def test_fractions_outside_zero_to_one_are_refused(fraction):
    with pytest.raises(ValueError, match=r"labeled_fraction in \(0, 1\], got"):
        mask_labels(np.ones((3, 1)), fraction)


def test_no_fraction_is_refused():
    with pytest.raises(ValueError, match="at least one labelled fraction"):
        mask_labels_nested(np.ones((3, 1)), [])


def test_labels_without_a_labeled_row_are_refused():
    with pytest.raises(LabelError, match="at least one labelled row"):
        mask_labels(np.full((3, 2), -1), 0.5)


def test_labels_of_gene_ontology_size_keep_their_share():
    # As many rows and nodes as the training part of cellcycle.
    Y = make_hierarchical_classification(
        1625, n_nodes=164, structure="dag", random_state=0
    ).Y
    masked = mask_labels(Y, 0.1, random_state=0)
    assert len(labeled_rows(masked)) == round(0.1 * 1625)


def test_unknown_cells_of_rows_that_keep_their_labels_stay_unknown():
    Y = np.array([[1, -1], [-1, 0], [1, 1], [-1, -1], [0, -1], [0, 0]])
    masked = mask_labels(Y, 0.6, random_state=0)
    kept = (masked >= 0).any(axis=1)
    assert kept.sum() == 3
    np.testing.assert_array_equal(masked[kept], Y[kept])
