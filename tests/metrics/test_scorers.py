import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.model_selection import GridSearchCV, KFold

from hilabel.exceptions import LabelError, ScoreError
from hilabel.metrics import average_precision, average_precision_scorer


class _Weighted(BaseEstimator):
    """Score the nodes by the features, mixed with noise if ``signal`` is low."""

    def __init__(self, signal=1.0):
        self.signal = signal

    def fit(self, X, y):
        return self

    def predict_proba(self, X):
        X = X.toarray() if sp.issparse(X) else np.asarray(X)
        self.n_predicted_ = len(X)
        return self.signal * X + (1 - self.signal) * X[:, ::-1]


@pytest.fixture
def data():
    random = np.random.default_rng(3)
    Y = random.integers(0, 2, (40, 3)).astype(np.int8)
    X = Y + random.normal(0, 0.3, Y.shape)
    Y[::4] = -1
    return X, Y


def test_grid_search_finds_the_better_parameter(data):
    search = GridSearchCV(
        _Weighted(),
        {"signal": [0.0, 1.0]},
        scoring=average_precision_scorer,
        cv=KFold(4),
        error_score="raise",
    ).fit(*data)
    assert search.best_params_ == {"signal": 1.0}
    bad, good = search.cv_results_["mean_test_score"]
    assert bad < good <= 1.0


@pytest.mark.parametrize(
    "convert", [np.asarray, sp.csr_array, pd.DataFrame, np.ndarray.tolist]
)
def test_score_is_that_of_the_labeled_rows_which_alone_are_predicted(data, convert):
    X, Y = data
    estimator = _Weighted(0.7)
    got = average_precision_scorer(estimator, convert(X), Y)
    labeled = Y[:, 0] != -1
    assert estimator.n_predicted_ == labeled.sum()
    assert got == average_precision(Y[labeled], estimator.predict_proba(X[labeled]))


def test_labels_may_be_a_data_frame(data):
    X, Y = data
    estimator = _Weighted()
    assert average_precision_scorer(
        estimator, X, pd.DataFrame(Y)
    ) == average_precision_scorer(estimator, X, Y)


def test_columns_of_a_data_frame_are_matched_by_the_names_of_the_classes(data):
    X, Y = data
    estimator = _Weighted()
    expected = average_precision_scorer(estimator, X, Y)
    estimator.classes_ = np.array(["a", "b", "c"])
    frame = pd.DataFrame(Y, columns=["a", "b", "c"])
    assert average_precision_scorer(estimator, X, frame[["c", "a", "b"]]) == expected


def test_rows_without_labels_are_refused():
    with pytest.raises(LabelError, match="at least one labelled cell"):
        average_precision_scorer(_Weighted(), np.ones((2, 2)), -np.ones((2, 2)))


def test_an_estimator_of_another_width_is_refused(data):
    X, Y = data
    with pytest.raises(ScoreError, match=r"shape \(30, 2\), got \(30, 3\)"):
        average_precision_scorer(_Weighted(), X, Y[:, :2])
