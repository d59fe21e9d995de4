"""From scores of unseen rows to a judgement, whose numbers agree with each other."""

from dataclasses import replace

import numpy as np
import pytest
from judgement_cases import ALL, HIERARCHY, OTHER, compact, out_of_fold, scored_rows

from hilabel import Hierarchy
from hilabel._label_matrix import LabelMatrix
from hilabel._score_matrix import ScoreMatrix
from hilabel.calibration import calibrate_by_folds
from hilabel.judgement import (
    OUT_OF_FOLD,
    TEST_ROWS,
    choose_decision,
    judge,
    judge_hidden,
    judge_predictions,
    measure_table,
    node_table,
)
from hilabel.metrics import (
    ScoreCounts,
    average_precision,
    constant_predictor,
    fmax,
    information_accretion,
    per_node_table,
    reliable_nodes,
    smin,
)

INFORMATIVE = np.arange(HIERARCHY.n_nodes) != ALL
MEASURES = ("micro", "macro", "fmax", "smin")


@pytest.fixture(scope="module")
def rows():
    return scored_rows()


@pytest.fixture(scope="module")
def judged(rows):
    return judge(out_of_fold(*rows), HIERARCHY, method="m", calibrate=False)


@pytest.fixture(scope="module")
def calibrated():
    Y, scores = scored_rows(600, sharpness=0.3)
    return Y, scores, judge(out_of_fold(Y, scores), HIERARCHY, method="m")


# What is measured ---------------------------------------------------------------------


def test_measures_leave_out_the_root_that_all_rows_have(rows, judged):
    Y, scores = rows
    found = judged.judgement
    np.testing.assert_array_equal(found.informative, INFORMATIVE)
    labels, values = Y[:, INFORMATIVE], scores[:, INFORMATIVE]
    assert found.raw.micro == average_precision(labels, values)
    assert found.raw.macro == pytest.approx(average_precision(labels, values, "macro"))
    assert found.raw.fmax == fmax(labels, values).value
    bits = information_accretion(Y, HIERARCHY)[INFORMATIVE]
    assert found.raw.smin == pytest.approx(smin(labels, values, bits).value)
    assert (found.n_rows, found.n_folds, found.measured_on) == (300, 5, OUT_OF_FOLD)


def test_a_root_that_some_rows_lack_is_measured_and_predicted(rows, judged):
    Y, scores = rows
    assert 0 < Y[:, OTHER].mean() < 0.5
    found = judged.judgement
    expected = average_precision(Y[:, [OTHER]], scores[:, [OTHER]])
    assert found.node_quality[OTHER] == pytest.approx(expected)
    decided = found.decision.labels(scores, HIERARCHY)
    assert decided[:, OTHER].any()


def test_a_root_counts_only_where_its_aspect_is_known(rows):
    Y, scores = rows
    Y = Y.copy()
    Y[:, OTHER] = np.where(np.arange(300) < 100, 1, -1)
    found = judge(out_of_fold(Y, scores), HIERARCHY, method="m").judgement
    assert np.flatnonzero(~found.informative).tolist() == [ALL, OTHER]
    assert found.n_known[OTHER] == 0


def test_rows_with_nothing_but_the_root_count_in_decisions(rows, judged):
    Y, scores = rows
    empty = ~Y[:, INFORMATIVE].any(axis=1)
    assert empty.sum() > 50
    few = judge(
        out_of_fold(Y[~empty], scores[~empty]), HIERARCHY, method="m", calibrate=False
    )
    every, others = judged.judgement.decision, few.judgement.decision
    assert every.overall > others.overall


def test_the_constant_predictor_is_judged_on_the_same_cells(rows, judged):
    Y, scores = rows
    found = out_of_fold(Y, scores)
    constant = constant_predictor(found.labels, found.fold, HIERARCHY)
    own = judge(replace(found, scores=constant), HIERARCHY, method="m", calibrate=False)
    for name in MEASURES:
        expected = getattr(judged.judgement.constant, name)
        assert getattr(own.judgement.raw, name) == expected
        assert getattr(own.judgement.constant, name) == expected
    assert own.judgement.is_no_better
    assert not judged.judgement.is_no_better
    assert judged.judgement.constant.micro < judged.judgement.raw.micro


def test_nodes_are_reliable_by_their_raw_scores(rows, judged):
    Y, scores = rows
    expected = reliable_nodes(per_node_table(Y, scores, HIERARCHY))
    np.testing.assert_array_equal(
        judged.judgement.reliable[INFORMATIVE], expected[INFORMATIVE]
    )


