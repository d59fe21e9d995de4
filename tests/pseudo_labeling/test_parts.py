"""A user's own parts: the paper's parts give the same result, and errors are clear."""

import numpy as np
import pytest

from hilabel import Hierarchy
from hilabel.classifiers import PriorClassifier
from hilabel.datasets import make_artificial
from hilabel.exceptions import ModelFileError
from hilabel.persistence import save_model
from hilabel.pseudo_labeling import (
    equal_vote,
    nearest_neighbors,
    similarity_of_neighbors,
    until_unchanged,
)
from hilabel.semi_supervised import SSHCBLI, SSHMCBLI

PAPER = {
    "choose_neighbors": nearest_neighbors,
    "vote": equal_vote,
    "similarity": similarity_of_neighbors,
    "stop": until_unchanged,
}


@pytest.fixture(scope="module")
def data():
    return make_artificial()


def fit(data, **parameters):
    model = SSHMCBLI(data.hierarchy, estimator=PriorClassifier(), **parameters)
    return model.fit(data.X_labeled, data.Y_labeled, data.X_unlabeled)


@pytest.mark.parametrize("names", [[name] for name in PAPER] + [list(PAPER)])
def test_the_paper_s_parts_passed_by_hand_change_nothing(data, names):
    plain = fit(data, max_iter=20)
    by_hand = fit(data, max_iter=20, **{name: PAPER[name] for name in names})
    np.testing.assert_array_equal(by_hand.transduction_, plain.transduction_)
    np.testing.assert_array_equal(by_hand.similarity_, plain.similarity_)
    assert by_hand.history_ == plain.history_
    assert by_hand.termination_condition_ == plain.termination_condition_


def nearer_counts_more(labels, distances):
    weights = 1 / (1 + distances)
    return (labels * weights[:, :, None]).sum(axis=1) / weights.sum(axis=1)[:, None]


def test_a_weighted_vote_gives_closed_labels_other_than_the_paper_s(data):
    model = fit(data, vote=nearer_counts_more)
    labels = model.transduction_[model.labeled_iter_ > 0]
    assert data.hierarchy.is_consistent(labels == 1)
    assert (labels != fit(data).transduction_[model.labeled_iter_ > 0]).any()


def test_chosen_neighbors_see_the_pass_and_may_differ_in_number_per_pass(data):
    def growing(nearest, n_neighbors, iteration):
        return nearest(2 + iteration, exclude_self=True)

    model = fit(data, choose_neighbors=growing, max_iter=3)
    assert [done.n_neighbors for done in model.history_] == [3, 4, 5, 6]


def test_stop_ends_with_its_reason_and_max_iter_still_limits(data):
    def settled(iteration, labels, previous):
        return "few changes" if (labels != previous).any(axis=1).sum() < 30 else None

    model = fit(data, stop=settled)
    assert model.termination_condition_ == "few changes"
    changed = [done.n_changed_rows for done in model.history_]
    assert changed[-1] < 30 <= min(changed[:-1])
    endless = fit(data, stop=lambda *seen: None, max_iter=4)
    assert (endless.n_iter_, endless.termination_condition_) == (5, "max_iter")


def test_a_similarity_of_its_own_needs_no_second_neighbour(data):
    def near_enough(distances, pair_distances):
        return np.exp(-distances.mean(axis=1))

    model = fit(data, n_neighbors=1, similarity=near_enough)
    accepted = model.labeled_iter_ > 0
    assert accepted.any()
    assert (model.similarity_[accepted] >= 0.5).all()


def strangers(nearest, n_neighbors, iteration):
    neighbors, distances = nearest(n_neighbors)
    return neighbors + 9, distances


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"vote": lambda labels, distances: labels}, r"shares of shape \(330, 6\)"),
        (
            {"vote": lambda labels, distances: np.full((len(labels), 6), np.nan)},
            "without NaN",
        ),
        (
            {"vote": lambda labels, distances: np.eye(6)[[3] * len(labels)]},
            "no node a larger share than its parents",
        ),
        (
            {"similarity": lambda distances, pair_distances: distances},
            "330 numbers without NaN",
        ),
        (
            {"choose_neighbors": lambda nearest, k, iteration: nearest(k)[::-1]},
            r"row numbers and distances of shape \(330, k\), got float64",
        ),
        ({"choose_neighbors": strangers}, "labelled or accepted rows only"),
        (
            {"choose_neighbors": lambda nearest, k, iteration: nearest(13)},
            "n_neighbors=13 .* got 12",
        ),
        ({"vote": 3}, "'vote' parameter of SSHMCBLI must be a callable or None"),
    ],
)
def test_what_a_part_returns_is_checked(data, parts, message):
    with pytest.raises(ValueError, match=message):
        fit(data, **parts)


@pytest.mark.parametrize("name", ["vote", "similarity"])
def test_parts_cannot_change_the_arrays_of_the_method(data, name):
    def greedy(first, second):
        changed = second if name == "vote" else first
        changed *= 10
        return PAPER[name](first, second)

    with pytest.raises(ValueError, match="read-only"):
        fit(data, **{name: greedy})


def test_single_paths_stay_single_with_a_vote_and_without_a_threshold():
    h = Hierarchy.from_edges([("a", "c"), ("a", "d")], nodes=["a", "b", "c", "d"])
    X = [[0.0], [0.2], [1.0], [1.2], [9.0], [9.2]]
    Y = [{"c"}, {"c"}, {"d"}, {"d"}, {"b"}, {"b"}]
    for parameters in ({"vote": equal_vote}, {"label_threshold": 0}):
        model = SSHCBLI(h, n_neighbors=4, random_state=0, **parameters)
        labels = model.fit(X, Y, X_unlabeled=[[0.1], [1.1]]).transduction_[6:] == 1
        assert h.is_consistent(labels)
        assert (h.most_specific(labels).sum(axis=1) <= 1).all()


def test_a_vote_needs_labels_that_are_known_everywhere(data):
    Y = data.Y_labeled.copy().astype(int)
    Y[0, 3] = -1
    model = SSHMCBLI(data.hierarchy, estimator=PriorClassifier(), vote=equal_vote)
    with pytest.raises(ValueError, match="partly known labels; use vote=None"):
        model.fit(data.X_labeled, Y, data.X_unlabeled)


def test_a_model_with_a_part_of_its_own_is_refused_with_what_to_save(data, tmp_path):
    model = fit(data, vote=equal_vote)
    with pytest.raises(ModelFileError, match="equal_vote.* model.estimator_"):
        save_model(model, tmp_path / "model.hilabel")
    save_model(model.estimator_, tmp_path / "model.hilabel")
