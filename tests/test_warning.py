"""Warnings name the line of the user, not one of the library."""

import warnings

import numpy as np
import pytest

from hilabel import Hierarchy
from hilabel.classifiers import LocalClassifierPerLevel
from hilabel.datasets import make_artificial
from hilabel.exceptions import HilabelWarning
from hilabel.metrics import average_precision
from hilabel.semi_supervised import SSHMCBLI, STML


def train_per_level():
    dag = Hierarchy.from_edges([("a", "c"), ("b", "c"), ("a", "b")])
    model = LocalClassifierPerLevel(dag, random_state=0)
    model.fit(np.eye(4), np.array([[1, 0, 0], [1, 1, 0], [1, 1, 1], [1, 0, 0]]))


def label_nothing():
    data = make_artificial()
    model = SSHMCBLI(data.hierarchy, similarity_threshold=1.0, random_state=0)
    model.fit(data.X_labeled, data.Y_labeled, 100 + data.X_unlabeled)


def self_train_on_nothing():
    data = make_artificial()
    model = STML(data.hierarchy, threshold=1.0, max_iter=1, random_state=0)
    model.fit(data.X_labeled, data.Y_labeled, data.X_unlabeled)


def measure_nothing():
    average_precision(np.zeros((2, 2)), np.zeros((2, 2)))


@pytest.mark.parametrize(
    "act", [train_per_level, label_nothing, self_train_on_nothing, measure_nothing]
)
def test_a_warning_points_to_this_file(act):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        act()
    ours = [item for item in caught if issubclass(item.category, HilabelWarning)]
    assert ours
    assert {item.filename for item in ours} == {__file__}
