"""Votes, ties, and proposals that are consistent with the hierarchy."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from strategies import hierarchies

from hilabel import Hierarchy, _engine
from hilabel._validation import implied_cells
from hilabel.pseudo_labeling import pack_labels, unpack_labels
from hilabel.pseudo_labeling._voting import (
    single_paths,
    vote_among_knowers,
    votes_needed,
)


def propose(labels, neighbors, threshold):
    needed = votes_needed(neighbors.shape[1], threshold)
    words = _engine.vote(pack_labels(labels), neighbors, needed)
    return unpack_labels(words, labels.shape[1])


def test_worked_votes_of_three_neighbours():
    labels = np.zeros((3, 6), dtype=bool)
    for row, nodes in enumerate([[0, 1, 3, 4], [0, 1, 4], [1, 5]]):
        labels[row, nodes] = True
    proposed = propose(labels, np.array([[0, 1, 2]]), 0.5)
    assert np.flatnonzero(proposed[0]).tolist() == [0, 1, 4]


def test_a_neighbour_listed_for_two_rows_votes_in_both():
    labels = np.array([[True, False], [False, True]])
    proposed = propose(labels, np.array([[0, 0], [0, 1]]), 1.0)
    assert proposed.tolist() == [[True, False], [False, False]]


@pytest.mark.parametrize("k", range(1, 12))
def test_a_share_equal_to_the_threshold_is_enough(k):
    for count in range(1, k + 1):
        # The threshold as a user writes it, rounded just as the share is.
        assert votes_needed(k, count / k) == count


@given(hierarchies(), st.data())
def test_closed_neighbours_give_closed_proposals(hierarchy, data):
    random = np.random.default_rng(data.draw(st.integers(0, 999)))
    labels = hierarchy.close(random.random((8, hierarchy.n_nodes)) < 0.3)
    k = data.draw(st.integers(1, 5))
    neighbors = random.integers(0, 8, size=(6, k))
    threshold = data.draw(st.sampled_from([0.01, 0.3, 0.5, 0.7, 1.0]))
    proposed = propose(labels, neighbors, threshold)
    np.testing.assert_array_equal(hierarchy.close(proposed), proposed)


def paths_of(hierarchy, nodes):
    labels = np.zeros((len(nodes), hierarchy.n_nodes), dtype=bool)
    labels[np.arange(len(nodes)), nodes] = True
    return hierarchy.close(labels)


@given(hierarchies(tree=True), st.data())
def test_single_paths_are_one_closed_path_inside_the_proposal(hierarchy, data):
    random = np.random.default_rng(data.draw(st.integers(0, 999)))
    labels = paths_of(hierarchy, random.integers(0, hierarchy.n_nodes, size=7))
    k = data.draw(st.integers(1, 4))
    neighbors = random.integers(0, 7, size=(5, k))
    proposed = propose(labels, neighbors, 0.5)
    cut = single_paths(proposed, labels, neighbors)
    assert not (cut & ~proposed).any()
    np.testing.assert_array_equal(hierarchy.close(cut), cut)
    assert (hierarchy.most_specific(cut).sum(axis=1) <= 1).all()
    # Something is left of every proposal, since some neighbour voted for it.
    np.testing.assert_array_equal(cut.any(axis=1), proposed.any(axis=1))


def test_split_vote_goes_to_the_longer_shared_path_then_to_the_nearer_neighbour():
    h = Hierarchy.from_edges([("a", "c"), ("b", "d")])
    node = h.node
    labels = paths_of(h, [node("a"), node("d"), node("c")])
    proposed = np.ones((2, 4), dtype=bool)
    cut = single_paths(proposed, labels, np.array([[0, 1], [2, 1]]))
    assert [h.names[n] for n in np.flatnonzero(cut[0])] == ["b", "d"]
    assert [h.names[n] for n in np.flatnonzero(cut[1])] == ["a", "c"]


# Labels known in part ---------------------------------------------------------------


def test_worked_votes_among_those_who_know():
    labels = np.array([[1, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]], dtype=bool)
    known = np.array([[1, 1, 0, 0], [1, 1, 1, 0], [0, 0, 0, 0]], dtype=bool)
    proposed, is_known = vote_among_knowers(labels, known, np.array([[0, 1, 2]]), 0.5)
    # Both who know have the first, one of two the second, and nobody knows the last.
    assert proposed.tolist() == [[True, True, False, False]]
    assert is_known.tolist() == [[True, True, True, False]]
    strict, _ = vote_among_knowers(labels, known, np.array([[0, 1, 2]]), 0.6)
    assert strict.tolist() == [[True, False, False, False]]


@given(hierarchies(), st.integers(0, 999), st.sampled_from([0.01, 0.5, 0.7, 1.0]))
def test_what_is_voted_among_those_who_know_is_closed(hierarchy, seed, threshold):
    random = np.random.default_rng(seed)
    shape = (8, hierarchy.n_nodes)
    labels = hierarchy.close(random.random(shape) < 0.2)
    known = implied_cells(labels, ~labels & (random.random(shape) < 0.3), hierarchy)
    neighbors = random.integers(0, 8, size=(6, 4))
    proposed, is_known = vote_among_knowers(labels, known, neighbors, threshold)
    np.testing.assert_array_equal(hierarchy.close(proposed), proposed)
    assert not (proposed & ~is_known).any()
    implied = implied_cells(proposed, is_known & ~proposed, hierarchy)
    np.testing.assert_array_equal(implied, is_known)
