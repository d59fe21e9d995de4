import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn.base import BaseEstimator
from sklearn.model_selection import GridSearchCV, cross_validate

from hilabel import UNLABELED
from hilabel.classifiers import PriorClassifier
from hilabel.datasets import make_hierarchical_classification
from hilabel.exceptions import LabelError
from hilabel.model_selection import LabeledKFold, mask_labels, split_labeled


@st.composite
def partly_labeled(draw, least=4):
    n_labeled = draw(st.integers(least, 20))
    n_unlabeled = draw(st.integers(0, 10))
    rows = draw(
        st.lists(
            st.tuples(st.integers(0, 1), st.integers(0, 1)),
            min_size=n_labeled,
            max_size=n_labeled,
        )
    )
    Y = np.array(rows + [(UNLABELED, UNLABELED)] * n_unlabeled)
    return Y[draw(st.permutations(range(len(Y))))]


class NodeRates(BaseEstimator):
    """Scores each node by its rate in the labelled rows, drawn towards a prior."""

    def __init__(self, prior=0.5):
        self.prior = prior

    def fit(self, X, Y):
        labeled = (Y >= 0).all(axis=1)
        self.n_unlabeled_ = int((~labeled).sum())
        self.rates_ = (Y[labeled].mean(axis=0) + self.prior) / 2
        return self

    def score(self, X, Y):
        assert (Y >= 0).all(), "an unlabelled row was tested"
        return -float(((Y - self.rates_) ** 2).mean())


@pytest.fixture
def partly_labeled_data():
    data = make_hierarchical_classification(200, n_nodes=8, random_state=0)
    return data.X, mask_labels(data.Y, 0.4, random_state=0)


@given(partly_labeled(), st.integers(2, 4), st.booleans(), st.booleans())
def test_labeled_rows_are_tested_once_and_others_always_train(
    Y, n_splits, stratified, shuffle
):
    folds = LabeledKFold(n_splits, stratified=stratified, shuffle=shuffle)
    splits = list(folds.split(np.zeros(len(Y)), Y))
    tested = np.concatenate([test for _, test in splits])
    sizes = [test.size for _, test in splits]
    assert len(splits) == folds.get_n_splits() == n_splits
    np.testing.assert_array_equal(np.sort(tested), np.flatnonzero(Y[:, 0] >= 0))
    assert max(sizes) - min(sizes) <= 1
    for train, test in splits:
        both = np.concatenate([train, test])
        np.testing.assert_array_equal(np.sort(both), np.arange(len(Y)))


def test_stratified_folds_are_more_alike_than_random_ones(partly_labeled_data):
    X, Y = partly_labeled_data

    def unlikeness(stratified):
        spread = []
        for seed in range(10):
            cv = LabeledKFold(4, stratified=stratified, random_state=seed)
            rates = [Y[test].mean(axis=0) for _, test in cv.split(X, Y)]
            spread.append(np.std(rates, axis=0).mean())
        return np.mean(spread)

    assert unlikeness(True) < unlikeness(False) / 2


def test_cross_validation_keeps_unlabeled_rows_in_training(partly_labeled_data):
    X, Y = partly_labeled_data
    result = cross_validate(
        NodeRates(), X, Y, cv=LabeledKFold(random_state=0), return_estimator=True
    )
    assert result["test_score"].shape == (5,)
    assert np.isfinite(result["test_score"]).all()
    assert [model.n_unlabeled_ for model in result["estimator"]] == [120] * 5


def test_grid_search_finds_the_better_parameter(partly_labeled_data):
    X, Y = partly_labeled_data
    prior = float(Y[Y[:, 0] >= 0].mean())
    search = GridSearchCV(
        NodeRates(), {"prior": [prior, 5.0]}, cv=LabeledKFold(3, random_state=0)
    ).fit(X, Y)
    assert search.best_params_ == {"prior": prior}


def test_label_sets_are_divided_like_the_matrix_they_stand_for():
    Y = np.array([[1, 0], [1, 1], [0, 1], [-1, -1], [1, 0], [0, 1]])
    sets = [{"a"}, ["a", "b"], {"b"}, None, ("a",), {"b"}]
    for data in (Y, sets):
        folds = list(LabeledKFold(2, random_state=0).split(None, data))
        assert all(3 not in test for _, test in folds)
        found = [test.tolist() for _, test in folds]
        if data is Y:
            expected = found
    assert found == expected
    for one, other in zip(
        split_labeled(Y, 0.4, random_state=0), split_labeled(sets, 0.4, random_state=0)
    ):
        np.testing.assert_array_equal(one, other)


