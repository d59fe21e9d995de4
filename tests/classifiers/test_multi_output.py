"""MultiOutputAdapter: every form in which scikit-learn's models give scores."""

import numpy as np
import pytest
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
)
from sklearn.linear_model import BayesianRidge, LogisticRegression, RidgeClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier, MultiOutputRegressor
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from hilabel import Hierarchy
from hilabel.classifiers import MultiOutputAdapter
from hilabel.constraints import cap_by_parents
from hilabel.datasets import make_artificial
from hilabel.metrics import average_precision

MODELS = [
    KNeighborsClassifier(),
    MLPClassifier((20,), solver="lbfgs", max_iter=50, random_state=0),
    RandomForestClassifier(20, random_state=0),
    ExtraTreesClassifier(20, random_state=0),
    ExtraTreesRegressor(20, random_state=0),
    OneVsRestClassifier(LogisticRegression()),
    MultiOutputClassifier(GaussianNB()),
    RidgeClassifier(),
    make_pipeline(StandardScaler(), KNeighborsClassifier()),
]
H = Hierarchy.from_dict({"a": ["b", "c"], "d": []})


@pytest.fixture(scope="module")
def data():
    return make_artificial()


# The network is stopped before it has converged.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_scores_of_every_kind_of_model_are_probabilities_that_tell_labels(model, data):
    adapter = MultiOutputAdapter(data.hierarchy, estimator=model)
    adapter.fit(data.X_labeled, data.Y_labeled)
    scores = adapter.predict_proba(data.X_test)
    assert scores.shape == data.Y_test.shape
    assert ((scores >= 0) & (scores <= 1)).all()
    np.testing.assert_array_equal(scores, cap_by_parents(scores, data.hierarchy))
    constant = np.tile(adapter.prior_, (len(scores), 1))
    Y_test = data.hierarchy.close(data.Y_test)
    best_constant = average_precision(Y_test, constant)
    assert average_precision(Y_test, scores) > best_constant + 0.1


def test_scores_are_those_of_the_model_itself(data):
    Y = data.hierarchy.close(data.Y_labeled)
    alone = KNeighborsClassifier().fit(data.X_labeled, Y).predict_proba(data.X_test)
    expected = np.column_stack([output[:, 1] for output in alone])
    adapter = MultiOutputAdapter(data.hierarchy, estimator=KNeighborsClassifier())
    scores = adapter.fit(data.X_labeled, data.Y_labeled).predict_proba(data.X_test)
    np.testing.assert_array_equal(scores, cap_by_parents(expected, data.hierarchy))


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("n_varying", [0, 1])
def test_labels_that_all_rows_have_or_none_are_constant(model, n_varying):
    X = np.arange(12.0).reshape(-1, 1)
    Y = np.tile([1, 1, 0, 0], (12, 1))
    if n_varying:
        Y[6:, 1] = 0
    adapter = MultiOutputAdapter(H, estimator=model).fit(X, Y)
    scores = adapter.predict_proba(X)
    assert adapter.varying_.tolist() == [1][:n_varying]
    np.testing.assert_array_equal(scores[:, [0, 2, 3]], np.tile([1, 0, 0], (12, 1)))
    if n_varying:
        assert scores[0, 1] > scores[-1, 1]


def test_rows_without_labels_are_left_out():
    X = np.array([[0.0], [1.0], [0.5], [9.0]])
    Y = np.array([[1, 1, 0, 0], [1, 1, 0, 0], [-1, -1, -1, -1], [0, 0, 0, 1]])
    adapter = MultiOutputAdapter(H, estimator=KNeighborsClassifier(1)).fit(X, Y)
    assert adapter.predict_names([[0.4], [8.0]], decode="path").tolist() == [
        ["a", "b"],
        ["d", ""],
    ]


def test_a_seed_reaches_the_model_unless_it_has_one(data):
    def fitted(**parameters):
        forest = RandomForestClassifier(3, **parameters)
        adapter = MultiOutputAdapter(data.hierarchy, estimator=forest, random_state=0)
        return adapter.fit(data.X_labeled, data.Y_labeled).estimator_

    assert fitted().random_state == fitted().random_state is not None
    assert fitted(random_state=7).random_state == 7


@pytest.mark.parametrize(
    ("model", "wrapper"),
    [
        (LogisticRegression(), OneVsRestClassifier),
        (BayesianRidge(), MultiOutputRegressor),
    ],
)
def test_models_of_one_target_are_trained_for_each(model, wrapper, data):
    def scores_with(estimator):
        adapter = MultiOutputAdapter(data.hierarchy, estimator=estimator)
        return adapter.fit(data.X_labeled, data.Y_labeled).predict_proba(data.X_test)

    np.testing.assert_array_equal(scores_with(model), scores_with(wrapper(model)))
