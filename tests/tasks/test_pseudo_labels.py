"""Pseudo-labels of a trained model: in its file, on its page, and as a table."""

from dataclasses import replace

import pandas as pd
import pytest

from hilabel.datasets import write_example
from hilabel.exceptions import ParameterError
from hilabel.persistence import load_model, save_model
from hilabel.tasks import (
    FitChoices,
    TableFiles,
    fit_table,
    inspect_file,
    pseudo_label_table,
    report_model,
    write_pseudo_labels,
)


def fit(folder, **choices):
    paths = write_example(folder, "shop")
    files = TableFiles(paths["features"], paths["labels"], paths["hierarchy"])
    choices = FitChoices(base="naive-bayes", measure=False, **choices)
    return save_model(fit_table(files, choices).model, folder / "m.hilabel")


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return fit(tmp_path_factory.mktemp("shop"), method="SSHMCBLI")


def test_the_file_the_inspection_and_the_page_tell_the_same(path):
    model = load_model(path)
    learned = model.record.pseudo_labels
    assert learned.n_unlabeled == 120
    found = inspect_file(path)
    assert f"pseudo-labels: {learned}" in found.sentences
    assert found.facts["pseudo-labels"] == learned.n_labels
    assert found.tables["passes"].equals(learned.frame())
    summary = report_model(path).payload["summary"]
    told = dict(summary["pseudo_labels"])
    told.pop("picture", None)  # drawn if matplotlib is installed
    assert told == {
        "said": str(learned),
        "step": "pass",
        "steps": "passes",
        "history": learned.history,
    }
    assert "pseudo-labels" not in dict(summary["facts"])  # they have their own section


def test_rows_and_terms_are_named(path):
    model, table = load_model(path), pseudo_label_table(path)
    found = model.estimator.pseudo_labels()
    assert table["id"].tolist() == [model.sample_ids[row] for row in found["row"]]
    assert table["term"].tolist() == found["node"].tolist()
    labeled = {model.sample_ids[row] for row in model.labeled.nonzero()[0]}
    assert not labeled & set(table["id"])
    assert len(table) == model.record.pseudo_labels.n_labels


@pytest.mark.parametrize("name", ["p.csv", "p.tsv.gz", "p.parquet"])
def test_the_table_is_written_in_the_format_of_the_name(name, path, tmp_path):
    counted = write_pseudo_labels(path, tmp_path / name)
    if name.endswith(".parquet"):
        found = pd.read_parquet(tmp_path / name)
    else:
        found = pd.read_csv(tmp_path / name, sep=None, engine="python")
    expected = pseudo_label_table(path)
    pd.testing.assert_frame_equal(found, expected, check_dtype=False, rtol=1e-5)
    assert counted == {
        "rows with pseudo-labels": expected["id"].nunique(),
        "lines written": len(expected),
    }


def test_other_methods_have_no_pseudo_labels(tmp_path):
    path = fit(tmp_path, method="LocalClassifierPerNode")
    assert load_model(path).record.pseudo_labels is None
    assert report_model(path).payload["summary"]["pseudo_labels"] is None
    with pytest.raises(ParameterError, match=r"m\.hilabel: expected a model of a"):
        write_pseudo_labels(path, tmp_path / "p.csv")
    assert not (tmp_path / "p.csv").exists()


def test_a_summary_of_another_form_is_refused(path):
    model = load_model(path)
    assert model.is_sound()
    learned = {**model.record.pseudo_labels.plain(), "step": "turn"}
    assert not replace(model.record, pseudo_labeling=learned).is_sound()
