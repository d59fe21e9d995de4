"""Votes on packed labels, and distances between voters, beside their oracles."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from oracles import packed_labels as oracle

from hilabel import _engine
from hilabel.pseudo_labeling import count_labels, pack_labels, unpack_labels


@st.composite
def votes(draw):
    """Draw (labels, neighbours, votes needed)."""
    n_labels = draw(st.sampled_from([1, 5, 63, 64, 65, 130, 512, 700]))
    k = draw(st.integers(1, 9))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    labels = random.random((12, n_labels)) < draw(st.sampled_from([0.1, 0.5, 0.9]))
    return labels, random.integers(0, 12, (7, k)), draw(st.integers(1, k))


@given(votes())
def test_packed_votes_equal_counting(case):
    labels, neighbors, needed = case
    words = pack_labels(labels)
    proposed = _engine.vote(words, neighbors, needed)
    expected = oracle.vote(labels, neighbors, needed)
    np.testing.assert_array_equal(unpack_labels(proposed, labels.shape[1]), expected)
    shared = _engine.share_a_label(words, neighbors, proposed)
    assert shared.dtype == bool
    np.testing.assert_array_equal(
        shared, oracle.share_a_label(labels, neighbors, expected)
    )


def test_packing_and_unpacking_is_the_identity():
    for n_labels in (1, 8, 63, 64, 65, 200):
        labels = np.random.default_rng(0).random((5, n_labels)) < 0.5
        words = pack_labels(labels)
        assert words.shape == (5, -(-n_labels // 64))
        np.testing.assert_array_equal(unpack_labels(words, n_labels), labels)
        assert count_labels(words) == labels.sum()


def test_pair_distances_are_sums_over_the_features_in_order():
    random = np.random.default_rng(0)
    for n_features in (0, 1, 3, 15, 16, 64, 100):
        points = random.normal(size=(9, n_features))
        neighbors = random.integers(0, 9, (6, 4))
        totals = np.zeros((6, 4, 4))
        for feature in range(n_features):
            values = points[neighbors, feature]
            totals += (values[:, :, None] - values[:, None]) ** 2
        found = _engine.euclidean_within(points, neighbors)
        np.testing.assert_array_equal(found, np.sqrt(totals))


def test_pair_distances_of_nobody():
    nobody = np.empty((0, 3), dtype=np.int64)
    assert _engine.euclidean_within(np.zeros((2, 5)), nobody).shape == (0, 3, 3)
    alone = np.zeros((4, 1), dtype=np.int64)
    assert not _engine.euclidean_within(np.ones((2, 5)), alone).any()


def test_neighbours_that_do_not_exist_are_refused():
    words = np.zeros((3, 2), dtype=np.uint64)
    neighbors = np.zeros((4, 2), dtype=np.int64)
    for wrong in (neighbors - 1, neighbors + 3):
        with pytest.raises(ValueError, match="neighbors must name rows of words"):
            _engine.vote(words, wrong, 1)
        with pytest.raises(ValueError, match="neighbors must name rows of words"):
            _engine.share_a_label(words, wrong, words[[0, 0, 0, 0]])
        with pytest.raises(ValueError, match="neighbors must name rows of points"):
            _engine.euclidean_within(np.zeros((3, 5)), wrong)
    for needed in (0, 3):
        with pytest.raises(ValueError, match="needed must be from 1"):
            _engine.vote(words, neighbors, needed)
    for proposed in (words, np.zeros((4, 1), dtype=np.uint64)):
        with pytest.raises(ValueError, match="proposed must fit"):
            _engine.share_a_label(words, neighbors, proposed)


def test_words_and_numbers_of_another_kind_are_refused():
    words = np.zeros((3, 2), dtype=np.uint64)
    neighbors = np.zeros((4, 2), dtype=np.int64)
    for wrong in ((words.astype(np.int64), neighbors), (words, neighbors.astype("i4"))):
        with pytest.raises(TypeError, match="incompatible function arguments"):
            _engine.vote(*wrong, 1)
    with pytest.raises(TypeError, match="incompatible function arguments"):
        _engine.euclidean_within(np.zeros((3, 2), dtype=np.float32), neighbors)
