"""A training that takes very long is told of before it starts."""

import numpy as np
import pytest

from hilabel import Hierarchy
from hilabel.datasets import HMCDataset
from hilabel.exceptions import HilabelWarning
from hilabel.tasks import FitChoices
from hilabel.tasks._build import build_estimator
from hilabel.tasks._cost import training_seconds, warn_of_time


def data_of(n_rows, n_nodes):
    Y = np.zeros((n_rows, n_nodes), dtype=np.int8)
    Y[:, 0] = 1
    hierarchy = Hierarchy([str(node) for node in range(n_nodes)])
    return HMCDataset(np.zeros((n_rows, 4)), Y, hierarchy, tuple("abcd"))


def warn(data, n_trainings=4, **choices):
    estimator, _ = build_estimator(FitChoices(**choices), data)
    warn_of_time(estimator, data, n_trainings)


def test_a_model_per_term_is_told_of_where_terms_are_many():
    words = "LocalClassifierPerNode may take about 53 min of one core"
    with pytest.warns(HilabelWarning, match=words):
        warn(data_of(100, 8000), base="sklearn-forest")


def test_networks_grow_with_the_terms_and_the_steps():
    data = data_of(100, 4000)
    with pytest.warns(
        HilabelWarning, match=r"HierarchicalNetwork may take about 2.* h"
    ):
        warn(data, 1, method="HierarchicalNetwork")
    few = build_estimator(
        FitChoices(method="HierarchicalNetwork", parameters={"max_steps": 50}), data
    )[0]
    assert training_seconds(few, data) < 120


def test_self_training_trains_again_and_again():
    data = data_of(2000, 100)
    data.Y[600:] = -1
    one, again = (
        training_seconds(build_estimator(FitChoices(**how), data)[0], data)
        for how in ({"base": "forest"}, {"method": "STML"})
    )
    assert again == pytest.approx(10 * 2000 / 600 * one)


def test_neighbours_grow_with_the_square_of_the_rows():
    with pytest.warns(HilabelWarning, match="SSHMCBLI may take about"):
        warn(data_of(90_000, 800), 12, method="SSHMCBLI")


@pytest.mark.filterwarnings("error")
def test_what_takes_minutes_is_not_told_of():
    warn(data_of(100, 100), base="logistic")
    warn(data_of(6_000, 800), 12, method="SSHMCBLI")
    warn(data_of(60_000, 800))
