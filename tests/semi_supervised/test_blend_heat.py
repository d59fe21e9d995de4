"""A large candidate first shows on a part of the rows what it can do."""

import numpy as np
import pytest

from hilabel.classifiers import PredictiveClusteringForest
from hilabel.datasets import make_hierarchical_classification
from hilabel.semi_supervised import Blend
from hilabel.semi_supervised._blend_heat import part_of
from hilabel.semi_supervised._blend_limits import Limits, Proposal
from hilabel.semi_supervised._blend_trials import Trials

LARGE = 5.0  # seconds, of ten


@pytest.fixture(scope="module")
def trials():
    rows = make_hierarchical_classification(2_600, 6, n_nodes=12, random_state=0)
    data = Blend(rows.hierarchy)._check_training_data(rows.X, rows.Y, None)
    return Trials(data, 5, 0, 1, Limits(10.0, np.inf, is_given=False))


def forest(**parameters):
    return PredictiveClusteringForest(n_estimators=10, **parameters)


def test_a_part_has_a_ninth_to_train_on_and_none_of_the_rows_to_score(trials):
    data = trials.data
    part = part_of(data, seed=0)
    assert part.sets_rows_aside
    assert (part.fold == 0).sum() == (data.fold == 0).sum()
    assert (part.fold < 0).sum() == (data.fold > 0).sum() // 9


def test_with_few_rows_a_part_says_nothing(trials):
    assert part_of(trials.data.without_rows(np.arange(2_600) >= 900), seed=0) is None


def test_what_is_far_below_the_best_is_given_up_and_says_so(trials):
    trials.run("good", Proposal(forest(), "", LARGE), may_fail=False)
    trials.run("poor", Proposal(forest(max_depth=1), "", LARGE), may_fail=False)
    trials.run("small", Proposal(forest(max_depth=1), "", 0.1), may_fail=False)
    good, poor, small = trials.records
    assert good.was_tried
    assert poor.status == "skipped"
    assert poor.reason.startswith("trained on a ninth of the rows, it scores 0.")
    assert poor.expected_seconds == LARGE
    assert small.was_tried  # no heat for what takes little time
    assert small.score < good.score - 0.1
