"""``hilabel evaluate``: tables on the screen, files in a folder."""

import json

import pandas as pd

DATA = ["products.csv", "-l", "labels.csv", "-H", "taxonomy.csv"]
EVALUATE = ["evaluate", *DATA, "--folds", "2", "--set", "estimator__n_estimators=5"]


def test_each_measure_has_the_constant_predictor_beside_it(shop, run):
    result = run("evaluate", *DATA, "--fast", "-o", "quality")
    assert result.exit_code == 0
    told = " ".join(result.stdout.split())
    assert "PredictiveClusteringForest on 120 labelled rows" in told
    assert "on 120 labelled rows scored by models trained without them" in told
    measures = pd.read_csv(shop / "quality" / "measures.csv")
    assert list(measures.columns) == ["measure", "model", "constant", "better"]
    assert measures.notna().all().all()
    depths = pd.read_csv(shop / "quality" / "per_depth.csv")
    assert len(depths) == 1 + 3  # all terms, and three depths
    assert {path.suffix for path in (shop / "quality").iterdir()} == {".csv", ".png"}


def test_rows_of_training_are_pointed_out(shop, run):
    result = run("evaluate", *DATA, "--model", "model.hilabel")
    assert result.exit_code == 0
    told = " ".join(result.stdout.split())
    assert "the model was trained on these rows, so they are judged by" in told
    assert "cross-validated in 2 folds" in told


def test_json_holds_the_tables(shop, run):
    told = json.loads(run(*EVALUATE, "--json").stdout)
    assert len(told["per_depth"]) == 4
    assert 0 <= told["quality"]["calibration_error"] <= 1
    measures = {row["measure"]: row["model"] for row in told["measures"]}
    micro = measures["micro average precision"]
    assert told["quality"]["average_precision"] == micro


def test_the_preprocessing_of_no_model_is_not_saved(shop, run):
    assert "saved" not in run(*EVALUATE).stdout
