"""A file predicted in blocks is the file predicted at once."""

import pandas as pd
import pytest

from hilabel.datasets import write_example
from hilabel.exceptions import DatasetFormatError
from hilabel.persistence import save_model
from hilabel.tasks import (
    FitChoices,
    PredictChoices,
    TableFiles,
    _predict,
    _write_table,
    fit_table,
    predict_file,
    predict_table,
)


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("genes")
    files = write_example(folder, "go")
    choices = FitChoices(parameters={"estimator__n_estimators": 5}, folds=2)
    tables = TableFiles(files["features"], files["labels"], files["hierarchy"])
    model = fit_table(tables, choices).model
    features = folder / "features.parquet"
    model.read(files["features"]).frame.to_parquet(features, row_group_size=70)
    return model, files, features


def both(fitted, monkeypatch, folder, name, choices, **options):
    """Predict at once, and a few rows at a time; return both files and counts."""
    model, _, features = fitted
    outputs = []
    for cells in (2**30, 37 * model.hierarchy.n_nodes):
        monkeypatch.setattr(_predict, "CELLS_AT_ONCE", cells)
        path = folder / f"{cells}" / name
        path.parent.mkdir()
        counts = predict_file(model, features, path, choices, **options)
        outputs.append((path.read_bytes(), counts))
    return outputs


@pytest.mark.parametrize(
    ("name", "choices"),
    [
        ("all.csv", PredictChoices()),
        ("top.csv.gz", PredictChoices(top=2)),
        ("branches.csv", PredictChoices(branches=2)),
        ("nodes.tsv", PredictChoices(threshold="model", most_specific=True)),
        ("new.parquet", PredictChoices(new_only=True, threshold=0.3)),
        ("wide.csv", PredictChoices(form="wide", threshold="model")),
        ("wide.parquet", PredictChoices(form="wide")),
        ("cafa.txt", PredictChoices(form="cafa", top=3)),
        ("none.parquet", PredictChoices(threshold=1.0)),
        ("term.csv", PredictChoices(terms=["GO:0000004", "GO:0000002"], top=4)),
        ("terms.csv", PredictChoices(terms=["GO:0000002", "GO:0000004"])),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_blocks_give_the_same_bytes(name, choices, fitted, monkeypatch, tmp_path):
    monkeypatch.setattr(_write_table, "_LINES_OF_A_GROUP", 100)
    monkeypatch.setattr(_predict, "_PARTS_AT_ONCE", 2)
    once, in_blocks = both(fitted, monkeypatch, tmp_path, name, choices)
    assert once == in_blocks


def test_annotated_rows_are_left_out_of_every_block(fitted, monkeypatch, tmp_path):
    files = fitted[1]
    once, in_blocks = both(
        fitted, monkeypatch, tmp_path, "t.csv", None, without=files["labels"]
    )
    assert once == in_blocks
    assert in_blocks[1]["rows omitted"] > 37


def test_parquet_holds_what_predict_table_returns(fitted, tmp_path):
    model, _, features = fitted
    predict_file(model, features, tmp_path / "t.parquet", PredictChoices(top=2))
    frame = predict_table(model, model.read(features), PredictChoices(top=2))
    read = pd.read_parquet(tmp_path / "t.parquet")
    pd.testing.assert_frame_equal(read, frame, check_dtype=False)


def test_nothing_is_written_where_a_later_block_is_wrong(fitted, monkeypatch, tmp_path):
    model, files, _ = fitted
    monkeypatch.setattr(_predict, "CELLS_AT_ONCE", 10 * model.hierarchy.n_nodes)
    lines = files["features"].read_text().splitlines()
    column = lines[0].split(",").index(model.preparation.feature_names_in_[0])
    cells = lines[300].split(",")
    cells[column] = "lots"
    lines[300] = ",".join(cells)
    (tmp_path / "t.csv").write_text("\n".join(lines))
    with pytest.raises(DatasetFormatError, match=r"line 301|'lots'"):
        predict_file(model, tmp_path / "t.csv", tmp_path / "out.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


def test_progress_counts_the_rows(fitted, monkeypatch, tmp_path):
    model, _, features = fitted
    monkeypatch.setattr(_predict, "CELLS_AT_ONCE", 150 * model.hierarchy.n_nodes)
    told = []
    predict_file(
        model, features, tmp_path / "t.csv", report=lambda *words: told.append(words)
    )
    predicting = [words[1:] for words in told if words[0].startswith("Predicting")]
    assert predicting == [(0, 400), (150, 400), (300, 400), (400, 400)]


def test_no_file_that_is_read_is_written_over(fitted, tmp_path):
    files = write_example(tmp_path, "go")
    model = tmp_path / "model.tsv"
    save_model(fitted[0], model)
    (tmp_path / "link.csv").symlink_to(files["features"])
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    without = tmp_path / "known.csv"
    without.write_text("id,term\nG0001,GO:0000002\n")
    for output in (files["features"], "link.csv", model, without):
        with pytest.raises(FileExistsError, match="is also an input"):
            predict_file(model, files["features"], tmp_path / output, without=without)
    without.unlink()
    assert before == {path: path.read_bytes() for path in tmp_path.iterdir()}
