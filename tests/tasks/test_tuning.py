"""Choose parameters on rows that train no model."""

import warnings

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from hilabel.classifiers import PriorClassifier
from hilabel.datasets import make_artificial
from hilabel.exceptions import HilabelWarning, ParameterError
from hilabel.metrics import average_precision
from hilabel.semi_supervised import SSHMCBLI
from hilabel.tasks import FitChoices, TableFiles, compare_methods, evaluate_table
from hilabel.tasks._tuning import check_points, grid_points, tune, tuning_table
from hilabel.tasks._validation_rows import ValidationRows

GRID = {"n_neighbors": [3, 4], "similarity_threshold": [0.3, 0.7]}
ALL = np.ones(6, dtype=bool)


def silent(message, done, total):
    pass


@pytest.fixture(scope="module")
def rows():
    data = make_artificial()
    X = np.vstack([data.X_labeled, data.X_unlabeled])
    Y = np.full((len(X), 6), -1, dtype=np.int8)
    Y[: len(data.Y_labeled)] = data.Y_labeled
    valid = ValidationRows(data.X_test[::5], data.Y_test[::5].astype(np.int8), "")
    return data.hierarchy, X, Y, valid


def model_of(hierarchy, **parameters):
    return SSHMCBLI(hierarchy, estimator=GaussianNB(), random_state=0, **parameters)


def test_the_best_point_is_that_of_a_loop(rows):
    hierarchy, X, Y, valid = rows
    tuned = tune(model_of(hierarchy), GRID, X, Y, valid, ALL, silent)
    scores = []
    for point in grid_points(GRID):
        model = model_of(hierarchy, **point).fit(X, Y)
        scores.append(average_precision(valid.Y, model.predict_proba(valid.X)))
    assert [one["score"] for one in tuned.summary["points"]] == scores
    assert tuned.best == grid_points(GRID)[int(np.argmax(scores))]
    expected = model_of(hierarchy, **tuned.best).fit(X, Y)
    np.testing.assert_array_equal(
        tuned.estimator.predict_proba(valid.X), expected.predict_proba(valid.X)
    )
    assert tuned.estimator.get_params()["memory"] is None
    table = tuning_table(tuned.summary)
    assert list(table) == [*GRID, "micro_AP", "chosen"]
    assert (table["chosen"] == "yes").sum() == 1


def test_of_equal_points_the_first_is_kept(rows):
    hierarchy, X, Y, valid = rows
    grid = {"max_iter": [60, 50]}  # both converge before
    model = model_of(hierarchy, variant="v1")
    assert tune(model, grid, X, Y, valid, ALL, silent).best == {"max_iter": 60}


def test_a_point_that_fails_does_not_discard_the_others(rows):
    hierarchy, X, Y, valid = rows
    grid = {"n_neighbors": [400, 3]}
    tuned = tune(model_of(hierarchy), grid, X, Y, valid, ALL, silent)
    assert tuned.best == {"n_neighbors": 3}
    table = tuning_table(tuned.summary)
    assert table["micro_AP"].isna().tolist() == [True, False]
    assert "400" in table["error"][0]
    with pytest.raises(ValueError, match="400"):
        tune(model_of(hierarchy), {"n_neighbors": [400]}, X, Y, valid, ALL, silent)


def test_only_informative_nodes_are_measured(rows):
    hierarchy, X, Y, valid = rows
    says = ALL.copy()
    says[hierarchy.roots] = False
    tuned = tune(model_of(hierarchy), {"n_neighbors": [3]}, X, Y, valid, says, silent)
    model = model_of(hierarchy, n_neighbors=3).fit(X, Y)
    scores = model.predict_proba(valid.X)
    expected = average_precision(valid.Y[:, says], scores[:, says])
    assert tuned.summary["points"][0]["score"] == pytest.approx(expected, abs=1e-12)


def test_a_repeated_warning_is_issued_once(rows):
    hierarchy, X, Y, valid = rows
    Y = Y.copy()
    Y[Y[:, 0] >= 0, 0] = 1
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tune(model_of(hierarchy), GRID, X, Y, valid, ALL, silent)
    texts = [str(one.message) for one in caught if one.category is HilabelWarning]
    assert texts
    assert len(texts) == len(set(texts))


def test_warnings_of_others_keep_their_category(rows):
    class Warns(GaussianNB):
        def fit(self, X, y, sample_weight=None):
            warnings.warn("of another package", FutureWarning, stacklevel=2)
            return super().fit(X, y, sample_weight)

    hierarchy, X, Y, valid = rows
    model = model_of(hierarchy).set_params(estimator=Warns())
    with pytest.warns(FutureWarning, match="of another package") as caught:
        tune(model, {"n_neighbors": [3]}, X, Y, valid, ALL, silent)
    assert {one.category for one in caught} == {FutureWarning}


def test_values_are_checked_before_any_training():
    with pytest.raises(ValueError, match="'n_neighbors' parameter"):
        check_points(SSHMCBLI(), grid_points({"n_neighbors": [3, 0]}))
    check_points(PriorClassifier(), grid_points({}))


def test_only_fitting_tunes():
    files = TableFiles("x.csv", "y.csv")
    choices = FitChoices(tune={"k": [3]}, valid_share=0.2)
    with pytest.raises(ParameterError, match="only tuned by fit_table"):
        evaluate_table(files, choices)
    with pytest.raises(ParameterError, match="only tuned by fit_table"):
        compare_methods(files, ["V2"], choices)
