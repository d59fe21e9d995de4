"""What all self-trained classifiers share: given labels, fitted state, limits."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from hilabel import Hierarchy
from hilabel.classifiers import LocalClassifierPerNode
from hilabel.datasets import make_artificial
from hilabel.exceptions import HilabelWarning
from hilabel.forests import ForestClassifier
from hilabel.semi_supervised import STHC, STML, MetzFreitas
from hilabel.testing import make_problem

METHODS = {
    "STML": STML(),
    "STHC": STHC(),
    "A": MetzFreitas(strategy="A"),
    "B": MetzFreitas(strategy="B"),
    "C": MetzFreitas(strategy="C"),
}
LOCALS = {
    "forest": ForestClassifier(5),
    "tree": DecisionTreeClassifier(min_samples_leaf=3, max_features=1),
    "bayes": GaussianNB(),
}
every_method = pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
every_local = pytest.mark.parametrize("local", LOCALS.values(), ids=LOCALS)


def prepared(method, problem, local, **parameters):
    return clone(method).set_params(
        hierarchy=problem.hierarchy,
        estimator=local,
        **{"random_state": 0, **parameters},
    )


@pytest.fixture(scope="module")
def problem():
    """Return a problem that every method handles."""
    return make_problem("T", "SPL", "FD", n_samples=60, n_unlabeled=50)


def assert_is_its_base(model, problem):
    base = clone(model.estimator_).fit(problem.X, problem.Y)
    expected = base.predict_proba(problem.X_test)
    assert model.predict_proba(problem.X_test).tobytes() == expected.tobytes()


@every_local
@every_method
def test_a_threshold_that_nobody_reaches_gives_the_base_and_a_warning(
    method, local, problem
):
    model = prepared(method, problem, local, threshold=1.0)
    with pytest.warns(HilabelWarning, match="No label of the 50 unlabelled rows was"):
        model.fit(problem.X, problem.Y, problem.X_unlabeled)
    assert_is_its_base(model, problem)
    assert (model.transduction_[60:] == -1).all()
    assert set(model.termination_condition_) == {"unchanged"}
    assert model.history_[0].n_accepted == 0


@every_local
@every_method
def test_without_unlabelled_rows_the_method_is_its_base(method, local, problem):
    model = prepared(method, problem, local).fit(problem.X, problem.Y)
    assert_is_its_base(model, problem)
    np.testing.assert_array_equal(model.transduction_, problem.Y)
    assert model.n_iter_.tolist() == [0] * problem.hierarchy.n_nodes
    assert set(model.termination_condition_) == {"all_labeled"}
    assert model.history_ == []


@every_local
@every_method
def test_two_jobs_learn_the_same_bits_as_one(method, local, problem):
    one, two = [
        prepared(method, problem, local, n_jobs=n_jobs).fit(
            problem.X, problem.Y, problem.X_unlabeled
        )
        for n_jobs in (1, 2)
    ]
    scores = [model.predict_proba(problem.X_test) for model in (one, two)]
    assert scores[0].tobytes() == scores[1].tobytes()
    np.testing.assert_array_equal(one.labeled_iter_, two.labeled_iter_)


@settings(max_examples=20)
@given(
    seed=st.integers(0, 999),
    method=st.sampled_from(list(METHODS.values())),
    local=st.sampled_from([LOCALS["forest"], LOCALS["bayes"]]),
    rule=st.sampled_from([{}, {"threshold": 0.6}, {"criterion": "k_best"}]),
)
def test_given_labels_never_change_and_the_records_agree(seed, method, local, rule):
    problem = make_problem("T", "SPL", "FD", n_samples=40, random_state=seed)
    X, Y = problem.mixed()
    given_rows = (Y >= 0).all(axis=1)
    model = prepared(method, problem, local, **rule).fit(X, Y)
    np.testing.assert_array_equal(model.transduction_[given_rows], Y[given_rows])
    assert (model.labeled_iter_[given_rows] == 0).all()
    added = model.labeled_iter_[~given_rows]
    labels = model.transduction_[~given_rows]
    np.testing.assert_array_equal(added > 0, labels >= 0)
    assert (added.max(axis=0) <= model.n_iter_).all()
    assert model.n_iter_.max() <= model.max_iter == 10
    assert [s.n_accepted for s in model.history_] == [
        (added == s.iteration).sum() for s in model.history_
    ]
    assert sum(s.n_positive for s in model.history_) == (labels == 1).sum()
    complete = model.termination_condition_ == "all_labeled"
    if model.get_params().get("strategy") != "B":  # there the pool may be smaller
        assert (labels[:, complete] >= 0).all()
        assert (labels[:, ~complete] < 0).any(axis=0).all()


def test_the_history_is_a_table(problem):
    model = prepared(STHC(), problem, GaussianNB())
    model.fit(problem.X, problem.Y, problem.X_unlabeled)
    frame = pd.DataFrame(model.history_)
    assert list(frame.columns) == ["iteration", "n_nodes", "n_accepted", "n_positive"]
    assert list(frame["iteration"]) == list(range(1, model.n_iter_.max() + 1))
    assert frame["n_nodes"].is_monotonic_decreasing


@every_local
def test_a_node_with_one_class_of_labelled_rows_is_a_constant_and_labels_nothing(
    local,
):
    hierarchy = Hierarchy(["always", "never", "mixed"])
    X = np.linspace(0, 1, 20)[:, None]
    Y = np.column_stack([np.ones(20), np.zeros(20), X[:, 0] > 0.5]).astype(int)
    model = STHC(hierarchy, estimator=local, random_state=0)
    with pytest.warns(HilabelWarning, match="2 of 3 nodes .* 'always', 'never'"):
        model.fit(X, Y, [[0.1], [0.9]])
    assert model.termination_condition_.tolist() == [
        "constant",
        "constant",
        "all_labeled",
    ]
    assert model.n_iter_.tolist() == [0, 0, 1]
    assert model.transduction_[20:].tolist() == [[-1, -1, 0], [-1, -1, 1]]
    assert model.predict_proba([[0.5]])[0, :2].tolist() == [1, 0]


def test_the_final_models_are_trained_on_given_and_accepted_rows():
    data = make_artificial()
    model = STML(data.hierarchy, estimator=GaussianNB())
    model.fit(data.X_labeled, data.Y_labeled, data.X_unlabeled)
    X = np.concatenate([data.X_labeled, data.X_unlabeled])
    for node, local in enumerate(model.estimator_.estimators_):
        used = model.transduction_[:, node] >= 0
        expected = GaussianNB().fit(X[used], model.transduction_[used, node])
        np.testing.assert_array_equal(local.theta_, expected.theta_)
        share = (model.transduction_[used, node] == 1).mean()
        assert model.estimator_.positive_share_[node] == pytest.approx(share)


def test_the_base_keeps_the_parameters_it_is_given(problem):
    model = prepared(STHC(policy="siblings"), problem, LOCALS["forest"], n_jobs=2)
    model.fit(problem.X, problem.Y, problem.X_unlabeled)
    assert type(model.estimator_) is LocalClassifierPerNode
    assert model.estimator_.policy == "siblings"
    assert model.estimator_.n_jobs == 2
    assert model.estimator_.forests_.n_trees == 5
    assert model.estimator_.forests_.importances.shape == (
        problem.hierarchy.n_nodes,
        problem.X.shape[1],
    )


def test_missing_values_are_taken_by_the_default_forests_alone():
    X = np.array([[np.nan], [0.0], [1.0], [1.1]])
    Y = [[0], [0], [1], [1]]
    STHC(random_state=0).fit(X, Y, [[np.nan], [0.9]])
    with pytest.raises(ValueError, match="the local classifier, GaussianNB, does not"):
        STHC(estimator=GaussianNB()).fit(X, Y)


@pytest.mark.parametrize("parameter", [{"threshold": 1.5}, {"max_iter": 0}])
def test_impossible_parameters_are_refused(parameter):
    (name,) = parameter
    with pytest.raises(ValueError, match=f"The '{name}' parameter of STHC must be"):
        STHC(**parameter).fit([[0.0], [1.0]], [[0], [1]])
