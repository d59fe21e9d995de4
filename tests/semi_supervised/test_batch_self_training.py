"""HMC-SSBR, HMC-SSLP and HMC-SSRAkEL: the base alone, the batches, the record."""

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from hilabel.classifiers import HMCBR, HMCLP, HMCRAkEL
from hilabel.exceptions import HierarchyError, HilabelWarning
from hilabel.semi_supervised import HMCSSBR, HMCSSLP, HMCSSRAkEL
from hilabel.testing import make_problem, make_small_hierarchy

# Without a seed of its own, so that the random state of the method decides.
TREE = DecisionTreeClassifier(max_features=1)
METHODS = [HMCSSBR, HMCSSLP, HMCSSRAkEL]
BASES = {HMCSSBR: HMCBR, HMCSSLP: HMCLP, HMCSSRAkEL: HMCRAkEL}
# Hard votes are nearly always sure, which leaves confidence nothing to decide.
GRADED = {HMCSSBR: {}, HMCSSLP: {}, HMCSSRAkEL: {"voting": "soft"}}

pytestmark = [
    pytest.mark.parametrize("method", METHODS),
    # Small data: some node has examples of one kind only.
    pytest.mark.filterwarnings("ignore:.*nodes:hilabel.exceptions.HilabelWarning"),
]


@pytest.fixture
def problem():
    return make_problem("T", "MPL", "PD", n_samples=60, n_unlabeled=10)


@pytest.mark.parametrize("seed", [0, np.random.RandomState(0)], ids=["int", "state"])
def test_without_unlabelled_rows_it_is_its_base_to_the_bit(method, seed, problem):
    model = method(problem.hierarchy, estimator=TREE, random_state=seed)
    base = BASES[method](problem.hierarchy, estimator=TREE, random_state=seed)
    model.fit(problem.X, problem.Y)
    base.fit(problem.X, problem.Y)
    for name in ("predict", "predict_proba"):
        np.testing.assert_array_equal(
            getattr(model, name)(problem.X_test), getattr(base, name)(problem.X_test)
        )
    assert type(model.estimator_) is BASES[method]
    assert (model.n_iter_, model.history_) == (0, [])
    assert model.termination_condition_ == "pool_empty"


def test_own_parameters_reach_the_base(method, problem):
    own = set(method().get_params()) & set(BASES[method]().get_params())
    assert set(BASES[method]().get_params()) == own
    values = {"policy": "less_inclusive", "allow_dag": True, "voting": "soft"}
    values |= {"labelset_size": 2, "n_labelsets": 1, "on_empty": "raise"}
    values = {name: value for name, value in values.items() if name in own}
    model = method(problem.hierarchy, estimator=GaussianNB(), n_jobs=1, **values)
    base = model.fit(problem.X, problem.Y).estimator_
    assert values == {name: base.get_params()[name] for name in values}
    assert (base.n_jobs, base.hierarchy) == (1, problem.hierarchy)


def test_all_rows_at_once_are_predicted_by_the_base_and_learned_from(method, problem):
    options = {"estimator": TREE, "random_state": 3}
    model = method(problem.hierarchy, batch_size=1, **options)
    model.fit(problem.X, problem.Y, X_unlabeled=problem.X_unlabeled)
    base = BASES[method](problem.hierarchy, **options).fit(problem.X, problem.Y)
    predicted = base.predict(problem.X_unlabeled)
    np.testing.assert_array_equal(
        model.transduction_, np.concatenate([problem.Y, predicted])
    )
    again = BASES[method](problem.hierarchy, **options)
    again.fit(np.concatenate([problem.X, problem.X_unlabeled]), model.transduction_)
    np.testing.assert_array_equal(
        model.predict_proba(problem.X_test), again.predict_proba(problem.X_test)
    )