def test_without_a_label_nothing_is_known():
    scores = np.random.default_rng(0).random((20, 2))
    flat = Hierarchy(["a", "b"])
    found = judge(out_of_fold(np.zeros((20, 2)), scores), flat, method="m").judgement
    assert np.isnan([found.raw.micro, found.constant.micro, found.decision.f1]).all()
    assert found.groups == ()
    assert found.is_no_better
    assert found.why_not_calibrated == "0 labels are too few: it takes 50"


# Numbers that agree -------------------------------------------------------------------


@pytest.mark.parametrize("case", ["raw", "calibrated"])
def test_numbers_of_one_judgement_agree(case, judged, calibrated):
    found = {"raw": judged, "calibrated": calibrated[2]}[case].judgement
    quality, nodes = found.quality, node_table(found, HIERARCHY)
    assert found.groups[0].average_precision == pytest.approx(quality.micro)
    assert found.groups[0].constant == pytest.approx(found.constant.micro)
    assert found.constant_group.average_precision == pytest.approx(found.constant.micro)
    assert nodes["average_precision"].mean() == pytest.approx(quality.macro)
    assert found.quality.by_fold.size == found.n_folds
    assert quality.by_fold.mean() == pytest.approx(quality.micro, abs=0.05)
    measures = measure_table(found).set_index("measure")
    assert measures.loc["micro average precision", "model"] == quality.micro
    assert measures.loc["precision", "model"] == found.decision.precision
    assert measures.loc["F1", "constant"] == found.constant_decision.f1
    assert found.groups[0].count.sum() <= found.n_known.sum()


def test_the_order_of_the_rows_does_not_matter(calibrated):
    Y, scores, judged = calibrated
    found = out_of_fold(Y, scores)
    order = np.random.default_rng(2).permutation(len(Y))
    turned = out_of_fold(Y[order], scores[order], fold=found.fold[order])
    other = judge(turned, HIERARCHY, method="m").judgement
    for name in MEASURES:
        expected = getattr(judged.judgement.quality, name)
        assert getattr(other.quality, name) == pytest.approx(expected, abs=1e-6)
    assert other.decision.f1 == pytest.approx(judged.judgement.decision.f1, abs=1e-6)
    assert other.error == pytest.approx(judged.judgement.error, abs=1e-6)


@pytest.mark.parametrize("sharpness", [0.3, 1.0])
def test_compact_scores_are_judged_like_others(sharpness):
    Y, scores = scored_rows(2_000, sharpness=sharpness)
    dense = out_of_fold(Y, scores)
    one = judge(dense, HIERARCHY, method="m", calibrate=False).judgement
    few = replace(dense, scores=compact(scores))
    other = judge(few, HIERARCHY, method="m", calibrate=False).judgement
    for name in ("micro", "macro", "fmax"):
        expected = getattr(one.quality, name)
        assert getattr(other.quality, name) == pytest.approx(expected, abs=1e-4)
        assert getattr(other.constant, name) == getattr(one.constant, name)
    assert other.quality.smin == pytest.approx(one.quality.smin, rel=1e-3)
    assert other.error == pytest.approx(one.error, abs=1e-4)
    assert other.decision.f1 == pytest.approx(one.decision.f1, abs=1e-3)
    np.testing.assert_array_equal(other.reliable, one.reliable)


# Calibration --------------------------------------------------------------------------


def test_calibration_is_kept_if_it_helps(calibrated):
    Y, scores, judged = calibrated
    found = judged.judgement
    assert found.calibrated is found.quality is not found.raw
    assert found.why_not_calibrated == ""
    assert found.error < 0.7 * found.raw_error
    fold = np.arange(len(Y)) % 5
    calibration, probabilities = calibrate_by_folds(Y, scores, fold, HIERARCHY)
    np.testing.assert_array_equal(judged.probabilities.read(), probabilities)
    np.testing.assert_array_equal(
        judged.calibration.transform(scores), calibration.transform(scores)
    )
    labels = Y[:, INFORMATIVE]
    for values, error, quality in (
        (scores, found.raw_error, found.raw),
        (probabilities, found.error, found.calibrated),
    ):
        own = values[:, INFORMATIVE]
        assert ScoreCounts.of(labels, own).error(floor=0.1) == pytest.approx(error)
        assert quality.micro == average_precision(labels, own)


