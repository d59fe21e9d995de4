"""Whole jobs on genes that are annotated in one aspect alone, with hidden truth."""

import numpy as np
import pytest
from two_aspects import write_genes

from hilabel.metrics import average_precision
from hilabel.persistence import load_model, save_model
from hilabel.tasks import (
    FitChoices,
    TableFiles,
    evaluate_model,
    evaluate_table,
    fit_table,
    inspect_table,
    predict_table,
)

FOREST = FitChoices(fast=True, parameters={"n_estimators": 20})
# A method that cannot leave out single cells, and a quick one.
LEVELS = FitChoices(
    method="LocalClassifierPerLevel",
    base="tree",
    parameters={"estimator__max_depth": 3},
    folds=2,
)


@pytest.fixture(scope="module")
def genes(tmp_path_factory):
    return write_genes(tmp_path_factory.mktemp("genes"))


def files_of(genes, **options):
    return TableFiles(genes.features, genes.labels, genes.hierarchy, **options)


@pytest.fixture(scope="module")
def fitted(genes):
    return fit_table(files_of(genes), FOREST)


def test_unknown_aspects_are_counted_and_told(genes, fitted):
    counts = {
        "biological_process": int((~genes.is_known["P"]).sum()),
        "molecular_function": int((~genes.is_known["F"]).sum()),
    }
    assert fitted.report.unknown_rows == counts
    assert any(
        f"{counts['biological_process']} labelled rows in biological_process" in said
        for said in fitted.sentences
    )
    facts = inspect_table(files_of(genes)).facts
    told = f"{counts['molecular_function']} labelled rows"
    assert facts["unknown in molecular_function"] == told
    assert facts["NOT annotations"].startswith("20; 20 used")
    complete = inspect_table(files_of(genes, assume_complete=True)).facts
    assert "unknown in molecular_function" not in complete


def test_shares_are_of_the_rows_that_know(genes, fitted, tmp_path):
    model = load_model(save_model(fitted.model, tmp_path / "m.hilabel"))
    dataset = files_of(genes).load().dataset
    rows = genes.is_known["F"]
    node = model.hierarchy.node("GO:F1")
    assert model.prior[node] == (dataset.Y[rows, node] == 1).mean()
    frame = predict_table(model, model.read(genes.new))
    shown = frame[frame.term == "GO:F1"].frequency
    assert (shown == model.prior[node]).all()


def test_unknown_is_better_than_absent_on_hidden_truth(genes, fitted):
    truth = TableFiles(genes.new, genes.truth, genes.hierarchy)
    found = evaluate_model(fitted.model, truth).per_node.set_index("name")
    absent = fit_table(files_of(genes, assume_complete=True), FOREST)
    before = evaluate_model(absent.model, truth).per_node.set_index("name")
    terms = [name for name in found.index if name.startswith("GO:P") and name != "GO:P"]
    gain = found.average_precision[terms] - before.average_precision[terms]
    assert gain.mean() > 0.03
    # The estimate is nearer to what new genes show.
    measured = {
        name: result.model.summary["out_of_fold"]["average_precision"]
        for name, result in (("unknown", fitted), ("absent", absent))
    }
    true = evaluate_model(fitted.model, truth).measures.model[0]
    assert abs(measured["unknown"] - true) < abs(measured["absent"] - true)


def test_a_method_that_cannot_takes_absent_and_says_so(genes):
    files = files_of(genes)
    result = fit_table(files, LEVELS)
    said = [part for part in result.sentences if part.startswith("unknown: ")]
    assert "LocalClassifierPerLevel treats as absent" in said[0]
    absent = fit_table(files_of(genes, assume_complete=True), LEVELS)
    X = result.model.matrix(result.model.read(genes.new))
    np.testing.assert_array_equal(
        result.model.estimator.predict_proba(X), absent.model.estimator.predict_proba(X)
    )
    assert not [part for part in absent.sentences if "unknown:" in part]
    # What it is measured on are the known cells, as those of any other method.
    quality = result.model.summary["out_of_fold"]
    of_forest = fit_table(
        files, FitChoices(fast=True, parameters={"n_estimators": 1}, folds=2)
    )
    assert (
        quality["constant_average_precision"]
        == of_forest.model.summary["out_of_fold"]["constant_average_precision"]
    )
    evaluation = evaluate_table(files, LEVELS)
    assert evaluation.measures.model[0] == pytest.approx(quality["average_precision"])
    n_known = evaluation.per_node.set_index("name").n_known
    assert n_known["GO:F1"] == genes.is_known["F"].sum()


def test_a_test_file_is_measured_where_it_is_known(genes, fitted):
    data = files_of(genes).load()
    evaluation = evaluate_model(fitted.model, files_of(genes))
    n_known = evaluation.per_node.set_index("name").n_known
    known = data.dataset.Y >= 0
    assert n_known["GO:P"] == genes.is_known["P"].sum()
    assert n_known.tolist() == known.sum(axis=0).tolist()
    table = fitted.model.read(genes.features)
    scores = fitted.model.predict_proba(table)
    says = ~np.isin(fitted.model.hierarchy.names, ["GO:P", "GO:F"])
    assert evaluation.measures.model[0] == average_precision(
        data.dataset.Y[:, says], scores[:, says]
    )
