"""MetzFreitas: the three strategies against slow twins, and what it refuses."""

from dataclasses import replace

import numpy as np
import pytest
from oracles import self_training as oracle
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from hilabel import Hierarchy
from hilabel.classifiers import TopDownClassifier, siblings
from hilabel.exceptions import HierarchyError, HilabelWarning, LabelError
from hilabel.semi_supervised import STML, MetzFreitas
from hilabel.testing import make_problem

H = Hierarchy.from_edges([("a", "c"), ("a", "d")], nodes=["a", "b", "c", "d"])
LOCALS = {
    "tree": DecisionTreeClassifier(min_samples_leaf=4, random_state=0),
    "bayes": GaussianNB(),
}
every_strategy = pytest.mark.parametrize("strategy", ["A", "B", "C"])
every_local = pytest.mark.parametrize("local", LOCALS.values(), ids=LOCALS)


@pytest.fixture(scope="module")
def problem():
    """Return rows with so much noise that one round of self-training is not enough."""
    clean = make_problem("T", "SPL", "FD", n_samples=60, n_unlabeled=60)
    random = np.random.default_rng(0)
    X, X_unlabeled = (
        rows + random.normal(size=rows.shape) for rows in (clean.X, clean.X_unlabeled)
    )
    return replace(clean, X=X, X_unlabeled=X_unlabeled)


def fit(problem, strategy, local=None, **parameters):
    model = MetzFreitas(
        problem.hierarchy, strategy=strategy, estimator=local, **parameters
    )
    return model.fit(problem.X, problem.Y, problem.X_unlabeled)


def examples_of(problem):
    Y = np.asarray(problem.Y, dtype=bool)
    nodes = range(problem.hierarchy.n_nodes)
    return [siblings(Y, problem.hierarchy, node) for node in nodes]


@every_strategy
def test_without_unlabelled_rows_all_strategies_are_the_top_down_classifier(
    strategy, problem
):
    model = MetzFreitas(problem.hierarchy, strategy=strategy, random_state=3)
    model.fit(problem.X, problem.Y)
    expected = TopDownClassifier(
        problem.hierarchy,
        estimator=DecisionTreeClassifier(min_samples_leaf=5),
        random_state=3,
    ).fit(problem.X, problem.Y)
    for method in ("predict_proba", "predict"):
        ours = getattr(model, method)(problem.X_test)
        assert ours.tobytes() == getattr(expected, method)(problem.X_test).tobytes()


@every_local
def test_strategy_a_trains_what_stml_trains_and_predicts_one_path(local, problem):
    model = fit(problem, "A", local)
    alone = STML(problem.hierarchy, estimator=local, policy="siblings").fit(
        problem.X, problem.Y, problem.X_unlabeled
    )
    np.testing.assert_array_equal(model.transduction_, alone.transduction_)
    np.testing.assert_array_equal(
        model.estimator_._local_scores(problem.X_test),
        alone.predict_proba(problem.X_test),
    )
    labels = model.predict(problem.X_test) == 1
    assert problem.hierarchy.problem_type(labels) == ("T", "SPL", "FD")


@every_local
@pytest.mark.parametrize("threshold", [0.6, 0.75])
def test_strategy_b_is_the_slow_cascade(local, threshold, problem):
    model = fit(problem, "B", local, threshold=threshold)
    twins = oracle.cascade(
        local,
        problem.X,
        examples_of(problem),
        problem.X_unlabeled,
        problem.hierarchy,
        threshold=threshold,
    )
    scores = model.estimator_._local_scores(problem.X_test)
    for node, twin in twins.items():
        expected = twin.predict_proba(problem.X_test)[:, 1]
        np.testing.assert_array_equal(scores[:, node], expected)
        assert model.n_iter_[node] == twin.n_iter_
    assert model.n_iter_.max() > 1
    assert (model.transduction_[60:] >= 0).any()


def test_children_label_no_row_that_their_parent_finds_negative():
    X = np.linspace(0, 1, 60)[:, None]
    ends = np.where(X[:, 0] > 0.5, "b", np.where(X[:, 0] > 0.25, "c", "d"))
    model = MetzFreitas(H, strategy="B", random_state=0)
    model.fit(X, [{end} for end in ends], [[0.1], [0.4], [0.9]])
    assert model.transduction_[60:].tolist() == [
        [1, 0, 0, 1],
        [1, 0, 1, 0],
        [0, 1, -1, -1],
    ]
    alone = MetzFreitas(H, strategy="A", random_state=0)
    alone.fit(X, [{end} for end in ends], [[0.1], [0.4], [0.9]])
    assert (alone.transduction_[62, 2:] >= 0).all()


