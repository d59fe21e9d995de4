"""Warnings name the line of the user, not one of the library."""

import warnings

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV

from hilabel import Hierarchy, _warning
from hilabel.classifiers import LocalClassifierPerLevel
from hilabel.datasets import make_artificial
from hilabel.exceptions import HilabelWarning
from hilabel.metrics import average_precision
from hilabel.semi_supervised import SSHMCBLI, STML


def train_per_level():
    dag = Hierarchy.from_edges([("a", "c"), ("b", "c"), ("a", "b")])
    model = LocalClassifierPerLevel(dag, random_state=0)
    model.fit(np.eye(4), np.array([[1, 0, 0], [1, 1, 0], [1, 1, 1], [1, 0, 0]]))


def label_nothing():
    data = make_artificial()
    model = SSHMCBLI(data.hierarchy, similarity_threshold=1.0, random_state=0)
    model.fit(data.X_labeled, data.Y_labeled, 100 + data.X_unlabeled)


def self_train_on_nothing():
    data = make_artificial()
    model = STML(data.hierarchy, threshold=1.0, max_iter=1, random_state=0)
    model.fit(data.X_labeled, data.Y_labeled, data.X_unlabeled)


def measure_nothing():
    average_precision(np.zeros((2, 2)), np.zeros((2, 2)))


@pytest.mark.parametrize(
    "act", [train_per_level, label_nothing, self_train_on_nothing, measure_nothing]
)
def test_a_warning_points_to_this_file(act):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        act()
    ours = [item for item in caught if issubclass(item.category, HilabelWarning)]
    assert ours
    assert {item.filename for item in ours} == {__file__}


def warn_twice():
    for _ in range(2):
        with warnings.catch_warnings():  # as scikit-learn does for every fit
            measure_nothing()


@pytest.mark.parametrize(
    ("action", "n_shown"),
    [("default", 1), ("once", 1), ("always", 2), ("ignore", 0)],
)
def test_a_line_shows_a_warning_as_often_as_its_filter_asks(
    action, n_shown, monkeypatch
):
    monkeypatch.setattr(_warning, "_shown", set())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.filterwarnings(action, category=HilabelWarning)
        warn_twice()
    assert len(caught) == n_shown


def test_an_error_is_raised_each_time(monkeypatch):
    monkeypatch.setattr(_warning, "_shown", set())
    warnings.filterwarnings("error", "No node", HilabelWarning)
    for _ in range(2):
        with pytest.raises(HilabelWarning):
            measure_nothing()


def test_a_search_shows_a_warning_once_and_at_the_line_of_the_user(monkeypatch):
    monkeypatch.setattr(_warning, "_shown", set())
    data = make_artificial()
    X = np.concatenate([data.X_labeled, 100 + data.X_unlabeled])
    Y = np.full((len(X), data.Y_labeled.shape[1]), -1)
    Y[: len(data.Y_labeled)] = data.Y_labeled
    model = SSHMCBLI(data.hierarchy, similarity_threshold=1.0, random_state=0)
    search = GridSearchCV(
        model,
        {"n_neighbors": [3, 4]},
        scoring=lambda model, X, Y: 1.0,
        cv=[(np.arange(len(X)), np.arange(4))] * 2,
        refit=False,
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        search.fit(X, Y)
    assert {item.filename for item in caught} == {__file__}
    texts = [str(item.message) for item in caught]
    assert any("was accepted" in text for text in texts)
    assert len(texts) == len(set(texts))
