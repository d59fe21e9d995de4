"""``hilabel predict``: forms, thresholds, formats."""

import io
import json

import numpy as np
import pandas as pd
import pytest

from hilabel.persistence import load_model
from hilabel.tasks import PredictChoices, predict_table

TWO = ["--top", "2", "--most-specific"]
PREDICT = ["predict", "model.hilabel", "products.csv"]


def test_the_long_form_is_sorted_and_named(shop, run):
    result = run(*PREDICT)
    assert result.exit_code == 0
    assert "predictions: predictions.csv" in result.stdout
    long = pd.read_csv(shop / "predictions.csv")
    measured = ["threshold", "precision_from_here", "term_quality", "reliable"]
    about = ["frequency", "information", "status", "scored"]
    start = ["id", "term", "name", "probability"]
    assert list(long.columns) == [*start, *measured, *about]
    order = pd.read_csv(shop / "products.csv")["product"]
    assert long["id"].drop_duplicates().tolist() == order.tolist()
    assert (
        long.groupby("id")["probability"]
        .apply(lambda values: values.is_monotonic_decreasing)
        .all()
    )
    assert long["probability"].min() >= 0.01


def test_the_wide_form_holds_the_same_numbers(shop, run):
    assert run(*PREDICT, "--format", "wide", "-o", "wide.csv").exit_code == 0
    wide = pd.read_csv(shop / "wide.csv", index_col="id")
    model = load_model("model.hilabel")
    scores = model.predict_proba(model.read("products.csv"))
    assert list(wide.columns) == list(model.hierarchy.names)
    np.testing.assert_allclose(wide, scores, rtol=5e-6)
    text = (shop / "wide.csv").read_text().splitlines()[1]
    assert max(map(len, text.split(","))) <= len("0.000123456")


def test_cafa_has_three_columns_and_no_heading(shop, run):
    assert run(*PREDICT, "--format", "cafa", "-o", "cafa.tsv").exit_code == 0
    lines = (shop / "cafa.tsv").read_text().splitlines()
    assert len(lines[0].split("\t")) == 3
    scores = [float(line.split("\t")[2]) for line in lines]
    assert 0 < min(scores) <= max(scores) <= 1


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "csv.gz", "tsv.gz"])
def test_all_formats_hold_the_same(suffix, shop, run):
    assert run(*PREDICT, "-o", f"out.{suffix}", *TWO).exit_code == 0
    read = {
        "csv": pd.read_csv,
        "tsv": lambda path: pd.read_csv(path, sep="\t"),
        "parquet": pd.read_parquet,
        "csv.gz": pd.read_csv,
        "tsv.gz": lambda path: pd.read_csv(path, sep="\t"),
    }
    frame = read[suffix](shop / f"out.{suffix}")
    assert frame.groupby("id").size().max() == 2
    model = load_model("model.hilabel")
    choices = PredictChoices(top=2, most_specific=True)
    expected = predict_table(model, model.read("products.csv"), choices)
    pd.testing.assert_frame_equal(frame, expected, check_dtype=False, rtol=1e-5)


def test_thresholds_of_the_model(shop, run):
    model = load_model("model.hilabel")
    scores = model.predict_proba(model.read("products.csv"))
    expected = {
        ("--threshold", "model"): model.labels(scores),
        ("--threshold", "0.3"): model.labels(scores, 0.3),
    }
    for option, labels in expected.items():
        result = run(*PREDICT, *option, "--format", "wide", "-o", "wide.csv")
        assert result.exit_code == 0
        wide = pd.read_csv(shop / "wide.csv", index_col="id")
        assert (wide.to_numpy() == labels).all()
        assert model.hierarchy.is_consistent(wide.to_numpy())


def test_columns_are_found_by_name_and_further_ones_ignored(shop, run):
    assert run(*PREDICT, "-o", "a.csv").exit_code == 0
    table = pd.read_csv(shop / "products.csv")
    table["extra"] = "x"
    columns = ["product", *sorted(table.columns[1:])]
    table[columns].to_csv(shop / "products.csv", index=False)
    assert run(*PREDICT, "-o", "b.csv").exit_code == 0
    assert (shop / "a.csv").read_bytes() == (shop / "b.csv").read_bytes()


def test_json_counts(shop, run):
    told = json.loads(run(*PREDICT, "--json").stdout)
    assert told["rows"] == told["rows of the training table"] == 240
    assert told["labelled rows in training"] == 120
    assert told["lines written"] == len(pd.read_csv(shop / "predictions.csv"))


def test_rows_that_are_annotated_can_be_left_out(shop, run):
    args = ["--without", "labels.csv", "--top", 1, "--most-specific"]
    result = run(*PREDICT, *args, "--json")
    told = json.loads(result.stdout)
    assert (told["rows"], told["rows omitted"]) == (120, 120)
    shown = pd.read_csv(shop / "predictions.csv")["id"]
    annotated = set(pd.read_csv(shop / "labels.csv").iloc[:, 0])
    assert annotated.isdisjoint(shown)
    everyone = pd.read_csv(shop / "products.csv")["product"]
    assert shown.tolist() == [row for row in everyone if row not in annotated]


