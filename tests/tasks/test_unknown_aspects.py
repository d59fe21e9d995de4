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

FOREST = FitChoices(effort="fast", parameters={"n_estimators": 20})
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
        for said in fitted.details
    )
    facts = inspect_table(files_of(genes)).facts
    told = f"{counts['molecular_function']} labelled rows"
    assert facts["unknown in molecular_function"] == told
    assert facts["NOT annotations"].startswith("20; 20 used")
    complete = inspect_table(files_of(genes, assume_complete=True)).facts
    assert "unknown in molecular_function" not in complete


def test_shares_are_of_the_rows_that_know(genes, fitted, tmp_path):
    model = load_model(save_model(fitted.model, tmp_path / "m.hilabel"))
    labels = files_of(genes).read().labels.to_array()
    rows = genes.is_known["F"]
    node = model.hierarchy.node("GO:F1")
    assert model.prior[node] == (labels[rows, node] == 1).mean()
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
        name: result.model.judgement.quality.micro
        for name, result in (("unknown", fitted), ("absent", absent))
    }
    true = evaluate_model(fitted.model, truth).measures.model[0]
    assert abs(measured["unknown"] - true) < abs(measured["absent"] - true)


def test_a_method_that_cannot_takes_absent_and_says_so(genes):
    files = files_of(genes)
    result = fit_table(files, LEVELS)
    said = [part for part in result.details if part.startswith("unknown: ")]
    assert "LocalClassifierPerLevel treats as absent" in said[0]
    absent = fit_table(files_of(genes, assume_complete=True), LEVELS)
    X = result.model.matrix(result.model.read(genes.new))
    np.testing.assert_array_equal(
        result.model.estimator.predict_proba(X), absent.model.estimator.predict_proba(X)
    )
    assert not [part for part in absent.details if "unknown:" in part]
    # What it is measured on are the known cells, as those of any other method.
    of_forest = fit_table(
        files, FitChoices(effort="fast", parameters={"n_estimators": 1}, folds=2)
    )
    ours, theirs = result.judgement, of_forest.judgement
    assert ours.constant.measures() == theirs.constant.measures()
    evaluation = evaluate_table(files, LEVELS)
    assert evaluation.judgement.quality.measures() == ours.quality.measures()
    n_known = evaluation.per_node.set_index("name").n_known
    assert n_known["GO:F1"] == genes.is_known["F"].sum()


def test_a_test_file_is_measured_where_it_is_known(genes, fitted):
    model = fitted.model
    truth = TableFiles(genes.new, genes.truth, genes.hierarchy)
    evaluation = evaluate_model(model, truth)
    table, labels, _ = model.read_labeled(truth)
    scores, known = model.predict_proba(table), labels.to_array()
    roots = np.isin(model.hierarchy.names, ["GO:P", "GO:F"])
    assert (model.informative == ~roots).all()
    n_known = evaluation.per_node.n_known.tolist()
    assert n_known == (known >= 0).sum(axis=0)[~roots].tolist()
    assert evaluation.judgement.quality.micro == pytest.approx(
        average_precision(known[:, ~roots], scores[:, ~roots])
    )
