"""A table model of arrays: as a model of tables, if out-of-fold scores are given."""

import numpy as np
import pytest

from hilabel.classifiers import PredictiveClusteringForest
from hilabel.datasets import make_artificial
from hilabel.exceptions import ParameterError
from hilabel.model_selection import out_of_fold_scores
from hilabel.models import model_of_estimator
from hilabel.persistence import load_model, save_model


@pytest.fixture(scope="module")
def data():
    return make_artificial()


@pytest.fixture(scope="module")
def forest(data):
    forest = PredictiveClusteringForest(data.hierarchy, n_estimators=20, random_state=0)
    return forest.fit(data.X_labeled, data.Y_labeled)


@pytest.fixture(scope="module")
def scores(data, forest):
    return out_of_fold_scores(forest, data.X_labeled, data.Y_labeled)


def test_out_of_fold_scores_are_judged_and_kept(data, forest, scores, tmp_path):
    model = model_of_estimator(
        forest, data.X_labeled, data.Y_labeled, out_of_fold=scores
    )
    assert model.judgement.measured_on == "out of fold"
    assert model.decision.is_measured
    again = load_model(save_model(model, tmp_path / "m.hilabel"))
    assert again.summary == model.summary
    X, ids = np.asarray(data.X_labeled, dtype=float), model.sample_ids
    assert (again.left_out_rows(X, ids) == np.arange(len(X))).all()
    found = again.probabilities_of(X, ids)
    shown = found > 0
    np.testing.assert_allclose(found[shown], scores[shown], rtol=1e-6)


def test_without_them_nothing_is_measured(data, forest):
    model = model_of_estimator(forest, data.X_labeled, data.Y_labeled)
    assert (model.judgement, model.left_out) == (None, None)
    assert not model.decision.is_measured
    np.testing.assert_allclose(model.prior, data.Y_labeled.mean(axis=0))
    assert model.feature_names == ("feature 0", "feature 1")


def test_names_and_ids_may_be_given(data, forest):
    ids = [f"row {number}" for number in range(len(data.X_labeled))]
    model = model_of_estimator(
        forest, data.X_labeled, data.Y_labeled, ids=ids, feature_names=["x", "y"]
    )
    assert model.sample_ids == tuple(ids)
    assert model.feature_names == ("x", "y")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"ids": ["a"]}, "Expected an id for each of"),
        ({"feature_names": ["x"]}, "Expected a name for each of 2 features"),
        ({"feature_names": ["x", "x"]}, "all different"),
        ({"out_of_fold": np.zeros((2, 2))}, "Expected out-of-fold scores of shape"),
        ({"out_of_fold": "nan"}, "from 0 to 1 for all labelled rows"),
        ({"fold": [0, 1]}, "Expected a fold for each of"),
    ],
)
def test_what_does_not_match_is_named(wrong, message, data, forest, scores):
    given = {"out_of_fold": scores, **wrong}
    if isinstance(given["out_of_fold"], str):
        given["out_of_fold"] = np.full_like(scores, np.nan)
    with pytest.raises(ParameterError, match=message):
        model_of_estimator(forest, data.X_labeled, data.Y_labeled, **given)


def test_labels_of_other_rows_are_refused(data, forest):
    with pytest.raises(ParameterError, match="pass X too"):
        model_of_estimator(forest, y=data.Y_labeled)
    with pytest.raises(TypeError, match="Expected a fitted hierarchical classifier"):
        model_of_estimator(object())


def test_the_folds_of_the_scores_are_those_of_the_judgement(data, forest, scores):
    judged = model_of_estimator(
        forest, data.X_labeled, data.Y_labeled, out_of_fold=scores
    ).judgement
    fold = np.zeros(len(scores), dtype=int)
    fold[::2] = 1
    other = model_of_estimator(
        forest, data.X_labeled, data.Y_labeled, out_of_fold=scores, fold=fold
    ).judgement
    assert other.n_folds == 2
    assert other.raw.micro == judged.raw.micro
    assert other.constant.micro != judged.constant.micro
