"""Why a row gets its terms: what trees ask, and what others do not have."""

import numpy as np
import pandas as pd
import pytest

from hilabel.classifiers import LinearClassifier, PredictiveClusteringForest
from hilabel.datasets import TablePreparation, write_example
from hilabel.semi_supervised import LabelSpreading, ViewsClassifier
from hilabel.tasks import (
    FitChoices,
    TableFiles,
    explain_row,
    fit_table,
    report_model,
)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return write_example(tmp_path_factory.mktemp("genes"), "go")


def fitted(files, method, **parameters):
    tables = TableFiles(files["features"], files["labels"], files["hierarchy"])
    choices = FitChoices(method=method, parameters=parameters, measure=False)
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


def test_a_blend_tells_what_its_members_say_and_the_rows_around(files):
    candidates = {
        "forest": PredictiveClusteringForest(n_estimators=5),
        "spreading": LabelSpreading(),
        "views": ViewsClassifier(estimator=LinearClassifier()),
    }
    model, result = explained(files, "Blend", candidates=candidates)
    estimator = model.estimator
    table = model.read(files["features"])
    X = model.matrix(table)[[table.ids.index("G0002")]]
    said = estimator.member_scores(X)
    assert set(result.members["member"]) == set(said)
    shares = {one.name: one.share for one in estimator.candidates_}
    means = np.zeros(model.hierarchy.n_nodes)
    for one in result.members.itertuples():
        node = model.hierarchy.node(one.term)
        assert one.score == pytest.approx(said[one.member][0, node])
        assert one.share == shares[one.member]
        means[node] += one.share * one.score
    for one in result.decisions.itertuples():  # uncalibrated here
        node = model.hierarchy.node(one.term)
        assert one.probability == pytest.approx(means[node], abs=1e-5)


def test_the_page_has_the_same_evidence(files):
    candidates = {
        "trees": PredictiveClusteringForest(n_estimators=5),
        "linear": LinearClassifier(),
        "views": ViewsClassifier(estimator=LinearClassifier()),
    }
    tables = TableFiles(files["features"], files["labels"], files["hierarchy"])
    choices = FitChoices(method="Blend", parameters={"candidates": candidates})
    model = fit_table(tables, choices).model
    payload = report_model(model, files["features"]).payload
    shown, names = payload["rows"], payload["terms"]["id"]
    labeled = model.sample_ids[int(model.labeled.argmax())]
    unlabeled = model.sample_ids[int((~model.labeled).argmax())]
    for row_id in (labeled, unlabeled):
        at = shown["id"].index(row_id)
        why, on_page = explain_row(model, row_id, files["features"]), shown["evidence"]
        assert why.scored == shown["scored"][at]
        columns = ["id", "distance", "found_by", "labels_given", "shares_leaves"]
        near = [
            {name: one[name] for name in columns} for one in on_page[at]["neighbors"]
        ]
        assert why.neighbors[columns].to_dict("records") == near
        assert row_id not in set(why.neighbors["id"])
        decided = {names[term] for term, *_ in shown["predicted"][at]}
        assert set(why.decisions["term"][why.decisions["predicted"]]) == decided
        scores = {
            (member["name"], names[term]): pytest.approx(score)
            for member in on_page[at]["members"]
            for term, score in member["scores"]
        }
        told = {(one.member, one.term): one.score for one in why.members.itertuples()}
        assert all(scores[key] == told[key] for key in scores.keys() & told.keys())
        assert bool(told) == bool(scores) == (row_id == unlabeled)


def test_rows_around_are_named_with_their_distances(files):
    model, result = explained(files, "NeighborsClassifier", n_neighbors=4, scale=True)
    found = result.neighbors
    assert set(found["found_by"]) == {"the method"}
    assert len(found) == 4
    assert found["labels_given"].all()
    assert (found["labels"] != "").all()
    assert found["distance"].is_monotonic_increasing
    table = model.read(files["features"])
    rows = model.matrix(table)[[table.ids.index(one) for one in found["id"]]]
    labeled = model.matrix(table)[model.labeled]
    scale, mean = np.nanstd(labeled, axis=0), np.nanmean(labeled, axis=0)
    row = model.matrix(table)[table.ids.index("G0002")]
    apart = np.nan_to_num((rows - mean) / scale) - np.nan_to_num((row - mean) / scale)
    np.testing.assert_allclose(
        found["distance"], np.linalg.norm(apart, axis=1), rtol=1e-4
    )


def test_views_look_at_labelled_and_unlabelled_rows(files):
    _, result = explained(files, "ViewsClassifier")
    near = result.neighbors
    for view in ("views, euclidean", "views, correlation"):
        assert 0 < (near["found_by"] == view).sum() <= 5
    assert "G0002" not in set(near["id"])  # it is not its own neighbour
    assert not near["labels_given"].all()
    assert result.path.empty  # its trees ask for columns that the table does not have


def test_a_chain_of_thousands_of_terms_is_walked_without_recursion(tmp_path):
    n_terms = 2000
    edges = [f"t{term - 1},t{term}\n" for term in range(1, n_terms)]
    contents = {
        "features": "id,x\na,1\nb,2\n",
        "labels": f"id,term\na,t{n_terms - 1}\nb,t0\n",
        "hierarchy": "".join(["parent,child\n", *edges]),
    }
    paths = {name: tmp_path / f"{name}.csv" for name in contents}
    for name, path in paths.items():
        path.write_text(contents[name])
    tables = TableFiles(*paths.values(), min_count=1)
    choices = FitChoices(method="PriorClassifier", measure=False)
    found = explain_row(fit_table(tables, choices).model, "a", paths["features"])
    # All rows have the root, which is therefore no prediction.
    below = [f"t{term}" for term in range(1, n_terms)]
    assert found.decisions["term"].tolist() == below
