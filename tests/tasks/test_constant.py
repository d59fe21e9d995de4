"""The constant predictor measured by counts is that measured cell by cell."""

import numpy as np
import pytest

from hilabel import Hierarchy
from hilabel.classifiers import PriorClassifier
from hilabel.metrics import average_precision
from hilabel.model_selection import LabeledKFold, out_of_fold_scores
from hilabel.tasks._constant import constant_average_precision


def test_counts_give_the_average_precision_of_all_cells():
    random = np.random.default_rng(0)
    tree = Hierarchy.from_edges([("0", "1"), ("0", "2"), ("2", "3")], nodes="01234")
    Y = tree.close((random.random((50, 5)) < 0.3).astype(np.int8))
    Y[:7], Y[7:12, 4] = -1, -1
    some = Y.copy()
    some[:, 0] = -1
    folds = list(LabeledKFold(3, random_state=0).split(None, Y))
    rows = (Y >= 0).any(axis=1)
    scores = out_of_fold_scores(
        PriorClassifier(tree), np.zeros((50, 1)), Y, folds=folds
    )[rows]
    nodes = (np.arange(5) > 0, np.ones(5, dtype=bool))
    found = constant_average_precision(Y, nodes, tree, folds)
    expected = [average_precision(one[rows], scores) for one in (some, Y)]
    assert found == pytest.approx(expected, rel=1e-12)
