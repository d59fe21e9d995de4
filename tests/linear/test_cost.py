"""The cost that is chosen on rows set aside."""

import numpy as np
import pytest

from hilabel import Hierarchy
from hilabel._label_matrix import LabelMatrix
from hilabel.linear import LOSSES, LinearRows, LinearSettings, choose_cost

TREE = Hierarchy.from_edges([("a", "b"), ("a", "c")])


def chosen(noise, loss="logistic", n_columns=40):
    random = np.random.default_rng(0)
    X = random.normal(size=(400, n_columns))
    signal = X[:, :2] + noise * random.normal(size=(400, 2))
    b, c = (signal > 0.5).T
    labels = LabelMatrix.of(np.column_stack([b | c, b, c]).astype(np.int8))
    aside = np.arange(400) % 5 == 0
    return choose_cost(LinearRows(X), labels, TREE, LinearSettings(loss), aside)


@pytest.mark.parametrize("loss", LOSSES)
def test_noise_asks_for_a_stronger_penalty(loss):
    assert chosen(noise=4.0, loss=loss) < chosen(noise=0.1, loss=loss)


def test_costs_are_relative_to_the_length_of_rows():
    rows = np.random.default_rng(0).normal(size=(100, 3))
    labels = LabelMatrix.of((rows > 0).astype(np.int8))
    h, aside = Hierarchy.from_edges([], nodes="abc"), np.arange(100) < 20
    costs = [
        choose_cost(LinearRows(rows * length), labels, h, LinearSettings(), aside)
        for length in (10, 100)
    ]
    assert costs[0] == pytest.approx(100 * costs[1], rel=1e-3)


def test_without_positives_on_rows_set_aside_the_usual_cost_is_taken():
    labels = LabelMatrix.of(np.repeat([[1], [0]], 5, axis=0))
    rows, aside = LinearRows(np.eye(10)), np.arange(10) > 4
    h = Hierarchy.from_edges([], nodes="a")
    assert choose_cost(rows, labels, h, LinearSettings(), aside) == pytest.approx(10.0)
