"""What label frequencies score with rows in random order."""

from itertools import permutations

import numpy as np
import pytest

from hilabel.metrics import average_precision
from hilabel.semi_supervised._chance_precision import chance_precision


def chance(labels, prior):
    return chance_precision((labels == 1).sum(axis=0), (labels >= 0).sum(axis=0), prior)


def test_it_is_the_mean_over_all_orders_of_equal_scores():
    labels = np.array([[1, 0], [0, 1], [1, 0], [-1, 0]], np.int8)
    prior = np.array([2 / 3, 1 / 4])
    values = [
        average_precision(labels, prior + 1e-3 * np.column_stack([first, second]))
        for first in permutations(range(4))
        for second in permutations(range(4))
    ]
    assert chance(labels, prior) == pytest.approx(np.mean(values))
    # Nodes that are as frequent as each other are one tie.
    both = np.array([[1, 0], [0, 1]], np.int8)
    values = [
        average_precision(both, np.reshape(order, (2, 2)))
        for order in permutations(range(4))
    ]
    assert chance(both, np.array([0.5, 0.5])) == pytest.approx(np.mean(values))


def test_without_a_positive_label_there_is_none():
    assert np.isnan(chance(np.zeros((3, 2), np.int8), np.zeros(2)))
