"""Curves of all terms, and of the terms at each depth."""

import numpy as np
import pytest

from hilabel import Hierarchy
from hilabel._label_matrix import LabelMatrix
from hilabel._score_matrix import ScoreMatrix
from hilabel.calibration import PREDICTED_FROM, depth_groups, term_groups
from hilabel.constraints import cap_by_parents
from hilabel.metrics import average_precision, constant_predictor

HIERARCHY = Hierarchy.from_edges([("a", "b"), ("a", "c"), ("c", "d")])


@pytest.fixture(scope="module")
def measured():
    random = np.random.default_rng(0)
    scores = cap_by_parents(random.random((200, 4)), HIERARCHY)
    Y = HIERARCHY.close(random.random((200, 4)) < scores).astype(np.int8)
    Y[:40, 1] = -1
    labels = LabelMatrix.of(Y)
    constant = constant_predictor(labels, np.arange(200) % 5, HIERARCHY)
    names, masks = depth_groups(HIERARCHY, np.array([False, True, True, True]))
    groups = term_groups(labels, ScoreMatrix.of(scores), constant, names, masks)
    return Y, scores, constant, masks, groups


def test_curves_of_depths_are_those_of_their_terms(measured):
    Y, scores, constant, masks, groups = measured
    assert [group.label for group in groups] == ["all terms", "depth 2", "depth 3"]
    for group, mask in zip(groups, masks, strict=True):
        labels, values = Y[:, mask], scores[:, mask]
        assert group.average_precision == average_precision(labels, values)
        assert group.constant == average_precision(labels, constant.read()[:, mask])
        assert group.frequency == pytest.approx(
            (labels == 1).sum() / (labels >= 0).sum()
        )
        assert group.recall[-1] == 1
        # The area under the points is what they are points of.
        steps = np.diff(group.recall, prepend=0)
        assert steps @ group.precision == pytest.approx(
            group.average_precision, abs=0.02
        )
        assert group.count.sum() == (values[labels >= 0] >= PREDICTED_FROM).sum()


def test_groups_without_a_label_are_left_out(measured):
    Y, scores, constant, masks, _ = measured
    nothing = LabelMatrix.of(np.where(np.arange(4) == 3, 0, Y).astype(np.int8))
    names = ("all terms", "depth 2", "depth 3")
    found = term_groups(nothing, ScoreMatrix.of(scores), constant, names, masks)
    assert [group.label for group in found] == ["all terms", "depth 2"]


def test_deep_levels_are_one_group():
    chain = Hierarchy.from_edges([(str(n), str(n + 1)) for n in range(11)])
    names, masks = depth_groups(chain, np.ones(12, dtype=bool))
    assert names[-1] == "depth 8 and deeper"
    assert [int(mask.sum()) for mask in masks] == [12, *[1] * 7, 5]
