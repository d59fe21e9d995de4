"""Predictions: the terms shown never contradict the hierarchy."""

import numpy as np
import pytest

from hilabel.datasets import write_example
from hilabel.exceptions import ModelFileError
from hilabel.persistence import save_model
from hilabel.tasks import (
    FitChoices,
    PredictChoices,
    TableFiles,
    fit_table,
    predict_file,
    predict_table,
)


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    files = write_example(tmp_path_factory.mktemp("genes"), "go")
    choices = FitChoices(parameters={"estimator__n_estimators": 5}, folds=2)
    tables = TableFiles(files["features"], files["labels"], files["hierarchy"])
    model = fit_table(tables, choices).model
    return model, model.read(files["features"])


@pytest.mark.parametrize(
    "choices",
    [
        *(PredictChoices(top=top) for top in (1, 3, 7)),
        PredictChoices(threshold="model"),
        PredictChoices(threshold=0.4, top=4),
        PredictChoices(per_node=True),
        PredictChoices(per_node=True, top=5),
    ],
    ids=str,
)
def test_the_terms_of_a_row_are_closed_over_ancestors(choices, fitted):
    model, table = fitted
    frame = predict_table(model, table, choices)
    labels = np.zeros((len(table), model.hierarchy.n_nodes), dtype=bool)
    rows = [table.ids.index(row_id) for row_id in frame["id"]]
    labels[rows, [model.hierarchy.node(term) for term in frame["term"]]] = True
    assert model.hierarchy.is_consistent(labels)
    if choices.top is not None:
        assert labels.sum(axis=1).max() <= choices.top


def test_probabilities_are_those_of_the_model(fitted):
    model, table = fitted
    scores = model.predict_proba(table)
    for row in predict_table(model, table).sample(50, random_state=0).itertuples():
        node = model.hierarchy.node(row.term)
        assert row.probability == scores[table.ids.index(row.id), node]
        assert row.name == model.hierarchy.titles[node]


def test_a_model_without_its_table_is_refused(fitted, tmp_path):
    path = save_model(fitted[0].estimator, tmp_path / "bare.hilabel")
    with pytest.raises(ModelFileError, match="written by 'hilabel fit', got a Local"):
        predict_file(path, "x.csv", tmp_path / "terms.csv")


@pytest.mark.parametrize("threshold", ["modle", 1.5, -0.1, float("nan")])
def test_a_threshold_that_is_none_is_refused(threshold, fitted):
    with pytest.raises(ValueError, match=f"from 0 to 1, 'model' .* {threshold!r}"):
        predict_table(*fitted, PredictChoices(threshold=threshold))