@every_local
@pytest.mark.parametrize(("threshold", "max_iter"), [(0.6, 10), (0.9, 10), (0.6, 1)])
def test_strategy_c_is_the_slow_loop_over_whole_paths(
    local, threshold, max_iter, problem
):
    model = fit(problem, "C", local, threshold=threshold, max_iter=max_iter)
    twin, labels = oracle.train_on_whole_paths(
        lambda: TopDownClassifier(problem.hierarchy, estimator=local),
        problem.X,
        problem.Y,
        problem.X_unlabeled,
        threshold,
        max_iter,
    )
    np.testing.assert_array_equal(model.transduction_[60:], labels)
    assert (labels >= 0).any()
    np.testing.assert_array_equal(
        model.estimator_._local_scores(problem.X_test),
        twin._local_scores(problem.X_test),
    )
    accepted = model.transduction_[60:][labels[:, 0] >= 0] == 1
    assert problem.hierarchy.problem_type(accepted) == ("T", "SPL", "FD")


@every_strategy
def test_an_only_child_is_a_constant_that_passes_its_parents_rows_on(strategy):
    chain = Hierarchy.from_edges([("a", "c"), ("c", "d"), ("c", "e"), ("b", "f")])
    X = np.linspace(0, 1, 60)[:, None]
    ends = np.where(X[:, 0] > 0.5, "f", np.where(X[:, 0] > 0.25, "d", "e"))
    model = MetzFreitas(chain, strategy=strategy, random_state=0)
    with pytest.warns(HilabelWarning, match="2 of 6 nodes .* 'c', 'f'"):
        model.fit(X, [{end} for end in ends], [[0.1], [0.9]])
    accepted = {
        name: model.transduction_[60:, chain.node(name)].tolist() for name in "abcdef"
    }
    assert accepted["a"] == [1, 0]
    assert accepted["b"] == [0, 1]
    assert accepted["c"] == ([1, 0] if strategy == "C" else [-1, -1])
    assert accepted["e"][0] == 1
    assert accepted["e"][1] == {"A": 0, "B": -1, "C": 0}[strategy]
    rows = model.predict([[0.1], [0.9]]) == 1
    assert [{chain.names[n] for n in np.flatnonzero(row)} for row in rows] == [
        {"a", "c", "e"},
        {"b", "f"},
    ]


def test_full_trees_accept_everything_in_the_first_round(problem):
    full = fit(problem, "A", DecisionTreeClassifier(random_state=0))
    assert set(full.termination_condition_) == {"all_labeled"}
    assert set(full.n_iter_) == {1}
    pruned = fit(problem, "A", random_state=0)
    assert pruned.n_iter_.max() > 1


@every_strategy
def test_a_node_with_several_parents_is_refused_by_name(strategy):
    dag = Hierarchy.from_edges([("a", "c"), ("b", "c")])
    match = r"MetzFreitas needs a tree, but node 'c' .*\('a', 'b'\); use STHC"
    with pytest.raises(HierarchyError, match=match):
        MetzFreitas(dag, strategy=strategy).fit([[0.0], [1.0]], [{"c"}, {"a"}])


def test_rows_with_several_paths_or_early_ends_are_refused_by_number():
    X = [[0.0], [1.0], [2.0]]
    with pytest.raises(LabelError, match="row 1 of Y has 2; use STHC"):
        MetzFreitas(H).fit(X, [{"b"}, {"c", "b"}, {"d"}])
    with pytest.raises(LabelError, match="row 2 of Y ends at .* 'a'; use STHC"):
        MetzFreitas(H).fit(X, [{"b"}, {"c"}, {"a"}])


def test_an_unknown_strategy_is_refused():
    with pytest.raises(ValueError, match="'strategy' parameter of MetzFreitas must be"):
        MetzFreitas(H, strategy="D").fit([[0.0], [1.0]], [{"b"}, {"c"}])
