"""The same measures of the same cells, and how uncertain a difference is."""

from dataclasses import replace

import numpy as np
import pytest
from judgement_cases import HIERARCHY, compact, scored_rows

from hilabel._label_matrix import LabelMatrix
from hilabel._score_matrix import ScoreMatrix
from hilabel.judgement import Quality, standard_error
from hilabel.metrics import average_precision, information_accretion


@pytest.fixture(scope="module")
def measured():
    Y, scores = scored_rows(200)
    Y[:50, 4] = -1
    bits, fold = information_accretion(Y, HIERARCHY), np.arange(200) % 4
    labels = LabelMatrix.of(Y)
    return Y, scores, Quality.measure(labels, ScoreMatrix.of(scores), bits, fold)


def test_folds_and_nodes_are_measured_on_their_own(measured):
    Y, scores, quality = measured
    for number in range(4):
        rows = np.arange(200) % 4 == number
        expected = average_precision(Y[rows], scores[rows])
        assert quality.by_fold[number] == expected
    np.testing.assert_array_equal(quality.by_node, average_precision(Y, scores, None))
    assert quality.macro == pytest.approx(np.nanmean(quality.by_node))
    assert list(quality.measures().values()) == [
        quality.micro,
        quality.macro,
        quality.fmax,
        quality.smin,
    ]


def test_a_fold_without_a_label_has_no_measure(measured):
    Y, scores, _ = measured
    Y = Y.copy()
    Y[::4] = 0
    fold = np.arange(200) % 4
    quality = Quality.measure(LabelMatrix.of(Y), compact(scores), np.ones(7), fold)
    assert np.isnan(quality.by_fold).tolist() == [True, False, False, False]
    other = replace(quality, by_fold=quality.by_fold + np.arange(4) / 10)
    assert standard_error(quality, other) > 0  # of the three other folds


def test_the_error_of_a_difference_is_corrected_for_shared_rows(measured):
    quality = measured[2]
    other = replace(quality, by_fold=quality.by_fold - [0.1, 0.2, 0.1, 0.2])
    spread = np.std([0.1, 0.2, 0.1, 0.2], ddof=1)
    expected = spread * np.sqrt(1 / 4 + 1 / 3)
    assert standard_error(quality, other) == pytest.approx(expected)
    one_fold = replace(quality, by_fold=quality.by_fold[:1])
    assert np.isnan(standard_error(one_fold, one_fold))
