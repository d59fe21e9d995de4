"""Rows that are set aside: one model is trained without them, and scores them all."""

from dataclasses import replace

import numpy as np
import pytest

from hilabel.classifiers import PredictiveClusteringForest, PriorClassifier
from hilabel.datasets import make_artificial
from hilabel.judgement import judge
from hilabel.metrics import average_precision
from hilabel.model_selection import (
    draw_aside,
    rows_to_set_aside,
    score_out_of_fold,
)
from hilabel.semi_supervised import Blend


@pytest.fixture(scope="module")
def data():
    made = make_artificial()
    estimator = PriorClassifier(made.hierarchy)
    whole = estimator._check_training_data(made.X_test, made.Y_test, made.X_unlabeled)
    return replace(whole, fold=draw_aside(whole.Y, 40, random_state=0))


def test_all_rows_are_scored_unless_scores_would_be_too_many():
    assert rows_to_set_aside(2_000, 11_000) == 2_000
    assert rows_to_set_aside(60_000, 5_000) == 6_000  # a tenth
    assert rows_to_set_aside(15_000, 11_000) == 2_000  # enough
    assert rows_to_set_aside(8_000, 11_000) == 1_600  # at most a fifth
    assert rows_to_set_aside(10**6, 5_000) == 12_800
    assert rows_to_set_aside(10**6, 10**6) == 2_000


def test_rows_aside_have_labels_as_often_as_others(data):
    aside = data.fold >= 0
    assert aside.sum() == 40
    inside, outside = data.Y[aside], data.Y[~aside]
    shares = inside.n_positive / len(inside), outside.n_positive / len(outside)
    np.testing.assert_allclose(*shares, atol=1 / 40)


def test_one_model_scores_them_and_has_not_seen_them(data):
    forest = PredictiveClusteringForest(
        data.hierarchy, n_estimators=20, oob_score=True, random_state=0
    )
    found = score_out_of_fold(forest, data)
    aside = data.fold >= 0
    by_hand = forest.fit_checked(data.without_rows(aside))
    expected = by_hand.predict_proba(data.X_labeled[aside])
    np.testing.assert_allclose(found.scores.read(), expected, atol=1e-7)
    assert found.model is None
    assert found.n_others == data.n_labeled - 40


def test_the_constant_predictor_has_the_frequencies_of_the_others(data):
    found = score_out_of_fold(PriorClassifier(data.hierarchy), data)
    judged = judge(found, data.hierarchy, method="constant", calibrate=False)
    assert judged.judgement.n_others == data.n_labeled - 40
    assert judged.judgement.quality.micro == judged.judgement.constant.micro


def test_a_blend_chooses_on_them_and_trains_on_all(data):
    candidates = {
        "forest": PredictiveClusteringForest(n_estimators=20, random_state=0),
        "small": PredictiveClusteringForest(n_estimators=2, random_state=0),
    }
    blend = Blend(data.hierarchy, candidates=candidates, random_state=0)
    found = score_out_of_fold(blend, data)
    assert found.scores.shape[0] == 40
    assert found.model is not None
    member = found.model.members_["forest"]
    again = PredictiveClusteringForest(
        data.hierarchy, n_estimators=20, random_state=0
    ).fit_checked(data.without_unlabeled())
    X = data.X_labeled
    np.testing.assert_array_equal(member.predict_proba(X), again.predict_proba(X))
    known = found.labels.without_nodes(~data.informative)
    tried = next(one for one in found.model.candidates_ if one.name == "forest")
    alone = score_out_of_fold(
        candidates["forest"].set_params(hierarchy=data.hierarchy), data
    )
    assert tried.score == average_precision(known, alone.scores)
