"""What to look at first."""

import numpy as np
import pytest

from hilabel import Hierarchy
from hilabel.report.page import AboutModel
from hilabel.report.page._to_check import (
    new_terms,
    predicted_terms,
    surprising_labels,
    uncertainty,
)

CHAIN = Hierarchy.from_edges([("a", "b"), ("b", "c")])


@pytest.fixture
def about():
    return AboutModel(
        title="",
        method="",
        settings="",
        hierarchy=CHAIN,
        aspects=None,
        n_positive=np.array([80, 40, 10]),
        frequency=np.array([0.8, 0.4, 0.1]),
        says=np.array([True, True, True]),
        thresholds=np.array([0.5, 0.5, 0.3]),
    )


def test_the_new_term_that_tells_most_is_probable_and_rare(about):
    probability = np.array([[0.95, 0.9, 0.35], [0.95, 0.9, 0.2], [0.9, 0.3, 0.1]])
    known = np.zeros((3, 3), dtype=bool)
    known[2, 0] = True
    predicted = predicted_terms(about, probability)
    nodes, told = new_terms(about, probability, predicted & ~known)
    # Bits: .95 log2(.95/.8) < .35 log2(.35/.1) < .9 log2(.9/.4)
    assert nodes.tolist()[:2] == [1, 1]
    assert told[:2] == pytest.approx(0.9 * np.log2(0.9 / 0.4))
    assert told[2] == 0  # it has the only term that is probable


def test_the_most_surprising_label_is_below_its_threshold_and_its_frequency(about):
    probability = np.array([[0.4, 0.2, 0.01], [0.9, 0.8, 0.31]])
    known = np.ones((2, 3), dtype=bool)
    doubted = known & ~predicted_terms(about, probability)
    nodes, doubt = surprising_labels(about, probability, doubted)
    odds = np.log(about.frequency / (1 - about.frequency))
    far = odds - np.log(probability[0] / (1 - probability[0]))
    assert nodes[0] == far.argmax() == 2
    assert doubt[0] == pytest.approx(far.max())
    assert doubt[1] == 0


def test_what_is_above_a_predicted_term_is_predicted(about):
    probability = np.array([[0.4, 0.4, 0.35], [0.6, 0.4, 0.2]])
    assert predicted_terms(about, probability).tolist() == [
        [True, True, True],  # c passes, so that a and b hold, below 0.5 as they are
        [True, False, False],
    ]


def test_a_row_is_uncertain_where_its_parents_are_there():
    half = np.array([[1.0, 0.5, 0.25], [0.0, 0.0, 0.0], [1.0, 1.0, 1.0]])
    # One bit for b and, half of the time, one for c.
    assert uncertainty(half, CHAIN) == pytest.approx([1.5, 0, 0])


def test_of_two_parents_the_least_probable_counts():
    diamond = Hierarchy.from_edges([("a", "c"), ("b", "c")])
    bits = uncertainty(np.array([[1.0, 0.2, 0.2]]), diamond)
    entropy = -(0.2 * np.log2(0.2) + 0.8 * np.log2(0.8))
    assert bits == pytest.approx([entropy])  # c is there wherever b is
