"""Choose parameters on rows that train no model."""

import warnings

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from hilabel import Hierarchy
from hilabel._label_matrix import LabelMatrix
from hilabel.classifiers import PriorClassifier
from hilabel.datasets import make_artificial
from hilabel.exceptions import HilabelWarning, ParameterError
from hilabel.metrics import average_precision
from hilabel.semi_supervised import SSHMCBLI
from hilabel.tasks import FitChoices, TableFiles, compare_methods, evaluate_table
from hilabel.tasks._tuning import check_points, grid_points, tune, tuning_table
from hilabel.tasks._validation_rows import ValidationRows

GRID = {"n_neighbors": [3, 4], "similarity_threshold": [0.3, 0.7]}


def silent(message, done, total):
    pass


@pytest.fixture(scope="module")
def rows():
    data = make_artificial()
    X = np.vstack([data.X_labeled, data.X_unlabeled])
    Y = np.full((len(X), 6), -1, dtype=np.int8)
    Y[: len(data.Y_labeled)] = data.Y_labeled
    labels = LabelMatrix.of(data.Y_test[::5].astype(np.int8))
    return data.hierarchy, X, Y, ValidationRows(data.X_test[::5], labels, "")


def model_of(hierarchy, **parameters):
    return SSHMCBLI(hierarchy, estimator=GaussianNB(), random_state=0, **parameters)


def tuned_on(rows, grid, model=None):
    hierarchy, X, Y, valid = rows
    model = model_of(hierarchy) if model is None else model
    data = model.check_training_data(X, LabelMatrix.of(Y))
    return tune(model, grid_points(grid), data, valid, silent)


def test_the_best_point_is_that_of_a_loop(rows):
    hierarchy, X, Y, valid = rows
    tuned = tuned_on(rows, GRID)
    true = valid.labels.to_array()
    scores = []
    for point in grid_points(GRID):
        model = model_of(hierarchy, **point).fit(X, Y)
        scores.append(average_precision(true, model.predict_proba(valid.X)))
    found = [one["score"] for one in tuned.summary["points"]]
    assert found == pytest.approx(scores, abs=1e-6)
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
    model = model_of(rows[0], variant="v1")
    grid = {"max_iter": [60, 50]}  # both converge before
    assert tuned_on(rows, grid, model).best == {"max_iter": 60}


def test_a_point_that_fails_does_not_discard_the_others(rows):
    tuned = tuned_on(rows, {"n_neighbors": [400, 3]})
    assert tuned.best == {"n_neighbors": 3}
    table = tuning_table(tuned.summary)
    assert table["micro_AP"].isna().tolist() == [True, False]
    assert "400" in table["error"][0]
    with pytest.raises(ValueError, match="400"):
        tuned_on(rows, {"n_neighbors": [400]})


@pytest.mark.filterwarnings("ignore:.*'top'.*constant probability")
def test_only_informative_nodes_are_measured(rows):
    hierarchy, X, Y, valid = rows
    top = Hierarchy([*hierarchy.names, "top"], _under(hierarchy))
    Y, true = (
        np.column_stack([one, np.where(one[:, 0] < 0, -1, 1)]).astype(np.int8)
        for one in (Y, valid.labels.to_array())
    )
    valid = ValidationRows(valid.X, LabelMatrix.of(true), "")
    tuned = tuned_on((top, X, Y, valid), {"n_neighbors": [3]}, model_of(top))
    scores = model_of(top, n_neighbors=3).fit(X, Y).predict_proba(valid.X)
    expected = average_precision(true[:, :-1], scores[:, :-1])
    assert tuned.summary["points"][0]["score"] == pytest.approx(expected, abs=1e-6)


def _under(hierarchy):
    """Return the edges of a hierarchy with a node above its roots."""
    above = [(hierarchy.n_nodes, root) for root in hierarchy.roots]
    return np.vstack([hierarchy.edges, above])


def test_a_repeated_warning_is_issued_once(rows):
    hierarchy, X, Y, valid = rows
    Y = Y.copy()
    Y[Y[:, 0] >= 0, 0] = 1
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tuned_on((hierarchy, X, Y, valid), GRID)
    texts = [str(one.message) for one in caught if one.category is HilabelWarning]
    assert texts
    assert len(texts) == len(set(texts))


def test_warnings_of_others_keep_their_category(rows):
    class Warns(GaussianNB):
        def fit(self, X, y, sample_weight=None):
            warnings.warn("of another package", FutureWarning, stacklevel=2)
            return super().fit(X, y, sample_weight)

    model = model_of(rows[0]).set_params(estimator=Warns())
    with pytest.warns(FutureWarning, match="of another package") as caught:
        tuned_on(rows, {"n_neighbors": [3]}, model)
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
