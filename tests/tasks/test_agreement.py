"""One quality and one decision: the same numbers and terms, whoever shows them."""

import numpy as np
import pandas as pd
import pytest
from two_aspects import write_genes

from hilabel.datasets import TableFiles, make_artificial, write_example
from hilabel.judgement import OUT_OF_FOLD
from hilabel.tasks import (
    FitChoices,
    PredictChoices,
    compare_methods,
    evaluate_model,
    evaluate_table,
    explain_row,
    fit_table,
    predict_table,
    report_model,
)

FOREST = FitChoices(
    method="PredictiveClusteringForest", parameters={"n_estimators": 60}, seed=3
)
IN_WORDS = "PredictiveClusteringForest:n_estimators=60"
N_ROWS = 200  # of each of three data sets


def genes(folder):
    """Return genes in a DAG of terms, with missing values and a column of names."""
    paths = write_example(folder, "go")
    return TableFiles(paths["features"], paths["labels"], paths["hierarchy"])


def artificial(folder):
    """Return the artificial DAG of the paper as tables."""
    data = make_artificial()
    ids = [f"r{row}" for row in range(len(data.X_labeled) + len(data.X_unlabeled))]
    X = np.vstack([data.X_labeled, data.X_unlabeled])
    table = pd.DataFrame(X, columns=["x", "y"], index=pd.Index(ids, name="id"))
    table.to_csv(folder / "rows.csv")
    rows, nodes = np.nonzero(data.Y_labeled)
    labels = {"id": [ids[row] for row in rows], "term": [f"n{node}" for node in nodes]}
    pd.DataFrame(labels).to_csv(folder / "labels.csv", index=False)
    edges = [f"n{parent},n{child}\n" for parent, child in data.hierarchy.edges]
    (folder / "edges.csv").write_text("".join(["parent,child\n", *edges]))
    files = (folder / name for name in ("rows.csv", "labels.csv", "edges.csv"))
    return TableFiles(*files, unknown_terms="drop")


def titles(folder):
    """Return products with titles, whose labels are paths."""
    paths = write_example(folder, "titles")
    return TableFiles(paths["features"], paths["labels"])


def aspects(folder):
    """Return genes of which many are known in one of two aspects alone."""
    found = write_genes(folder)
    return TableFiles(found.features, found.labels, found.hierarchy)


@pytest.fixture(scope="module", params=[genes, artificial, titles, aspects])
def files(request, tmp_path_factory):
    return request.param(tmp_path_factory.mktemp("files"))


@pytest.fixture(scope="module")
def model(files):
    return fit_table(files, FOREST).model


@pytest.fixture(scope="module")
def table(model, files):
    return model.read(files.features)


# Quality ------------------------------------------------------------------------------


def numbers(judgement):
    return (
        judgement.raw.measures(),
        judgement.quality.measures(),
        judgement.constant.measures(),
        judgement.error,
        judgement.decision.overall,
        judgement.decision.precision,
        judgement.decision.recall,
    )


def test_fit_evaluate_and_compare_measure_the_same(files, model):
    evaluated = evaluate_table(files, FOREST).judgement
    rows = compare_methods(files, [IN_WORDS], FitChoices(seed=3))
    assert numbers(model.judgement) == numbers(evaluated)
    assert numbers(model.judgement) == numbers(rows.judgements[IN_WORDS])
    assert model.judgement.measured_on == OUT_OF_FOLD
    best = rows.measures.set_index("method").loc[IN_WORDS]
    assert best["micro_AP"] == model.judgement.quality.micro


def test_rows_of_training_are_judged_as_in_training(files, model):
    again = evaluate_model(model, files).judgement
    assert numbers(again) == numbers(model.judgement)


def test_the_page_shows_what_fit_measured(files, model):
    payload = report_model(model, files.features).payload
    shown = {one["measure"]: one for one in payload["summary"]["scores"]}
    micro = shown["micro average precision"]
    assert micro["model"] == model.judgement.quality.micro
    assert micro["constant"] == model.judgement.constant.micro
    macro = shown["macro average precision"]
    assert macro["model"] == model.judgement.quality.macro


def test_the_sentence_rounds_the_number_that_is_saved(files):
    result = fit_table(files, FOREST)
    quality = result.model.summary["quality"]
    sentence = result.verdict[0]
    assert f"micro average precision {quality['average_precision']:.3f}" in sentence
    constant = quality["constant_average_precision"]
    assert f"constant predictor {constant:.3f}" in sentence


# Decision -----------------------------------------------------------------------------


def test_all_decide_on_the_same_terms(files, model, table):
    random = np.random.default_rng(0)
    rows = random.choice(len(table), N_ROWS, replace=False)
    some = table.rows(rows)
    names = np.array(model.hierarchy.names)
    decided = model.labels(model.predict_proba(some)) & model.informative
    in_python = [set(names[row]) for row in decided]
    written = predict_table(model, some, PredictChoices(threshold="model"))
    by_id = written.groupby("id")["term"].agg(set).to_dict()
    in_file = [by_id.get(row_id, set()) for row_id in some.ids]
    assert in_file == in_python
    on_page = terms_on_page(model, files, some.ids)
    assert on_page == in_python
    for row_id, terms in zip(some.ids, in_python, strict=True):
        why = explain_row(model, row_id, files.features).decisions
        found = set(why.loc[why["predicted"], "term"])
        assert found & set(names[model.informative]) == terms


def terms_on_page(model, files, ids):
    payload = report_model(model, files.features).payload
    names = payload["terms"]["id"]
    rows = payload["rows"]
    place = {row_id: at for at, row_id in enumerate(rows["id"])}
    return [
        {names[term] for term, *_ in rows["predicted"][place[row_id]]} for row_id in ids
    ]


def test_labelled_training_rows_are_scored_out_of_fold(model, table):
    rows = np.flatnonzero(model.labeled)[:20]
    labeled = table.rows(rows)
    stored = model.left_out[rows].toarray()
    np.testing.assert_array_equal(model.predict_proba(labeled), stored)
    written = predict_table(model, labeled)
    assert set(written["scored"]) == {"out of fold"}
    by_model = model.predict_proba(labeled, out_of_fold=False)
    assert not np.allclose(by_model, stored)
    # With other values, it is another row, whatever its id.
    moved = labeled.frame.copy()
    numeric = moved.select_dtypes("number").columns
    moved[numeric] += 1
    others = type(labeled)(labeled.ids, moved, text=labeled.text)
    assert (model.left_out_rows(model.matrix(others), others.ids) < 0).all()
