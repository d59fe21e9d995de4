"""The default method: unlabelled rows where they help, and an honest word on it."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_moons

from hilabel import Hierarchy
from hilabel.classifiers import (
    LogisticClassifier,
    NeighborsClassifier,
    PredictiveClusteringForest,
)
from hilabel.metrics import average_precision
from hilabel.persistence import load_model, save_model
from hilabel.semi_supervised import (
    Blend,
    LabelSpreading,
    ViewsClassifier,
)
from hilabel.semi_supervised._blend_candidates import MOST_CELLS
from hilabel.testing import make_problem

FEW = {
    "logistic": LogisticClassifier(),
    "neighbours": NeighborsClassifier(n_neighbors=5),
    "spreading": LabelSpreading(),
    "views": ViewsClassifier(estimator=LogisticClassifier()),
}


@pytest.fixture(scope="module", autouse=True)
def _all_but_networks(_blend_of_one_forest):
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(MOST_CELLS, "quick", _blend_of_one_forest)
        patch.setitem(MOST_CELLS, "network", 0)
        yield


def blend(hierarchy, **parameters):
    return Blend(hierarchy, n_jobs=1, random_state=0, **parameters)


def hide(labels, rows):
    hidden = np.full_like(labels, -1)
    hidden[rows] = labels[rows]
    return hidden


# Unlabelled rows that cannot help -----------------------------------------------------

TREE = Hierarchy.from_edges([("a", "b"), ("a", "c"), ("d", "e")])


@pytest.fixture(scope="module")
def unrelated():
    """Labels that no feature tells anything about; 60 of 300 rows have them."""
    rng = np.random.default_rng(0)
    labels = rng.random((300, 5)) < [0.5, 0.3, 0.2, 0.3, 0.15]
    rows = rng.normal(size=(300, 5))
    return rows, TREE.close(labels.astype(np.int8))


@pytest.fixture(scope="module")
def on_unrelated(unrelated):
    rows, labels = unrelated
    return blend(TREE).fit(rows, hide(labels, slice(60)))


def test_where_features_say_nothing_unlabelled_rows_are_not_used(on_unrelated):
    gain = on_unrelated.unlabeled_gain_
    assert not gain.helps
    assert "unlabelled rows are not used" in str(gain)
    tried = {one.name: one for one in on_unrelated.candidates_}
    assert tried["spreading"].uses_unlabeled
    assert not any(one.uses_unlabeled and one.share for one in tried.values())


def test_its_own_scores_are_not_flattered_by_the_choice(unrelated, on_unrelated):
    labels, gain = unrelated[1][:60], on_unrelated.unlabeled_gain_
    own = average_precision(labels, on_unrelated.oof_decision_)
    assert own == on_unrelated.oof_score_
    assert own - gain.score_constant < 2 * gain.constant_error


def test_it_is_then_the_blend_without_unlabelled_rows_to_the_bit(
    unrelated, on_unrelated
):
    rows, labels = unrelated
    alone = blend(TREE).fit(rows[:60], labels[:60])
    assert alone.unlabeled_gain_ is None
    np.testing.assert_array_equal(
        on_unrelated.predict_proba(rows), alone.predict_proba(rows)
    )
    np.testing.assert_array_equal(on_unrelated.oof_decision_, alone.oof_decision_)


# Unlabelled rows that help much -------------------------------------------------------

MOONS = Hierarchy.from_edges([("upper", "upper moon"), ("lower", "lower moon")])


def moons(seed):
    rows, moon = make_moons(600, noise=0.05, random_state=seed)
    rows[moon == 1, 1] += 0.2
    labels = np.zeros((600, 4), np.int8)
    for number, name in enumerate(["upper moon", "lower moon"]):
        labels[moon == number, MOONS.node(name)] = 1
    return rows, MOONS.close(labels)


@pytest.fixture(scope="module")
def on_moons():
    rows, labels = moons(3)
    labeled = np.random.default_rng(3).choice(600, 10, replace=False)
    return {
        "alone": blend(MOONS).fit(rows[labeled], labels[labeled]),
        "with": blend(MOONS).fit(rows, hide(labels, labeled)),
        "all": blend(MOONS).fit(rows, labels),
    }


def test_on_two_moons_most_of_what_labels_would_give_comes_from_unlabelled_rows(
    on_moons,
):
    rows, labels = moons(4)
    score = {
        name: average_precision(labels, model.predict_proba(rows))
        for name, model in on_moons.items()
    }
    assert score["with"] - score["alone"] > 0.5 * (score["all"] - score["alone"])
    assert score["all"] - score["alone"] > 0.05
    model = on_moons["with"]
    assert model.unlabeled_gain_.gain > 0
    assert "help" in str(model.unlabeled_gain_)
    assert "not" not in str(model.unlabeled_gain_)
    assert any(one.uses_unlabeled and one.share for one in model.candidates_)


def test_with_few_rows_the_single_best_is_taken(on_moons):
    shares = [one.share for one in on_moons["with"].candidates_]
    assert sorted(shares)[-2:] == [0, 1]


# What is tried, and what is kept ------------------------------------------------------


@pytest.fixture(scope="module")
def problem():
    return make_problem("T", "MPL", "PD")


@pytest.fixture(scope="module")
def few(problem):
    """A blend of a few candidates, on labels that the features tell."""
    model = blend(problem.hierarchy, candidates=FEW)
    return model.fit(problem.X, problem.Y, problem.X_unlabeled)


def test_candidates_of_the_user_are_tried_beside_label_frequencies(few):
    assert [one.name for one in few.candidates_] == [*FEW, "constant predictor"]
    assert sum(one.share for one in few.candidates_) == pytest.approx(1)
    assert set(few.members_) == {one.name for one in few.candidates_ if one.share}
    assert all(one.seconds > 0 and one.remark == "" for one in few.candidates_)
    assert not hasattr(FEW["logistic"], "coef_")


def test_scores_are_the_mean_of_what_the_members_say(problem, few):
    said = few.member_scores(problem.X_test)
    share = {one.name: one.share for one in few.candidates_}
    mean = sum(share[name] * scores for name, scores in said.items())
    np.testing.assert_allclose(few.predict_proba(problem.X_test), mean, atol=1e-6)


def test_a_member_with_views_says_what_it_would_say_alone(problem):
    model = blend(problem.hierarchy, candidates={"views": FEW["views"]})
    model.fit(problem.X, problem.Y, problem.X_unlabeled)
    alone = ViewsClassifier(problem.hierarchy, estimator=LogisticClassifier())
    alone.fit(problem.X, problem.Y, problem.X_unlabeled)
    np.testing.assert_array_equal(
        model.member_scores(problem.X_test)["views"],
        alone.predict_proba(problem.X_test),
    )


def test_a_saved_model_gives_the_same_bits(problem, few, tmp_path):
    save_model(few, tmp_path / "blend.hilabel")
    loaded = load_model(tmp_path / "blend.hilabel")
    np.testing.assert_array_equal(
        loaded.predict_proba(problem.X_test), few.predict_proba(problem.X_test)
    )
    assert loaded.candidates_ == few.candidates_
    assert str(loaded.unlabeled_gain_) == str(few.unlabeled_gain_)


@pytest.mark.parametrize(
    ("candidates", "message"),
    [
        ({}, "at least one candidate"),
        ({"forest": "a forest"}, "str for 'forest'"),
        ({"class": PredictiveClusteringForest}, "type ABCMeta for 'class'"),
    ],
)
def test_candidates_that_are_none_are_refused(problem, candidates, message):
    with pytest.raises((ValueError, TypeError), match=message):
        blend(problem.hierarchy, candidates=candidates).fit(problem.X, problem.Y)


def test_cells_that_are_unknown_are_left_out(problem):
    partial = problem.Y.copy()
    below = problem.hierarchy.leaves[0]
    parent = problem.hierarchy.parents(below)[0]
    partial[np.flatnonzero(partial[:, parent])[::4], below] = -1
    model = blend(problem.hierarchy, candidates=FEW)
    model.fit(problem.X, partial, problem.X_unlabeled)
    scores = model.predict_proba(problem.X_test)
    assert np.isfinite(scores).all()
    assert model.oof_score_ == average_precision(partial, model.oof_decision_)


def test_sparse_rows_are_taken(problem):
    rows = [sp.csr_array(X) for X in (problem.X, problem.X_unlabeled, problem.X_test)]
    model = blend(problem.hierarchy, candidates=FEW, n_splits=2)
    model.fit(rows[0], problem.Y, rows[1])
    scores = model.predict_proba(rows[2])
    assert scores.shape == (rows[2].shape[0], problem.hierarchy.n_nodes)


def test_a_single_labelled_row_takes_the_first_candidate(problem):
    model = blend(problem.hierarchy).fit(
        problem.X[:1], problem.Y[:1], problem.X_unlabeled
    )
    assert list(model.members_) == ["forest"]
    assert model.unlabeled_gain_ is None
    expected = np.tile(problem.Y[:1], (len(problem.X_test), 1))
    np.testing.assert_array_equal(model.predict_proba(problem.X_test), expected)


# Very many cells ----------------------------------------------------------------------


def test_of_many_cells_some_rows_choose_and_all_are_scored(unrelated, monkeypatch):
    rows, labels = unrelated
    several = {"logistic": LogisticClassifier(), "neighbours": NeighborsClassifier()}
    whole = blend(TREE, candidates=several).fit(rows, labels)
    monkeypatch.setitem(MOST_CELLS, "quick", 0)
    monkeypatch.setitem(MOST_CELLS, "measured", labels.size // 3)
    model = blend(TREE, candidates=several).fit(rows, labels)
    assert model.oof_decision_.shape == labels.shape
    third = average_precision(labels[::3], model.oof_decision_[::3])
    assert model.oof_score_ == third != whole.oof_score_
    names = [(one.name, one.score) for one in model.candidates_]
    assert names != [(one.name, one.score) for one in whole.candidates_]
