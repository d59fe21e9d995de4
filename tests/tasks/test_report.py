"""The page of a trained model: from files to what it shows."""

import os

import numpy as np
import pandas as pd
import pytest

from hilabel.datasets import write_example
from hilabel.exceptions import ParameterError
from hilabel.metrics import average_precision
from hilabel.persistence import load_model, save_model
from hilabel.tasks import (
    FitChoices,
    TableFiles,
    convert_dataset,
    fit_table,
    report_model,
)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return write_example(tmp_path_factory.mktemp("genes"), "go")


@pytest.fixture(scope="module")
def model(files, tmp_path_factory):
    """Return a model that has been in a file."""
    tables = TableFiles(files["features"], files["labels"], files["hierarchy"])
    path = tmp_path_factory.mktemp("model") / "genes.hilabel"
    choices = FitChoices(effort="fast", parameters={"n_estimators": 60})
    save_model(fit_table(tables, choices).model, path)
    return load_model(path)


@pytest.fixture(scope="module")
def payload(model, files):
    return report_model(model, files["features"]).payload


def nodes_of(payload, model):
    return [model.hierarchy.node(name) for name in payload["terms"]["id"]]


def test_terms_have_what_the_model_was_measured_by_in_training(payload, model):
    terms, nodes = payload["terms"], nodes_of(payload, model)
    judgement = model.judgement
    assert payload["measured_on"] == "out of fold"
    assert terms["is_uninformative"].tolist() == (~model.informative[nodes]).tolist()
    for at, node in enumerate(nodes):
        assert terms["rows"][at] == (model.marks.toarray()[:, node] > 0).sum()
        assert terms["threshold"][at] == model.decision.threshold[node]
        assert terms["name"][at] == model.hierarchy.titles[node]
        if model.informative[node]:
            assert terms["ap"][at] == judgement.node_quality[node]
            assert terms["reliable"][at] == judgement.reliable[node]
    assert set(terms["aspect"]) == set(model.ontology.aspects.values())


def test_the_first_screen_has_what_fit_told(payload, model):
    summary, found = payload["summary"], model.summary["quality"]
    assert summary["scores"][0] == {
        "measure": "micro average precision",
        "model": found["average_precision"],
        "constant": found["constant_average_precision"],
        "better": "higher",
    }
    curves = summary["curves"]["precision_recall"]
    assert curves[0]["average_precision"] == pytest.approx(found["average_precision"])
    assert curves[0]["constant"] == found["constant_average_precision"]
    facts = dict(summary["facts"])
    assert facts["rows in training"] == "400: 150 labelled, 250 unlabelled"
    assert summary["choices"] == list(model.record.statements)
    assert summary["settings"] == {"n_estimators": 60}
    assert summary["warnings"] == []


def test_labelled_rows_are_shown_as_models_without_them_see_them(payload, model, files):
    shown = payload["rows"]
    table = model.read(files["features"])
    by_model = model.predict_proba(table)
    nodes = nodes_of(payload, model)
    for at, row_id in enumerate(shown["id"]):
        row = model.sample_ids.index(row_id)
        is_labeled = bool(model.labeled[row])
        scored = "out of fold" if is_labeled else "by the model"
        assert shown["scored"][at] == scored
        assert shown["state"][at] == ("labelled" if is_labeled else "unlabelled")
        scores = model.left_out[[row]].toarray()[0] if is_labeled else by_model[at]
        for term, value, precision in shown["predicted"][at]:
            assert value == pytest.approx(scores[nodes[term]], abs=2e-6)
            expected = model.judgement.precision.precision_from(value)
            assert precision == pytest.approx(expected)


def test_without_features_the_labelled_rows_of_training_are_there(payload, model):
    alone = report_model(model).payload
    assert alone["rows"]["id"] == [
        name for name, known in zip(model.sample_ids, model.labeled) if known
    ]
    at = payload["rows"]["id"].index(alone["rows"]["id"][3])
    assert alone["rows"]["predicted"][3] == payload["rows"]["predicted"][at]
    assert any("No evidence" in said for said in alone["left_out"])


