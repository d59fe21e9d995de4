"""Cells counted by score, near enough to counting each."""

import numpy as np
import pytest

from hilabel._label_matrix import LabelMatrix
from hilabel._score_matrix import RepeatedScores, ScoreMatrix
from hilabel.exceptions import ScoreError
from hilabel.metrics import (
    ScoreCounts,
    average_precision,
    pooled_counts_and_precision,
)


@pytest.fixture(scope="module")
def cells():
    random = np.random.default_rng(0)
    scores = random.random((30, 4)).astype(np.float32)
    Y = (random.random(scores.shape) < scores).astype(np.int8)
    Y[:10, 1] = -1
    return Y, scores


def test_all_known_cells_are_counted_once(cells):
    Y, scores = cells
    counts = ScoreCounts.of(Y, scores)
    assert counts.n_cells.sum() == 110
    assert counts.n_positive.sum() == (Y == 1).sum()
    assert counts.total.sum() == pytest.approx(scores[Y >= 0].sum())
    without = ScoreCounts.of(Y, scores, np.arange(4) != 1)
    assert without.n_cells.sum() == 90


def test_matrices_are_counted_like_arrays(cells):
    Y, scores = cells
    expected = ScoreCounts.of(Y, scores)
    for exact in (True, False):
        matrix = ScoreMatrix(scores.shape, exact=exact)
        matrix.write(slice(None), scores)
        found = ScoreCounts.of(LabelMatrix.of(Y), matrix)
        np.testing.assert_array_equal(found.n_cells, expected.n_cells)
        np.testing.assert_array_equal(found.n_positive, expected.n_positive)
        np.testing.assert_allclose(found.total, expected.total, rtol=3e-4)


def test_scores_of_groups_are_counted_like_those_of_rows(cells):
    Y, scores = cells
    repeated = RepeatedScores(scores[:2], np.arange(30) % 2)
    found = ScoreCounts.of(LabelMatrix.of(Y), repeated)
    expected = ScoreCounts.of(Y, scores[np.arange(30) % 2])
    np.testing.assert_array_equal(found.n_cells, expected.n_cells)
    np.testing.assert_array_equal(found.n_positive, expected.n_positive)
    np.testing.assert_allclose(found.total, expected.total)


def test_the_error_is_the_mean_distance_of_the_bins():
    Y, scores = [[0, 0, 1, 0]], [[0.1, 0.2, 0.6, 0.8]]
    mean, share, n_cells = ScoreCounts.of(Y, scores).bins(2)
    np.testing.assert_allclose(mean, [0.15, 0.7])
    np.testing.assert_allclose(share, [0, 0.5])
    assert n_cells.tolist() == [2, 2]
    assert ScoreCounts.of(Y, scores).error(2) == pytest.approx(0.175)
    assert ScoreCounts.of(Y, scores).error(1, floor=0.5) == pytest.approx(0.2)
    assert np.isnan(ScoreCounts.of(Y, scores).error(floor=0.9))


def test_counts_and_precision_of_some_nodes_are_those_of_their_columns(cells):
    Y, scores = cells
    nodes = np.array([True, False, True, False])
    labels, matrix = LabelMatrix.of(Y), ScoreMatrix.of(scores)
    counts, precision = pooled_counts_and_precision(labels, matrix, nodes)
    assert precision == average_precision(Y[:, nodes], scores[:, nodes])
    expected = ScoreCounts.of(Y[:, nodes], scores[:, nodes])
    np.testing.assert_array_equal(counts.n_cells, expected.n_cells)
    nothing = pooled_counts_and_precision(labels[:0], matrix[:0], nodes)
    assert np.isnan(nothing[1])


def test_other_scores_than_probabilities_are_refused():
    with pytest.raises(ScoreError, match="from 0 to 1, got scores from -1 to 2"):
        ScoreCounts.of([[0, 1]], [[-1, 2]])