def test_calibration_is_dropped_if_it_does_not_help():
    Y, scores = scored_rows(120, seed=2)
    judged = judge(out_of_fold(Y, scores), HIERARCHY, method="m")
    found = judged.judgement
    assert judged.calibration is found.calibrated is None
    assert found.quality is found.raw
    assert found.error == found.raw_error
    assert found.why_not_calibrated.startswith("it does not help: the mean error is ")
    np.testing.assert_array_equal(judged.probabilities.read(), scores)


@pytest.mark.parametrize(
    ("n_rows", "calibrate", "why"),
    [(600, False, "it was disabled"), (12, True, "labels are too few: it takes 50")],
)
def test_calibration_is_not_tried_without_need(n_rows, calibrate, why):
    Y, scores = scored_rows(n_rows, sharpness=0.3)
    judged = judge(out_of_fold(Y, scores), HIERARCHY, method="m", calibrate=calibrate)
    assert judged.calibration is None
    assert judged.judgement.why_not_calibrated.endswith(why)


# What is kept -------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_get_the_same_nodes_from_what_is_kept(dtype):
    Y, scores = scored_rows(400, seed=4)
    scores = scores.astype(dtype)
    if dtype is np.float64:
        scores *= 1 - 1e-9  # no score fits into single precision
    judged = judge(out_of_fold(Y, scores), HIERARCHY, method="m", calibrate=False)
    rule = judged.judgement.decision
    np.testing.assert_array_equal(
        rule.labels(judged.best.toarray(), HIERARCHY),
        rule.labels(judged.probabilities.read(), HIERARCHY),
    )
    labels = judged.labels.to_array()
    np.testing.assert_array_equal(labels[:, INFORMATIVE], Y[:, INFORMATIVE])
    assert (labels[:, ALL] == -1).all()


def test_rows_that_were_not_scored_have_nothing(judged):
    rows = np.flatnonzero(np.arange(375) % 5)
    spread = judged.best_of(rows, 375)
    assert spread.shape == (375, HIERARCHY.n_nodes)
    np.testing.assert_array_equal(spread[rows].toarray(), judged.best.toarray())
    assert spread[::5].nnz == 0


# Other rows ---------------------------------------------------------------------------


def predicted(rows, **options):
    Y, scores = rows
    labels = LabelMatrix.of(Y)
    rule = choose_decision(
        labels, ScoreMatrix.of(scores), np.arange(len(Y)) % 5, HIERARCHY
    )
    prior = np.linspace(1, 0.1, HIERARCHY.n_nodes)
    found = judge_predictions(
        labels,
        ScoreMatrix.of(scores),
        HIERARCHY,
        method="m",
        informative=INFORMATIVE,
        prior=prior,
        rule=rule,
        **options,
    )
    return rule, prior, found


def test_a_model_is_measured_with_its_own_rule_and_its_own_frequencies(rows):
    Y, scores = rows
    rule, prior, found = predicted(rows)
    assert found.measured_on == TEST_ROWS
    np.testing.assert_array_equal(found.decision.threshold, rule.threshold)
    labels = Y[:, INFORMATIVE]
    assert found.quality.micro == average_precision(labels, scores[:, INFORMATIVE])
    constant = np.tile(prior[INFORMATIVE], (len(Y), 1))
    assert found.constant.micro == average_precision(labels, constant)


def test_only_a_calibrated_model_is_said_to_be_calibrated(rows):
    _, _, found = predicted(rows)
    assert found.calibrated is found.raw
    assert np.isnan(found.raw_error)  # there are only probabilities
    _, _, found = predicted(rows, is_calibrated=False)
    assert found.calibrated is None
    assert found.error == found.raw_error
    assert found.why_not_calibrated == "the model does not calibrate"


def test_rows_that_were_hidden_are_calibrated_on_their_own():
    Y, scores = scored_rows(600, sharpness=0.3)
    calibration, quality = judge_hidden(out_of_fold(Y, scores), HIERARCHY)
    judged = judge(out_of_fold(Y, scores), HIERARCHY, method="m")
    assert quality == judged.judgement.quality.micro
    np.testing.assert_array_equal(
        calibration.transform(scores), judged.calibration.transform(scores)
    )
    nothing = judge_hidden(out_of_fold(0 * Y, scores), HIERARCHY)
    assert nothing[0] is None
    assert np.isnan(nothing[1])
