"""``hilabel compare``: a table, a verdict, files, and the exit code."""

import json
import shlex

import numpy as np
import pandas as pd
import pytest

DATA = ["products.csv", "-l", "labels.csv", "-H", "taxonomy.csv"]
COMPARE = ["compare", *DATA, "--folds", "2", "--jobs", "1"]
FOREST = "PredictiveClusteringForest:n_estimators=5"


def test_the_winner_is_named_with_the_options_that_train_it(shop, run):
    methods = ["--methods", f"{FOREST},LCN:naive-bayes", "--methods", "SSLPCT"]
    result = run(*COMPARE, *methods, "-o", "found")
    assert result.exit_code == 0
    told = " ".join(result.stdout.split())
    assert "3 methods on 120 labelled rows, all in the same 2 folds" in told
    assert "constant predictor" in told
    assert "standard error" in told
    table = pd.read_csv(shop / "found" / "comparison.csv")
    best = table["method"][0]
    assert f"best: {best}" in told
    options = {
        FOREST: "--method PredictiveClusteringForest --set n_estimators=5",
        "LCN:naive-bayes": "--method LCN --base naive-bayes",
        "SSLPCT": "--method SSLPCT",
    }
    given = "products.csv --labels labels.csv --hierarchy taxonomy.csv --folds 2"
    command = f"hilabel fit {given} --jobs 1 {options[best]}\n"
    assert f"to train the best: {command}" in result.stdout
    assert (shop / "found" / "comparison.png").is_file()


def test_json_holds_the_table(shop, run):
    told = json.loads(run(*COMPARE, "--methods", FOREST, "--json").stdout)
    assert told["best"] == FOREST
    assert [row["method"] for row in told["measures"]] == [FOREST, "constant predictor"]
    assert len(told["folds"]) == 4


OPTIONS = {
    "all": ["--impute", "median", "--scale", "range", "--folds", 4, "--seed", 7],
    "reading": ["--drop", "brand", "--min-count", 8, "--strip-version", "--folds", 3],
}


@pytest.mark.parametrize("kind", OPTIONS)
@pytest.mark.parametrize(
    "method",
    [
        FOREST,
        "LocalClassifierPerNode:tree:policy='siblings'",
        "LinearClassifier:C=0.5",
    ],
)
def test_the_suggested_command_gives_the_number_of_the_comparison(
    kind, method, shop, run
):
    args = [*DATA, *OPTIONS[kind], "--methods", method, "--jobs", 1]
    told = json.loads(run("compare", *args, "--json").stdout)
    words = shlex.split(told["command"])
    assert words[:2] == ["hilabel", "fit"]
    fitted = json.loads(run(*words[1:], "--json").stdout)
    quality = fitted["summary"]["quality"]
    line = told["measures"][0]
    assert line["method"] == method
    assert quality["average_precision"] == line["micro_AP"]
    assert quality["macro_average_precision"] == line["macro_AP"]
    assert quality["fmax"] == line["Fmax"]
    constant = told["measures"][1]["micro_AP"]
    assert quality["constant_average_precision"] == constant


def test_the_command_of_the_preset_has_the_same_terms_as_the_comparison(shop, run):
    method = "paper:estimator__n_estimators=3"
    args = [*DATA, "--methods", method, "--folds", 2, "--json"]
    told = json.loads(run("compare", *args).stdout)
    fitted = json.loads(run(*shlex.split(told["command"])[1:], "--json").stdout)
    quality = fitted["summary"]["quality"]
    assert quality["average_precision"] == told["measures"][0]["micro_AP"]


def test_features_that_say_nothing_end_in_red_and_exit_code_3(shop, run):
    table = pd.read_csv("products.csv")
    table[table.columns[1:]] = 0.0
    table["width"] = np.arange(len(table)) % 2  # noise
    table.to_csv("products.csv", index=False)
    result = run(*COMPARE, "--methods", "PriorClassifier", "--quiet")
    assert result.exit_code == 3
    assert "no better than the constant predictor" in " ".join(result.stderr.split())
    evaluated = run("evaluate", *DATA, "--folds", "2", "--method", "PriorClassifier")
    assert evaluated.exit_code == 3
    assert "no better than the constant" in " ".join(evaluated.stderr.split())


def test_all_methods_are_listed(run):
    assert "SSHMCBLI" in run("compare", "x.csv", "--methods", "list").stdout