def test_label_sets_pass_through_a_grid_search():
    data = make_hierarchical_classification(60, 4, n_nodes=5, random_state=0)
    names = np.array(data.hierarchy.names)
    sets = [set(names[row > 0]) if i % 3 else None for i, row in enumerate(data.Y)]
    search = GridSearchCV(
        PriorClassifier(data.hierarchy), {}, cv=LabeledKFold(3, random_state=0)
    )
    assert 0 < search.fit(data.X, sets).best_score_ <= 1


def test_folds_depend_on_the_seed_alone(partly_labeled_data):
    X, Y = partly_labeled_data

    def tests(**arguments):
        return [test.tolist() for _, test in LabeledKFold(**arguments).split(X, Y)]

    assert tests(random_state=1) == tests(random_state=1)
    assert tests(random_state=1) != tests(random_state=2)
    assert tests(shuffle=False) == tests(shuffle=False)
    # Six searches with folds by default compare the same parameters on the same rows.
    assert tests() == tests() == tests(random_state=0)


def test_unshuffled_unstratified_folds_are_consecutive():
    Y = np.array([[1], [-1], [0], [0], [-1], [1], [1]])
    cv = LabeledKFold(2, stratified=False, shuffle=False)
    assert [test.tolist() for _, test in cv.split(Y, Y)] == [[0, 2, 3], [5, 6]]


def test_folds_need_no_rows():
    Y = np.array([[1], [0], [1]])
    assert len(list(LabeledKFold(3).split(None, Y))) == 3


def test_splitter_shows_its_parameters():
    assert repr(LabeledKFold(3, random_state=1)) == (
        "LabeledKFold(n_splits=3, random_state=1, shuffle=True, stratified=True)"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_splits": 1}, "n_splits to be an integer of at least 2, got 1"),
        ({"n_splits": 2.0}, r"n_splits to be an integer of at least 2, got 2\.0"),
        ({"shuffle": False, "random_state": 1}, "no random_state with shuffle=False"),
        ({"n_splits": 4}, "each of 4 folds, got 3 labelled of 4 rows"),
    ],
)
def test_wrong_folds_are_refused(arguments, message):
    Y = np.array([[1], [0], [1], [-1]])
    with pytest.raises(ValueError, match=message):
        list(LabeledKFold(**{"n_splits": 2, **arguments}).split(Y, Y))


def test_rows_and_labels_must_match():
    with pytest.raises(LabelError, match="Y with 5 rows"):
        list(LabeledKFold(2).split([[0.0]] * 5, np.ones((4, 1))))


@given(partly_labeled(least=2), st.floats(0.01, 0.99), st.booleans())
def test_test_rows_are_labeled_and_as_many_as_asked(Y, test_fraction, stratified):
    train, test = split_labeled(Y, test_fraction, stratified=stratified, random_state=0)
    n_labeled = int((Y[:, 0] >= 0).sum())
    wanted = min(max(1, round(test_fraction * n_labeled)), n_labeled - 1)
    assert test.size == wanted
    assert (Y[test] >= 0).all()
    both = np.concatenate([train, test])
    np.testing.assert_array_equal(np.sort(both), np.arange(len(Y)))


def test_one_label_is_divided_evenly():
    Y = (np.arange(100) < 30)[:, None]
    _, test = split_labeled(Y, 0.2, random_state=0)
    assert Y[test].sum() == 6


def test_same_seed_gives_the_same_split(partly_labeled_data):
    _, Y = partly_labeled_data
    first, second, other = (
        split_labeled(Y, 0.3, random_state=seed)[1].tolist() for seed in (1, 1, 2)
    )
    assert first == second
    assert first != other


@pytest.mark.parametrize("fraction", [0, 1, 1.5, None])
def test_test_fractions_outside_zero_to_one_are_refused(fraction):
    with pytest.raises(ValueError, match=r"test_fraction in \(0, 1\), got"):
        split_labeled(np.ones((4, 1)), fraction)


def test_one_labeled_row_cannot_be_split():
    with pytest.raises(LabelError, match="at least two labelled rows"):
        split_labeled(np.array([[1], [-1]]), 0.5)


def test_rows_known_in_part_are_labelled_rows():
    Y = np.array([[1, -1], [-1, 0], [1, 1], [-1, -1], [0, -1], [0, 0]])
    tested = [test for _, test in LabeledKFold(2, random_state=0).split(None, Y)]
    assert sorted(np.concatenate(tested)) == [0, 1, 2, 4, 5]
    train, test = split_labeled(Y, 0.4, random_state=0)
    assert 3 in train
    assert len(test) == 2
