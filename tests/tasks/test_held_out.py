"""Scores of rows by models that have not seen their labels."""

import numpy as np
import pytest

from hilabel import Hierarchy
from hilabel._progress import say_nothing
from hilabel.classifiers import (
    HierarchicalNetwork,
    PredictiveClusteringForest,
    PriorClassifier,
)
from hilabel.model_selection import LabeledKFold
from hilabel.semi_supervised import Blend, LabelSpreading
from hilabel.tasks._held_out import held_out_scores

FOREST = PredictiveClusteringForest(n_estimators=5)


def network(**parameters):
    return HierarchicalNetwork(
        shape={"layers": (4,)}, n_members=2, n_folds=2, max_steps=15, **parameters
    )


@pytest.mark.parametrize(
    ("estimator", "expected"),
    [
        (PriorClassifier(), (False, False)),
        (Blend(candidates={"forest": FOREST}), (True, False)),
        (Blend(candidates={"spreading": LabelSpreading()}), (True, True)),
        (LabelSpreading(), (False, True)),
        (network(consistency=0.5), (True, True)),
        (network(), (True, False)),
    ],
)
def test_it_says_who_left_the_scores_and_whether_unlabelled_rows_could_matter(
    estimator, expected
):
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(40, 3)), rng.integers(0, 2, (40, 2))
    Y = np.where(np.arange(40)[:, None] < 30, labels, -1).astype(np.int8)
    estimator.set_params(hierarchy=Hierarchy(["a", "b"]))
    folds = list(LabeledKFold(3).split(None, Y))
    rows = np.arange(40) < 30
    found = held_out_scores(estimator, X, Y, rows, folds, say_nothing)
    assert (found.is_own, found.tried_unlabeled) == expected
    assert found.scores.shape == (30, 2)
