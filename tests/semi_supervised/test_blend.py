"""The default method: unlabelled rows where they help, and an honest word on it."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_moons

from hilabel import Hierarchy
from hilabel._label_matrix import LabelMatrix
from hilabel.classifiers import (
    LinearClassifier,
    NeighborsClassifier,
    PredictiveClusteringForest,
)
from hilabel.judgement import judge
from hilabel.metrics import average_precision
from hilabel.model_selection import draw_folds, score_out_of_fold
from hilabel.persistence import load_model, save_model
from hilabel.semi_supervised import (
    Blend,
    LabelSpreading,
    ViewsClassifier,
)
from hilabel.semi_supervised._blend_candidates import (
    default_candidates,
    is_expensive,
)
from hilabel.testing import make_problem

FEW = {
    "logistic": LinearClassifier(),
    "neighbours": NeighborsClassifier(n_neighbors=5),
    "spreading": LabelSpreading(),
    "views": ViewsClassifier(estimator=LinearClassifier(C=0.1, random_state=0)),
}


def blend(hierarchy, **parameters):
    return Blend(hierarchy, n_jobs=1, random_state=0, **parameters)


def data_of(hierarchy, rows, labels, **parameters):
    """Validated rows in five folds, and a blend to train on them."""
    model = blend(hierarchy, **parameters)
    data = model.check_training_data(rows, LabelMatrix.of(labels))
    return model, replace(data, fold=draw_folds(data.Y))


def judged(hierarchy, rows, labels, **parameters):
    """Train a blend, and return it with the judgement of its out-of-fold scores."""
    found = score_out_of_fold(*data_of(hierarchy, rows, labels, **parameters))
    return found.model, judge(found, hierarchy, method="Blend").judgement


def all_but_networks(hierarchy, rows, labels):
    """The models that are tried by default, but for those that are compiled."""
    _, data = data_of(hierarchy, rows, labels)
    return {
        name: one.model
        for name, one in default_candidates(data).items()
        if not is_expensive(one.model) and not one.why_not
    }


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
    rows, labels = unrelated[0], hide(unrelated[1], slice(60))
    tried = all_but_networks(TREE, rows, labels)
    return judged(TREE, rows, labels, candidates=tried)


def test_where_features_say_nothing_unlabelled_rows_are_not_used(on_unrelated):
    model, _ = on_unrelated
    assert not model.unlabeled_gain_.helps
    assert "unlabelled rows are not used" in str(model.unlabeled_gain_)
    tried = {one.name: one for one in model.candidates_}
    assert tried["spreading"].uses_unlabeled
    assert not any(one.uses_unlabeled and one.share for one in tried.values())


def test_its_own_scores_are_not_flattered_by_the_choice(on_unrelated):
    model, judgement = on_unrelated
    gain = model.unlabeled_gain_
    assert judgement.raw.micro - gain.score_by_chance < 2 * gain.chance_error


def test_it_is_then_the_blend_without_unlabelled_rows_to_the_bit(
    unrelated, on_unrelated
):
    rows, labels = unrelated
    tried = all_but_networks(TREE, rows[:60], labels[:60])
    alone, judgement = judged(TREE, rows[:60], labels[:60], candidates=tried)
    assert alone.unlabeled_gain_ is None
    np.testing.assert_array_equal(
        on_unrelated[0].predict_proba(rows), alone.predict_proba(rows)
    )
    assert on_unrelated[1].raw.micro == judgement.raw.micro


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
    several = {
        "alone": (rows[labeled], labels[labeled]),
        "with": (rows, hide(labels, labeled)),
        "all": (rows, labels),
    }
    return {
        name: blend(MOONS, candidates=all_but_networks(MOONS, *data)).fit(*data)
        for name, data in several.items()
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
    assert all(one.seconds > 0 and one.reason == "" for one in few.candidates_)
    assert not hasattr(FEW["logistic"], "coef_")


def test_scores_are_the_mean_of_what_the_members_say(problem, few):
    said = few.member_scores(problem.X_test)
    share = {one.name: one.share for one in few.candidates_}
    mean = sum(share[name] * scores for name, scores in said.items())
    np.testing.assert_allclose(few.predict_proba(problem.X_test), mean, atol=1e-6)


def test_a_member_with_views_says_what_it_would_say_alone(problem):
    model = blend(problem.hierarchy, candidates={"views": FEW["views"]})
    model.fit(problem.X, problem.Y, problem.X_unlabeled)
    linear = LinearClassifier(C=0.1, random_state=0)
    alone = ViewsClassifier(problem.hierarchy, estimator=linear)
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
    model, data = data_of(problem.hierarchy, problem.X, partial, candidates=FEW)
    found = score_out_of_fold(model, data)
    assert np.isfinite(found.model.predict_proba(problem.X_test)).all()
    quality = judge(found, problem.hierarchy, method="Blend").judgement.raw.micro
    known = np.where(data.informative, partial, -1)
    assert quality == average_precision(known, found.scores.read())


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
    forest, *others = model.candidates_
    assert (forest.status, forest.reason) == ("kept", "")
    assert {one.status for one in others} == {"skipped"}
    assert "models cannot be compared on 1 labelled row" in {
        one.reason for one in others
    }
    expected = np.tile(problem.Y[:1], (len(problem.X_test), 1))
    np.testing.assert_array_equal(model.predict_proba(problem.X_test), expected)
