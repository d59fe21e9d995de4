"""Random k-labelsets: which sets are drawn, and how they vote."""

from collections import Counter
from math import comb

import numpy as np
import pytest
from hypothesis import given, strategies as st

from hilabel.classifiers._rakel import Rakel, draw_labelsets, n_labelsets
from hilabel.exceptions import HilabelWarning
from hilabel.local_models._multiclass import ConstantClass, MulticlassModel


def draw(n_labels, size, count=None, seed=0):
    count = n_labelsets(n_labels, size) if count is None else count
    return draw_labelsets(n_labels, size, count, np.random.RandomState(seed))


@pytest.mark.parametrize(
    ("n_labels", "size", "count"),
    [(4, 3, 4), (5, 3, 10), (6, 3, 12), (10, 3, 20), (5, 4, 5), (7, 1, 7)],
)
def test_there_are_twice_as_many_sets_as_labels_or_all_sets(n_labels, size, count):
    assert n_labelsets(n_labels, size) == min(2 * n_labels, comb(n_labels, size))
    assert len(draw(n_labels, size)) == count


def test_four_labels_in_sets_of_three_are_each_in_three_of_four_models():
    sets = draw(4, 3)
    assert len(sets) == 4
    assert Counter(np.concatenate(sets).tolist()) == {0: 3, 1: 3, 2: 3, 3: 3}


@pytest.mark.parametrize("size", [3, 4, 100])
def test_sets_of_all_labels_are_one_label_powerset(size):
    assert n_labelsets(3, size) == 1
    assert [labels.tolist() for labels in draw(3, size)] == [[0, 1, 2]]


@given(st.integers(1, 30), st.integers(1, 4), st.integers(0, 99))
def test_sets_are_distinct_of_the_right_size_and_cover_all_labels(n_labels, size, seed):
    sets = draw(n_labels, size, seed=seed)
    assert len(sets) == n_labelsets(n_labels, size)
    assert len({tuple(labels) for labels in sets}) == len(sets)
    for labels in sets:
        assert labels.size == min(size, n_labels)
        assert (np.diff(labels) > 0).all()
    assert np.unique(np.concatenate(sets)).tolist() == list(range(n_labels))


def test_the_seed_decides_which_sets_are_drawn():
    first, again, other = (
        np.array(draw(12, 3, seed=seed)).tolist() for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


def test_sets_are_drawn_again_until_every_label_is_in_one():
    # Three sets of two cover six labels in one draw of some ten.
    for seed in range(20):
        assert np.unique(draw(6, 2, count=3, seed=seed)).size == 6


def test_labels_that_no_set_can_hold_are_warned_of():
    with pytest.warns(HilabelWarning, match="3 of 5 labels are in none of 1 sets of 2"):
        (labels,) = draw(5, 2, count=1)
    assert labels.size == 2


def test_no_more_sets_are_drawn_than_there_are():
    assert len(draw(4, 2, count=100)) == 6


def always(*labels, of):
    """Return a set's only combination and the model that always predicts it."""
    return np.isin(of, labels)[None, :], MulticlassModel(ConstantClass(0), 1)


def make(*sets):
    labelsets = [np.array(of) for of, _ in sets]
    found = [always(*labels, of=of) for of, labels in sets]
    return Rakel(4, labelsets, [c for c, _ in found], [m for _, m in found])


def test_scores_are_the_mean_of_the_votes_of_the_sets_with_the_label():
    rakel = make(
        ((0, 1, 2), (0, 1)),
        ((0, 1, 3), (0,)),
        ((0, 2, 3), ()),
    )
    scores = rakel.predict_scores(np.zeros((2, 1)), "hard")
    np.testing.assert_allclose(scores, [[2 / 3, 1 / 2, 0, 0]] * 2)
    # Two of three votes, and one of two, are enough.
    assert (scores >= 0.5).tolist() == [[True, True, False, False]] * 2


def test_a_label_in_no_set_scores_zero():
    rakel = make(((0, 1, 2), (0, 1, 2)))
    assert rakel.predict_scores(np.zeros((1, 1)), "soft").tolist() == [[1, 1, 1, 0]]


def test_sets_trained_on_no_row_vote_for_nothing():
    nothing = MulticlassModel(ConstantClass(None), 0)
    rakel = Rakel(2, [np.arange(2)], [np.zeros((0, 2), dtype=bool)], [nothing])
    for voting in ("hard", "soft"):
        assert rakel.predict_scores(np.zeros((1, 1)), voting).tolist() == [[0, 0]]
