"""The calibration error of each node, compared with binning its rows."""

import numpy as np
import pytest

from hilabel._label_matrix import LabelMatrix
from hilabel._score_matrix import ScoreMatrix
from hilabel.calibration import node_errors


@pytest.fixture(scope="module")
def cells():
    random = np.random.default_rng(0)
    scores = random.random((200, 4)).astype(np.float32)
    Y = (random.random(scores.shape) < scores).astype(np.int8)
    Y[:, 0] = -1
    return Y, scores


def test_the_error_of_a_node_is_that_of_five_bins_of_its_rows(cells):
    Y, scores = cells
    found = node_errors(LabelMatrix.of(Y), ScoreMatrix.of(scores))
    assert np.isnan(found[0])
    for node in (1, 2, 3):
        order = np.argsort(scores[:, node])
        bins = np.split(scores[order, node] - (Y[order, node] == 1), 5)
        expected = np.mean([abs(part.mean()) for part in bins])
        assert found[node] == pytest.approx(expected, abs=1e-6)


def test_compact_scores_have_the_same_errors(cells):
    Y, scores = cells
    compact = ScoreMatrix(scores.shape, exact=False)
    compact.write(slice(None), scores)
    labels = LabelMatrix.of(Y)
    expected = node_errors(labels, ScoreMatrix.of(scores))
    np.testing.assert_allclose(node_errors(labels, compact), expected, atol=5e-4)


def test_few_rows_have_no_calibration_error(cells):
    Y, scores = cells
    few = node_errors(LabelMatrix.of(Y[:15]), ScoreMatrix.of(scores[:15]))
    assert np.isnan(few).all()
