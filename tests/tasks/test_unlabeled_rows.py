"""Calibration of the rows whose labels a semi-supervised method guessed in training."""

import numpy as np
import pandas as pd
import pytest

from hilabel.datasets import make_hierarchical_classification
from hilabel.persistence import load_model, save_model
from hilabel.tasks import FitChoices, TableFiles, fit_table


@pytest.fixture(scope="module")
def rows():
    return make_hierarchical_classification(900, 8, n_nodes=12, random_state=3)


@pytest.fixture(scope="module")
def fitted(rows, tmp_path_factory):
    """Train on 300 labelled and 300 unlabelled rows; 300 are new."""
    folder = tmp_path_factory.mktemp("rows")
    names = np.asarray(rows.hierarchy.names, dtype=object)
    ids = [f"r{number:03d}" for number in range(900)]
    frame = pd.DataFrame(rows.X, index=pd.Index(ids, name="id")).add_prefix("x")
    frame[:600].to_csv(folder / "features.csv")
    frame.to_csv(folder / "all.csv")
    labels = [";".join(names[row == 1]) or names[0] for row in rows.Y[:300]]
    pd.DataFrame({"id": ids[:300], "labels": labels}).to_csv(
        folder / "labels.csv", index=False
    )
    edges = pd.DataFrame(names[rows.hierarchy.edges], columns=["parent", "child"])
    edges.to_csv(folder / "edges.csv", index=False)
    files = TableFiles(*(folder / f"{n}.csv" for n in ("features", "labels", "edges")))
    result = fit_table(files, FitChoices(method="SSHMCBLI"))
    model = save_and_load(result.model, folder / "m.hilabel")
    return result, model, model.read(folder / "all.csv")


def save_and_load(model, path):
    save_model(model, path)
    return load_model(path)


def error(probabilities, truth):
    """Return the mean difference in ten bins of equal count above .1."""
    said, true = probabilities[probabilities > 0.1], truth[probabilities > 0.1]
    bins = np.array_split(np.argsort(said), 10)
    return np.mean([abs(said[one].mean() - true[one].mean()) for one in bins])


def test_unlabelled_rows_of_the_table_have_their_own_calibration(rows, fitted):
    _, model, table = fitted
    scores = model.estimator.predict_proba(model.matrix(table))
    found = model.predict_proba(table, out_of_fold=False)
    as_new = model.calibration.transform(scores)
    np.testing.assert_array_equal(found[:300], as_new[:300])
    np.testing.assert_array_equal(found[600:], as_new[600:])
    hidden = slice(300, 600)
    truth = rows.Y[:, [rows.hierarchy.names.index(n) for n in model.hierarchy.names]]
    assert error(found[hidden], truth[hidden]) < error(as_new[hidden], truth[hidden])
    assert error(found[hidden], truth[hidden]) < 0.08


def test_their_quality_is_reported(fitted):
    result, model, _ = fitted
    value = model.summary["quality"]["unlabeled_average_precision"]
    assert value == model.judgement.unlabeled
    start = "quality on unlabelled rows of this table: micro average precision "
    assert any(s.startswith(f"{start}{value:.3f}") for s in result.details)
