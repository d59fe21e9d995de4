"""Neighbours by links, against plain loops."""

import numpy as np
from hypothesis import given, strategies as st
from link_view_cases import make_links

from hilabel.links import Links
from hilabel.pseudo_labeling import LinkDistances, LinkedNeighbors, strongest_links

seeds = st.integers(0, 9_999)


def all_distances(links):
    """Distances of all pairs of rows, from the larger weight of both directions."""
    both = np.maximum(links, links.T)
    some = both[both > 0]
    distances = 1 / (1 + both / (np.median(some) if some.size else 1))
    np.fill_diagonal(distances, 0)
    return distances


def slow_nearest(links, n_labeled, active, k, exclude_self):
    """The nearest linked rows of each unlabelled row, repeated if there are few."""
    gaps, both = all_distances(links), np.maximum(links, links.T)
    found = []
    for row in range(n_labeled, len(links)):
        others = [
            other
            for other in range(len(links))
            if both[row, other] > 0 and (other < n_labeled or active[other - n_labeled])
        ]
        others.sort(key=lambda other: (gaps[row, other], other))
        near = [(other, gaps[row, other]) for other in others]
        if near and active[row - n_labeled] and not exclude_self:
            near.insert(0, (row, 0.0))
        near = (near or [(row, 1.0)])[:k]
        found.append([near[place % len(near)] for place in range(k)])
    return np.array(found).reshape(-1, k, 2)


@given(seeds, st.integers(1, 5), st.booleans(), st.sampled_from([0.0, 0.3, 1.0]))
def test_neighbours_are_the_strongest_links(seed, k, exclude_self, density):
    links = make_links(seed, density=density)
    active = np.random.default_rng(seed).random(7) < 0.5
    neighbors = LinkedNeighbors(LinkDistances(Links.of(links, 12)), 5)
    indices, distances = neighbors.nearest(active, k, exclude_self=exclude_self)
    expected = slow_nearest(links, 5, active, k, exclude_self)
    np.testing.assert_array_equal(indices, expected[:, :, 0])
    np.testing.assert_allclose(distances, expected[:, :, 1])


@given(seeds, st.sampled_from([0.0, 0.4]))
def test_distances_between_neighbours_are_those_of_all_pairs(seed, density):
    links = make_links(seed, density=density)
    neighbors = np.random.default_rng(seed).integers(0, 12, (9, 4))
    found = LinkDistances(Links.of(links, 12)).within(None, neighbors)
    expected = all_distances(links)[neighbors[:, :, None], neighbors[:, None, :]]
    np.testing.assert_allclose(found, expected)


@given(seeds)
def test_strongest_links_of_new_rows_have_the_scale_of_training(seed):
    links, new = make_links(seed), make_links(seed + 1, 3, 12)
    targets, distances = strongest_links(
        Links.of(new, 3, 12), Links.of(links, 12), n_most=2
    )
    both = np.maximum(links, links.T)
    median = np.median(both[both > 0]) if both.any() else 1
    for weights, found, far in zip(new, targets, distances, strict=True):
        order = [t for t in np.argsort(-weights, kind="stable") if weights[t] > 0][:2]
        np.testing.assert_array_equal(found, np.array(order, dtype=int))
        np.testing.assert_allclose(far, 1 / (1 + weights[order] / median))