def test_record_tells_which_batch_every_row_came_with(method, problem):
    model = method(
        problem.hierarchy, estimator=TREE, batch_size=0.25, order="index"
    ).fit(problem.X, problem.Y, X_unlabeled=problem.X_unlabeled)
    np.testing.assert_array_equal(model.labeled_iter_[:60], 0)
    np.testing.assert_array_equal(
        model.labeled_iter_[60:], [1, 1, 1, 2, 2, 2, 3, 3, 3, 4]
    )
    history = pd.DataFrame(model.history_)
    assert history.n_added.tolist() == [3, 3, 3, 1]
    assert history.n_remaining.tolist() == [7, 4, 1, 0]
    assert (model.n_iter_, model.termination_condition_) == (4, "pool_empty")


def test_random_order_follows_the_seed(method, problem):
    batches = [
        method(problem.hierarchy, estimator=GaussianNB(), random_state=seed)
        .fit(problem.X, problem.Y, X_unlabeled=problem.X_unlabeled)
        .labeled_iter_[60:]
        for seed in (0, 0, 1)
    ]
    assert sorted(batches[0]) == list(range(1, 11))
    np.testing.assert_array_equal(batches[0], batches[1])
    assert not np.array_equal(batches[0], batches[2])


def test_confidence_leaves_out_rows_the_base_is_not_sure_of(method, problem):
    local = DecisionTreeClassifier(max_depth=2, random_state=0)
    options = {"estimator": local, "batch_size": 1, "order": "index", **GRADED[method]}
    rows = {"X_unlabeled": problem.X_unlabeled}
    base = method(problem.hierarchy, **options).fit(problem.X, problem.Y).estimator_
    labels = base.predict(problem.X_unlabeled).astype(bool)
    scores = base.predict_proba(problem.X_unlabeled)
    confidence = np.array(
        [row[has].mean() if has.any() else 0 for row, has in zip(scores, labels)]
    )
    threshold = float(np.median(confidence))
    model = method(
        problem.hierarchy,
        confidence="mean",
        confidence_threshold=threshold,
        **options,
    ).fit(problem.X, problem.Y, **rows)
    added_first = model.labeled_iter_[60:] == 1
    np.testing.assert_array_equal(added_first, confidence >= threshold)
    assert 0 < added_first.sum() < 10


def test_no_row_sure_enough_warns_and_leaves_the_base(method, problem):
    model = method(
        problem.hierarchy,
        estimator=GaussianNB(),
        confidence="mean",
        confidence_threshold=1,
        batch_size=0.5,
        **GRADED[method],
    )
    # Halfway between everything.
    unclear = np.tile(problem.X.mean(axis=0), (4, 1))
    with pytest.warns(HilabelWarning, match="None of the 4 unlabelled rows"):
        model.fit(problem.X, problem.Y, X_unlabeled=unclear)
    assert model.termination_condition_ == "nothing_added"
    assert (model.transduction_[60:] == -1).all()
    assert (model.labeled_iter_[60:] == -1).all()
    assert [batch.n_added for batch in model.history_] == [0, 0]


def test_verbose_reports_batches(method, problem, capsys):
    model = method(
        problem.hierarchy, estimator=TREE, batch_size=0.5, verbose=2, random_state=0
    )
    model.fit(problem.X, problem.Y, X_unlabeled=problem.X_unlabeled)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == len(model.history_)
    for number, (line, batch) in enumerate(zip(lines, model.history_), start=1):
        told = f"batch {number}: {batch.n_added} of {batch.n_drawn} added"
        assert line.endswith(told)


def test_dag_is_refused_where_the_base_refuses_it(method):
    dag = make_problem("DAG", "MPL", "PD", hierarchy=make_small_hierarchy("dag"))
    model = method(dag.hierarchy, estimator=GaussianNB())
    if method is HMCSSBR:
        assert model.fit(dag.X, dag.Y).predict(dag.X_test).any()
    else:
        expected = f"{method.__name__} needs a tree, but node .*; use HMCSSBR"
        with pytest.raises(HierarchyError, match=expected):
            model.fit(dag.X, dag.Y)
