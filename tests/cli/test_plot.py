"""``hilabel plot``: figures in three formats, and one line for every error."""

import json

import pandas as pd
import pytest

from hilabel.persistence import load_model

SIGNATURES = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}
SHOP = ["products.csv", "-l", "labels.csv", "-H", "taxonomy.csv"]


@pytest.mark.parametrize("kind", SIGNATURES)
def test_pseudo_labels_are_drawn_in_every_format(shop, run, kind):
    result = run("plot", "pseudo-labels", "neighbors.hilabel", "-o", f"map.{kind}")
    assert result.exit_code == 0, result.stderr
    assert (shop / f"map.{kind}").read_bytes().startswith(SIGNATURES[kind])
    assert f"figure: map.{kind}" in result.stdout
    assert "SSHMCBLI: " in result.stdout


def test_nodes_and_columns_go_by_name(shop, run):
    model = load_model("neighbors.hilabel")
    node, columns = model.hierarchy.names[2], model.feature_names[:2]
    args = ["plot", "pseudo-labels", "neighbors.hilabel", "-o", "map.png", "--json"]
    result = run(*args, "--nodes", node, "--columns", ",".join(columns))
    assert result.exit_code == 0, result.stderr
    told = json.loads(result.stdout)
    assert (told["axes"], told["nodes"]) == (list(columns), [2])


def test_the_gain_from_unlabelled_rows_is_drawn(shop, run):
    args = ["--fractions", ".5,1", "--repetitions", 1, "-o", "fraction.svg"]
    method = ["--method", "SSHMCBLI", "--base", "tree", "--jobs", 1]
    result = run("plot", "label-fraction", *SHOP, *args, *method, "--json")
    assert result.exit_code == 0, result.stderr
    rows = json.loads(result.stdout)["scores"]
    assert {row["fraction"] for row in rows} == {0.5, 1}
    assert len({row["trained_on"] for row in rows}) == 3
    assert (shop / "fraction.svg").read_bytes().startswith(b"<?xml")


def test_a_fast_method_prints_its_means(shop, run):
    args = ["--fractions", "1", "--repetitions", 1, "-o", "fraction.png", "--fast"]
    result = run("plot", "label-fraction", *SHOP, *args)
    assert result.exit_code == 0, result.stderr
    assert "labelled rows only" in result.stdout
    assert "constant predictor" in result.stdout


def test_ranks_of_an_own_table_are_drawn(tmp_path, run, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scores = pd.DataFrame({"forest": [0.9, 0.7], "tree": [0.8, 0.6]}, index=["x", "y"])
    scores.to_csv("scores.csv")
    result = run("plot", "critical-difference", "scores.csv", "-o", "ranks.pdf")
    assert result.exit_code == 0, result.stderr
    assert "over 2 blocks; Friedman's test finds no difference" in result.stdout
    args = ["critical-difference", "scores.csv", "-o", "ranks.png", "--json"]
    told = json.loads(run("plot", *args, "--lower-is-better").stdout)
    assert [row["method"] for row in told["ranks"]] == ["tree", "forest"]
    assert told["friedman_rejects"] is False


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["neighbors.hilabel", "-o", "map.txt"], "ends in .png or .svg or .pdf"),
        (["model.hilabel", "-o", "map.png"], "has no pseudo-labels to show"),
        (["neighbors.hilabel", "-o", "map.png", "--nodes", "teaa"], "'teaa'"),
        (
            ["neighbors.hilabel", "-o", "map.png", "--columns", "nothing,1"],
            "got 'nothing'. (option: --columns)",
        ),
        (
            ["neighbors.hilabel", "-o", "map.png", "--columns", "1"],
            "two columns to draw, got 1",
        ),
        (
            ["neighbors.hilabel", "-o", "map.png", "--features", "few.csv"],
            "expected the training table",
        ),
        (["neighbors.hilabel"], "Missing option '-o'"),
    ],
)
def test_errors_about_pseudo_labels_are_one_line(shop, run, args, message):
    lines = (shop / "products.csv").read_text().splitlines(keepends=True)
    (shop / "few.csv").write_text("".join(lines[:20]))
    result = run("plot", "pseudo-labels", *args)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert not (shop / "map.png").exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "it cannot be read"),
        (b"a,b\n1,2\n1\n1,2,3\n", "line 3 has 1; every column needs a title"),
        (b"\xff\xfe\x00a,b", "it cannot be read"),
        (b"block,a,b\nx,1,\n", "'b' has 'nan' in block 'x'"),
        (b"a,b\n1,2\n", "at least two methods and two blocks, got 2 and 1"),
        (b"block,a\nx,1\ny,2\n", "at least two methods and two blocks, got 1 and 2"),
    ],
)
def test_errors_about_scores_are_one_line(tmp_path, run, content, message):
    path = tmp_path / "scores.csv"
    path.write_bytes(content)
    result = run("plot", "critical-difference", path, "-o", tmp_path / "ranks.png")
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--fractions", "half"], "expected numbers such as .1,.3,1, got 'half'"),
        (["--fractions", "2"], "labeled_fraction in (0, 1], got 2.0"),
        (["--test", "1"], "'--test'"),
    ],
)
def test_errors_about_fractions_are_one_line(shop, run, args, message):
    result = run("plot", "label-fraction", *SHOP, "--fast", "-o", "f.png", *args)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
