"""Why a row gets its terms: what trees ask, and what others do not have."""

import numpy as np
import pandas as pd
import pytest

from hilabel.datasets import TablePreparation, write_example
from hilabel.tasks import FitChoices, TableFiles, explain_row, fit_table


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return write_example(tmp_path_factory.mktemp("genes"), "go")


def fitted(files, method, **parameters):
    tables = TableFiles(files["features"], files["labels"], files["hierarchy"])
    choices = FitChoices(method=method, parameters=parameters, thresholds=None)
    return fit_table(tables, choices).model


def explained(files, method, row="G0002", **parameters):
    model = fitted(files, method, **parameters)
    return model, explain_row(model, row, files["features"])


@pytest.mark.parametrize(
    "method", ["PredictiveClusteringForest", "PredictiveClusteringTree", "SSLPCT"]
)
def test_trees_of_all_terms_name_features_and_have_no_probability_of_their_own(
    method, files
):
    model, result = explained(files, method, **({"w": 0.5} if "SSL" in method else {}))
    assert result.decisions[["own", "limited_by"]].isna().all(axis=None)
    for features in result.decisions["features"]:
        assert set(features.split(", ")) <= set(model.feature_names)


@pytest.mark.parametrize("method", ["PredictiveClusteringTree", "SSLPCT"])
def test_the_path_of_a_tree_holds_for_the_values_of_the_row(method, files):
    parameters = {"w": 0.5} if method == "SSLPCT" else {}
    model, result = explained(files, method, **parameters)
    table = model.read(files["features"])
    raw = TablePreparation().fit_transform(table)[table.ids.index("G0002")]
    assert len(result.path) > 1
    for step in result.path.itertuples():
        name, sign, threshold = step.decision.split(" ")
        assert step.value == pytest.approx(raw[model.feature_names.index(name)])
        assert (step.value <= float(threshold)) == (sign == "<=")
    assert result.path["rows"].is_monotonic_decreasing
    assert result.path["rows"].iloc[0] == 150


def test_a_missing_value_says_with_whom_it_goes(files):
    model = fitted(files, "PredictiveClusteringTree", min_samples_leaf=1)
    table = model.read(files["features"])
    lacking = np.flatnonzero(np.isnan(model.matrix(table)).any(axis=1))
    paths = [
        explain_row(model, table.ids[row], files["features"]).path for row in lacking
    ]
    steps = pd.concat(paths)
    is_missing = steps["value"].isna()
    assert steps["decision"][is_missing].str.contains("missing, as [<>]").any()
    assert steps["decision"][is_missing].str.contains(" missing").all()
    assert not steps["decision"][~is_missing].str.contains(" missing").any()


def test_the_path_of_a_forest_counts_its_trees(files):
    model, result = explained(files, "PredictiveClusteringForest", n_estimators=20)
    trees = model.estimator.trees_
    table = model.read(files["features"])
    X = model.matrix(table)[[table.ids.index("G0002")]]
    asked = {name: set() for name in model.feature_names}
    for place in trees.splits_passed(X):
        name = model.feature_names[trees.feature[place]]
        asked[name].add(int(trees.tree_of(place)))
    for row in result.path.itertuples():
        assert row.share == len(asked[row.feature]) / 20
    assert result.path["share"].is_monotonic_decreasing


def test_other_methods_have_no_path(files):
    _, result = explained(files, "PriorClassifier")
    assert result.path.empty
    assert set(result.decisions["features"]) == {""}
