"""What to look at first."""

import numpy as np
import pytest

from hilabel import Hierarchy
from hilabel.report.page._to_check import new_terms, surprising_labels, uncertainty

CHAIN = Hierarchy.from_edges([("a", "b"), ("b", "c")])
FREQUENCY = np.array([0.8, 0.4, 0.1])


def test_the_new_term_that_tells_most_is_probable_and_rare():
    probability = np.array([[0.95, 0.9, 0.35], [0.95, 0.9, 0.2], [0.9, 0.3, 0.1]])
    predicted = np.array([[1, 1, 1], [1, 1, 0], [1, 0, 0]], dtype=bool)
    known = np.zeros((3, 3), dtype=bool)
    known[2, 0] = True
    nodes, bits = new_terms(FREQUENCY, probability, predicted & ~known)
    # Bits: .95 log2(.95/.8) < .35 log2(.35/.1) < .9 log2(.9/.4)
    assert nodes.tolist()[:2] == [1, 1]
    assert bits[:2] == pytest.approx(0.9 * np.log2(0.9 / 0.4))
    assert bits[2] == 0  # it has the only term that is probable


def test_the_most_surprising_label_is_not_predicted_and_below_its_frequency():
    probability = np.array([[0.4, 0.2, 0.01], [0.9, 0.8, 0.31]])
    doubted = np.array([[1, 1, 1], [0, 0, 0]], dtype=bool)
    nodes, doubt = surprising_labels(FREQUENCY, probability, doubted)
    odds = np.log(FREQUENCY / (1 - FREQUENCY))
    far = odds - np.log(probability[0] / (1 - probability[0]))
    assert nodes[0] == far.argmax() == 2
    assert doubt[0] == pytest.approx(far.max())
    assert doubt[1] == 0


def test_a_row_is_uncertain_where_its_parents_are_there():
    half = np.array([[1.0, 0.5, 0.25], [0.0, 0.0, 0.0], [1.0, 1.0, 1.0]])
    # One bit for b and, half of the time, one for c.
    assert uncertainty(half, CHAIN) == pytest.approx([1.5, 0, 0])


def test_of_two_parents_the_least_probable_counts():
    diamond = Hierarchy.from_edges([("a", "c"), ("b", "c")])
    bits = uncertainty(np.array([[1.0, 0.2, 0.2]]), diamond)
    entropy = -(0.2 * np.log2(0.2) + 0.8 * np.log2(0.8))
    assert bits == pytest.approx([entropy])  # c is there wherever b is
