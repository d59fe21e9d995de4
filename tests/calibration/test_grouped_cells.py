"""Cells by node and group of scores: each known cell is counted once."""

import numpy as np
import pytest

from hilabel._label_matrix import LabelMatrix
from hilabel._score_matrix import ScoreMatrix
from hilabel.calibration._grouped_cells import GroupedCells


@pytest.fixture(scope="module")
def cells():
    random = np.random.default_rng(0)
    scores = random.random((200, 7)).astype(np.float32) ** 2
    Y = (random.random(scores.shape) < scores).astype(np.int8)
    Y[random.random(200) < 0.3, :3] = -1
    return Y, scores, GroupedCells(LabelMatrix.of(Y), ScoreMatrix.of(scores))


@pytest.mark.parametrize("rows", [slice(None), slice(20, 50), np.array([3, 1, 199])])
def test_counts_are_those_of_the_rows(cells, rows):
    Y, _, grouped = cells
    n_cells, n_positive = grouped.count(rows)
    np.testing.assert_array_equal(n_cells.sum(axis=1), (Y[rows] >= 0).sum(axis=0))
    np.testing.assert_array_equal(n_positive.sum(axis=1), (Y[rows] == 1).sum(axis=0))
    assert (n_positive <= n_cells).all()


def test_scores_of_groups_are_the_means_of_their_cells(cells):
    Y, scores, grouped = cells
    n_cells, _ = grouped.count(slice(None))
    total = (grouped.score * n_cells).sum()
    assert total == pytest.approx(scores[Y >= 0].sum(), rel=1e-5)


def test_groups_ascend_and_are_fine_where_positives_are_expected(cells):
    grouped = cells[2]
    assert (np.diff(grouped.score) > 0).all()
    assert 100 < grouped.score.size <= 256
    assert (grouped.score > 0.5).sum() > 50