@pytest.mark.parametrize("form", ["long", "wide", "cafa"])
def test_rows_without_any_term_are_counted(form, shop, run):
    args = [*PREDICT, "--threshold", 0.6, "--format", form, "-o", "out.tsv"]
    told = json.loads(run(*args, "--json").stdout)
    model = load_model("model.hilabel")
    labels = model.labels(model.predict_proba(model.read("products.csv")), 0.6)
    n_without = int((~labels.any(axis=1)).sum())
    assert n_without > 0
    assert told["rows without any term"] == n_without


def test_only_the_most_specific_terms_are_shown(shop, run):
    args = [*PREDICT, "--threshold", "model", "--most-specific", "-o", "out.csv"]
    assert run(*args).exit_code == 0
    shown = set(pd.read_csv(shop / "out.csv")[["id", "term"]].itertuples(index=False))
    model = load_model("model.hilabel")
    table = model.read("products.csv")
    labels = model.labels(model.predict_proba(table))
    expected = {
        (table.ids[row], model.hierarchy.names[node])
        for row, node in zip(*np.nonzero(labels), strict=True)
        if not labels[row, model.hierarchy.children(int(node))].any()
    }
    assert shown == expected


def test_the_wide_form_of_the_most_specific_terms_has_no_ancestors(shop, run):
    args = [*PREDICT, "--format", "wide", "--most-specific", "-o", "wide.csv"]
    assert run(*args).exit_code == 0
    wide = pd.read_csv(shop / "wide.csv", index_col="id").to_numpy() > 0
    hierarchy = load_model("model.hilabel").hierarchy
    assert wide.any()
    assert (hierarchy.most_specific(hierarchy.close(wide)) == wide).all()


def test_rows_left_out_are_told_only_where_it_was_asked_for(shop, run):
    assert "left out" not in run(*PREDICT).stdout
    (shop / "others.csv").write_text("id,term\nQ1,tea\n")
    told = " ".join(run(*PREDICT, "--without", "others.csv").stdout.split())
    assert "no id of products.csv is in others.csv: no row was omitted" in told


def test_the_id_column_of_training_is_found_wherever_it_stands(shop, run):
    assert run(*PREDICT, "-o", "a.csv").exit_code == 0
    table = pd.read_csv(shop / "products.csv")
    table["number"] = range(len(table))
    others = [name for name in table if name != "product"]
    table[[*others, "product"]].to_csv(shop / "products.csv", index=False)
    assert run(*PREDICT, "-o", "b.csv").exit_code == 0
    assert (shop / "a.csv").read_bytes() == (shop / "b.csv").read_bytes()


def test_a_minus_is_the_standard_output(shop, run):
    assert run(*PREDICT, "-o", "a.csv").exit_code == 0
    result = run(*PREDICT, "-o", "-")
    assert result.stdout == (shop / "a.csv").read_text()
    assert not (shop / "-").exists()
    lines = run(*PREDICT, "-o", "-", "--format", "cafa").stdout.splitlines()
    assert len(lines[0].split("\t")) == 3
    told = run(*PREDICT, "-o", "-", "--json").stderr
    assert "write the predictions to a file" in told


def test_the_rows_most_likely_to_have_a_term(shop, run):
    args = ["--term", "tea", "--top", 7, "--new-only", "-o", "-"]
    frame = pd.read_csv(io.StringIO(run(*PREDICT, *args).stdout))
    assert frame["term"].tolist() == ["tea"] * 7
    assert frame["probability"].is_monotonic_decreasing
    tea = pd.read_csv(shop / "labels.csv").query("category == 'tea'")["product"]
    assert set(tea).isdisjoint(frame["id"])
    assert "'tee'" in run(*PREDICT, "--term", "tee").stderr


def test_what_has_labels_in_a_column_of_the_table_is_left_out(
    tmp_path, run, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    rows = [f"r{n},{n % 2},{'' if n % 3 else 'ab'[n % 2]}\n" for n in range(36)]
    (tmp_path / "all.csv").write_text("nr,x,kind\n" + "".join(rows))
    (tmp_path / "two.csv").write_text("nr,Art\nr1,a\nr2,b\n")
    words = ["fit", "all.csv", "-l", "all.csv", "--label-column", "kind", "--fast"]
    words += ["--set", "n_estimators=3", "--no-measure", "-o", "kind.hilabel"]
    assert run(*words).exit_code == 0
    words = ["predict", "kind.hilabel", "all.csv", "-o", "kind.csv", "--without"]
    told = run(*words, "all.csv")
    assert told.exit_code == 0, told.stderr
    assert set(pd.read_csv("kind.csv")["id"]) <= {f"r{n}" for n in range(36) if n % 3}
    told = run(*words, "two.csv")
    assert "omitted 2" in " ".join(told.stdout.split())
