"""What is kept of scores of rows left out."""

import numpy as np
import pytest

from hilabel import Hierarchy
from hilabel.calibration import HeldOutRecord, depth_groups
from hilabel.constraints import cap_by_parents
from hilabel.metrics import average_precision

HIERARCHY = Hierarchy.from_edges([("a", "b"), ("a", "c"), ("c", "d")])


@pytest.fixture(scope="module")
def measured():
    random = np.random.default_rng(0)
    scores = cap_by_parents(random.random((200, 4)), HIERARCHY)
    Y = HIERARCHY.close(random.random((200, 4)) < scores).astype(np.int8)
    Y[:40, 1] = -1
    names, masks = depth_groups(HIERARCHY, np.array([False, True, True, True]))
    record = HeldOutRecord.measure(
        Y, scores, HIERARCHY, names, masks, [0.1] * len(names)
    )
    return Y, scores, masks, record


def test_curves_of_depths_are_those_of_their_terms(measured):
    Y, scores, masks, record = measured
    assert [group.label for group in record.groups] == [
        "all terms",
        "depth 2",
        "depth 3",
    ]
    for group, mask in zip(record.groups, masks, strict=True):
        labels, values = Y[:, mask], scores[:, mask]
        assert group.average_precision == average_precision(labels, values)
        assert group.frequency == pytest.approx(
            (labels == 1).sum() / (labels >= 0).sum()
        )
        assert group.recall[-1] == 1
        # The area under the points is what they are points of.
        steps = np.diff(group.recall, prepend=0)
        assert steps @ group.precision == pytest.approx(
            group.average_precision, abs=0.02
        )
        assert group.count.sum() == (values[labels >= 0] >= 0.1).sum()


def test_the_error_of_a_term_is_that_of_five_bins_of_its_rows(measured):
    Y, scores, _, record = measured
    order = np.argsort(scores[:, 3])
    bins = np.split(scores[order, 3] - (Y[order, 3] == 1), 5)
    expected = np.mean([abs(part.mean()) for part in bins])
    assert record.term_error[3] == pytest.approx(expected)


def test_few_rows_have_no_calibration_error(measured):
    Y, scores, masks, _ = measured
    few = HeldOutRecord.measure(
        Y[40:55], scores[40:55], HIERARCHY, ["all"], masks[:1], [0.1]
    )
    assert np.isnan(few.term_error).all()


def test_of_many_terms_the_most_probable_are_kept_and_all_labels():
    flat = Hierarchy([str(node) for node in range(100)])
    scores = np.linspace(0, 0.99, 100)[None].repeat(2, axis=0)
    Y = np.zeros((2, 100), dtype=np.int8)
    Y[0, 3] = 1
    record = HeldOutRecord.measure(Y, scores, flat, [], [], [])
    assert record.scores[[0]].indices.tolist() == [3, *range(36, 100)]
    assert record.scores[[1]].indices.tolist() == [*range(36, 100)]


def test_rows_that_were_not_scored_have_nothing(measured):
    *_, record = measured
    rows = np.ones(250, dtype=bool)
    rows[::5] = False
    spread = record.spread_over(rows).scores
    assert spread.shape == (250, 4)
    np.testing.assert_array_equal(spread[rows].toarray(), record.scores.toarray())
    assert spread[~rows].nnz == 0