def test_rows_with_labels_that_are_new_are_what_is_measured_on(model, files, tmp_path):
    renamed = {name: f"new {name}" for name in model.sample_ids}
    features = pd.read_csv(files["features"], index_col=0).rename(index=renamed)
    features.to_csv(tmp_path / "new.csv")
    rows, nodes = np.nonzero(model.marks.toarray() == 2)
    pairs = [
        (renamed[model.sample_ids[row]], model.hierarchy.names[node])
        for row, node in zip(rows, nodes)
    ]
    labels = pd.DataFrame(pairs, columns=["id", "term"])
    labels.to_csv(tmp_path / "new.tsv", sep="\t", index=False)
    given = TableFiles(tmp_path / "new.csv", tmp_path / "new.tsv", assume_complete=True)
    payload = report_model(model, files=given).payload
    assert payload["measured_on"] == "on the rows given"
    assert set(payload["rows"]["state"]) == {"new"}
    known = np.where(model.labeled[:, None], (model.marks > 0).toarray(), -1)
    known = known.astype(np.int8)
    known[:, ~model.informative] = -1
    scores = model.predict_proba(model.read(tmp_path / "new.csv"))
    micro = payload["summary"]["scores"][0]["model"]
    assert micro == pytest.approx(average_precision(known, scores))


def model_names(files):
    """Return the names of the columns, with one for each category."""
    table = pd.get_dummies(pd.read_csv(files["features"], index_col=0), prefix_sep="=")
    return table.columns


def test_a_model_that_was_not_measured_says_so(files):
    tables = TableFiles(files["features"], files["labels"], files["hierarchy"])
    choices = FitChoices(
        method="LinearClassifier", measure=False, parameters={"C": 0.1}
    )
    payload = report_model(fit_table(tables, choices).model, files["features"]).payload
    assert payload["measured_on"] is None
    (warning,) = payload["summary"]["warnings"]
    assert warning.startswith("The quality of this model is unknown")
    assert payload["terms"]["features_are"].startswith("coefficients")
    assert set(payload["terms"]["threshold"]) == {0.5}
    _, parts = payload["rows"]["evidence"][0]["contributions"][0]
    assert dict(parts).keys() <= set(model_names(files))
    assert any("150 rows are not in the lists" in said for said in payload["left_out"])


@pytest.mark.skipif(
    not os.environ.get("HILABEL_SLOW_TESTS"),
    reason="trains on a whole data set; set HILABEL_SLOW_TESTS=1",
)
def test_the_page_of_a_whole_ontology_fits_a_mail(data_home, tmp_path):
    convert_dataset("GO/cellcycle", tmp_path, data_home=data_home)
    tables = [tmp_path / name for name in ("features.csv", "labels.tsv")]
    files = TableFiles(*tables, tmp_path / "hierarchy.csv", min_count=0)
    model = fit_table(files, FitChoices(effort="fast")).model
    page = report_model(model, tables[0])
    assert len(page.payload["terms"]["id"]) == 4125
    assert len(page.html.encode()) < 5_000_000


def test_features_are_given_once(model, files):
    tables = TableFiles(files["features"], files["labels"])
    with pytest.raises(ParameterError, match="remove one of them"):
        report_model(model, files["features"], tables)


def test_a_picture_of_pseudo_labels_needs_the_training_rows(files, tmp_path):
    tables = TableFiles(files["features"], files["labels"], files["hierarchy"])
    parameters = {"max_iter": 1}
    choices = FitChoices(
        method="STHC", base="logistic", parameters=parameters, measure=False
    )
    trained = fit_table(tables, choices).model

    def picture(features):
        return report_model(trained, features).payload["summary"]["pseudo_labels"][
            "picture"
        ]

    assert picture(files["features"])["alt"].count("STHC: ") == 3
    assert picture(None) is None
    some = pd.read_csv(files["features"]).head(30)
    some.to_csv(tmp_path / "some.csv", index=False)
    assert picture(tmp_path / "some.csv") is None
