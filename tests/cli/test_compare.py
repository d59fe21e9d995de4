"""``hilabel compare``: a table, a verdict, files, and the exit code."""

import json

import numpy as np
import pandas as pd

DATA = ["products.csv", "-l", "labels.csv", "-H", "taxonomy.csv"]
COMPARE = ["compare", *DATA, "--folds", "2", "--jobs", "1"]
FOREST = "PredictiveClusteringForest:n_estimators=5"


def test_the_winner_is_named_with_the_options_that_train_it(shop, run):
    methods = ["--methods", f"{FOREST},default:naive-bayes", "--methods", "SSLPCT"]
    result = run(*COMPARE, *methods, "-o", "found")
    assert result.exit_code == 0
    told = " ".join(result.stdout.split())
    assert "3 methods, cross-validated on 120 labelled rows in the same 2 folds" in told
    assert "constant predictor" in told
    assert "standard error" in told
    table = pd.read_csv(shop / "found" / "comparison.csv")
    best = table["method"][0]
    assert f"best: {best}" in told
    options = {
        FOREST: "--method PredictiveClusteringForest --set n_estimators=5",
        "default:naive-bayes": "--base naive-bayes",
        "SSLPCT": "--method SSLPCT",
    }
    assert f"hilabel fit ... {options[best]}\n" in result.stdout
    assert (shop / "found" / "comparison.png").is_file()


def test_json_holds_the_table(shop, run):
    told = json.loads(run(*COMPARE, "--methods", FOREST, "--json").stdout)
    assert told["best"] == FOREST
    assert [row["method"] for row in told["measures"]] == [FOREST, "constant predictor"]
    assert len(told["folds"]) == 4


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
