"""``hilabel datasets``: what is known, what is here, and as tables."""

import json

import numpy as np
import pandas as pd

from hilabel.datasets import load_table

ARFF = """@relation shop
@attribute price numeric
@attribute class hierarchical food/tea,food/bread,books
@data
1.5,food/tea
2.5,food/bread@books
?,books
"""


def test_all_known_sets_are_listed(run, tmp_path):
    result = run("datasets", "list", "--data-home", tmp_path)
    assert len(result.stdout.splitlines()) == 24
    assert "GO/cellcycle" in result.stdout
    told = json.loads(run("datasets", "list", "--data-home", tmp_path, "--json").stdout)
    assert not any(found["present"] for found in told["datasets"])


def test_an_arff_file_becomes_tables_that_can_be_read(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop.arff").write_text(ARFF)
    result = run("datasets", "convert", "shop.arff", "tables")
    assert result.exit_code == 0, result.stderr
    data = load_table(
        "tables/features.csv", "tables/labels.tsv", "tables/hierarchy.csv"
    ).dataset
    assert set(data.hierarchy.names) == {"books", "food", "food/bread", "food/tea"}
    np.testing.assert_array_equal(data.X, [[1.5], [2.5], [np.nan]])
    assert pd.read_csv("tables/labels.tsv", sep="\t")["id"].tolist() == [
        "row1",
        "row2",
        "row2",
        "row3",
    ]


def test_fetching_needs_an_address(run, tmp_path, monkeypatch):
    monkeypatch.delenv("HILABEL_DATA_URL", raising=False)
    result = run("datasets", "fetch", "GO/cellcycle", "--data-home", tmp_path)
    assert result.exit_code == 2
    told = " ".join(result.stderr.split())
    assert "the environment variable HILABEL_DATA_URL" in told
    assert told.endswith("(option: --url)")


def test_the_list_stands_in_two_columns(run, tmp_path):
    lines = run("datasets", "list", "--data-home", tmp_path).stdout.splitlines()
    assert len({line.index("not on this machine") for line in lines}) == 1


def test_an_unknown_set_is_refused_before_an_address_is_asked_for(run, tmp_path):
    result = run("datasets", "fetch", "GO/nothing", "--data-home", tmp_path)
    assert result.exit_code == 2
    assert "nothing" in result.stderr
    assert "--url" not in result.stderr
